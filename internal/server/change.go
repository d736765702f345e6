package server

import (
	"net/http"

	"ativa/internal/api"
	"ativa/internal/cpf"
	"ativa/internal/provision"
)

// changeProduct replaces the product of one service.
func (s *Server) changeProduct(x *exchange) error {
	c, err := readChange(x.body)
	if err != nil {
		return err
	}
	return write(x, c.run(x), tellChange)
}

// changeBody is what a change asks for.
type changeBody struct {
	document cpf.Document
	from, to int
}

func readChange(body string) (*changeBody, error) {
	var from, to provision.OptionalNumber
	var document provision.OptionalText
	err := readForm(body, func(f *form, key string) error {
		switch key {
		case api.FieldProductID:
			return f.number(key, &to)
		case api.FieldPreviousProductID:
			return f.number(key, &from)
		case api.FieldDocument:
			return f.text(key, &document)
		}
		return f.c.skip()
	})
	if err != nil {
		return nil, err
	}
	var missing []api.FieldError
	if !to.Set || to.Null {
		missing = append(missing, required(api.FieldProductID))
	}
	if !from.Set || from.Null {
		missing = append(missing, required(api.FieldPreviousProductID))
	}
	if !document.Set || document.Null {
		missing = append(missing, required(api.FieldDocument))
	}
	if missing != nil {
		return nil, invalid(missing...)
	}
	d, err := knownDocument(document)
	return &changeBody{document: d, from: from.Value, to: to.Value}, err
}

func (c *changeBody) run(x *exchange) func(provision.Call) (provision.Result, error) {
	return func(call provision.Call) (provision.Result, error) {
		return x.s.m.ChangeProduct(x.r.Context(), call, c.document, c.from, c.to)
	}
}

func tellChange(r provision.Result) (answer, error) {
	return tellJSON(http.StatusOK, api.ChangeResponse{Response: api.ResponseSuccess, Result: result(0, &r)})
}
