package server

import (
	"errors"

	"ativa/internal/api"
	"ativa/internal/cpf"
	"ativa/internal/provision"
)

// document reads the subscriber's document from the path: whatever it is, one
// that nobody has is not found (decisions.md 6).
func (x *exchange) document() (cpf.Document, error) {
	d, ok := cpf.ParseLoosely(x.r.PathValue(api.WildcardDocument))
	if !ok {
		return "", &provision.Error{Code: provision.SubscriberNotFound, Message: "no subscriber has this document"}
	}
	return d, nil
}

// knownDocument reads a document of a body, where it must be a right one.
func knownDocument(t provision.OptionalText) (cpf.Document, error) {
	if !t.Set || t.Null {
		return "", invalid(required(api.FieldDocument))
	}
	d, err := cpf.Parse(t.Value)
	if bad, ok := errors.AsType[*cpf.Error](err); ok {
		return "", invalid(api.FieldError{
			Pointer: "/" + api.FieldDocument, Field: api.FieldDocument, Code: bad.Code, Detail: bad.Message,
		})
	}
	return d, err
}
