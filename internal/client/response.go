package client

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strings"

	"ativa/internal/api"
)

// Item is one record as it was understood and as it came: Raw keeps the
// fields that only this server has.
type Item[T any] struct {
	Value T
	Raw   json.RawMessage
}

// WriteResult is what a write was answered.
type WriteResult[T any] struct {
	Value T
	// Raw is the whole body, nil when there was none in JSON.
	Raw json.RawMessage
	// Detailed reports whether Value was in the body. Another server may respond to a
	// write with `{"response":"success"}` or nothing: then it is done, and the
	// result must be read back by other means.
	Detailed bool
	// Replayed reports whether the server had done it before, under the same key.
	Replayed bool
}

// decode reads a response that must be JSON into v.
func decode(cl call, a response, v any) error {
	if len(bytes.TrimSpace(a.body)) == 0 {
		return &UnexpectedResponseError{Route: cl.name(), Err: errEmpty}
	}
	if err := json.Unmarshal(a.body, v); err != nil {
		return &UnexpectedResponseError{Route: cl.name(), Err: explainHTML(a.header, err)}
	}
	return nil
}

// explainHTML says more of a response that is a web page: the server's address is
// probably not that of the API.
func explainHTML(h http.Header, err error) error {
	if isHTML(h) {
		return fmt.Errorf("a web page and no JSON; is this the address of the API? %w", err)
	}
	return err
}

func isHTML(h http.Header) bool {
	t, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return t == "text/html"
}

// looksLikeHTML tells a web page from a word such as OK, or JSON, whose media type
// nobody set.
func looksLikeHTML(body []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) }

// decodeWrite reads the response to a write, of which nothing is sure. The value
// is detailed when the body holds all of the named fields.
func decodeWrite[T any](cl call, a response, fields ...string) (WriteResult[T], error) {
	out := WriteResult[T]{Replayed: a.header.Get(api.HeaderIdempotencyReplayed) == "true"}
	if isHTML(a.header) && looksLikeHTML(a.body) {
		return out, &UnexpectedResponseError{Route: cl.name(), Err: constError("a web page and no JSON; is this the address of the API?")}
	}
	if a.fields == nil {
		if json.Valid(a.body) {
			out.Raw = a.body
		}
		return out, nil
	}
	out.Raw = a.body
	for _, name := range fields {
		if _, ok := a.fields[name]; !ok {
			return out, nil
		}
	}
	if err := json.Unmarshal(a.body, &out.Value); err != nil {
		return out, &UnexpectedResponseError{Route: cl.name(), Err: err}
	}
	out.Detailed = true
	return out, nil
}

// topLevelFields holds the fields at the top of a body that is an object, each with its
// value where that is a word. It is nil for any other body.
type topLevelFields map[string]shortString

// shortString is a short string of a body, empty for what is long or no string.
type shortString string

// UnmarshalJSON implements [json.Unmarshaler] without an error: what a field
// should hold is for others to say.
func (w *shortString) UnmarshalJSON(b []byte) error {
	if len(b) <= 64 && b[0] == '"' {
		_ = json.Unmarshal(b, (*string)(w))
	}
	return nil
}

func readTopLevelFields(body []byte) topLevelFields {
	var h topLevelFields
	if json.Unmarshal(body, &h) != nil {
		return nil
	}
	return h
}

// isRefusal finds the refusal that some servers send with a status that says
// success.
func (h topLevelFields) isRefusal() bool {
	for name, value := range h {
		if strings.EqualFold(name, "response") {
			switch strings.ToLower(string(value)) {
			case api.ResponseError, "fail", "failed", "failure":
				return true
			}
		}
	}
	return false
}
