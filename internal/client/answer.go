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

// Record is one record as it was understood and as it came: Raw keeps the
// fields that only this server has.
type Record[T any] struct {
	Value T
	Raw   json.RawMessage
}

// Answer is what a write was answered.
type Answer[T any] struct {
	Value T
	// Raw is the whole body, nil when there was none in JSON.
	Raw json.RawMessage
	// Detailed tells that Value was in the body. Another server may answer a
	// write with `{"response":"success"}` or nothing: then it is done, and the
	// result must be read back by other means.
	Detailed bool
	// Replayed tells that the server had done it before, under the same key.
	Replayed bool
}

// decode reads an answer that must be JSON into v.
func decode(cl call, a answer, v any) error {
	if len(bytes.TrimSpace(a.body)) == 0 {
		return &Unexpected{Route: cl.name(), Err: errEmpty}
	}
	if err := json.Unmarshal(a.body, v); err != nil {
		return &Unexpected{Route: cl.name(), Err: notJSON(a.header, err)}
	}
	return nil
}

// notJSON says more of an answer that is a web page: the server's address is
// probably not that of the API.
func notJSON(h http.Header, err error) error {
	if isHTML(h) {
		return fmt.Errorf("a web page and no JSON; is this the address of the API? %w", err)
	}
	return err
}

func isHTML(h http.Header) bool {
	t, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return t == "text/html"
}

// isPage tells a web page from a word such as OK, or JSON, whose media type
// nobody set.
func isPage(body []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) }

// decodeWrite reads the answer to a write, of which nothing is sure. The value
// is detailed when the body holds all of the named fields.
func decodeWrite[T any](cl call, a answer, fields ...string) (Answer[T], error) {
	out := Answer[T]{Replayed: a.header.Get(api.HeaderIdempotencyReplayed) == "true"}
	if isHTML(a.header) && isPage(a.body) {
		return out, &Unexpected{Route: cl.name(), Err: reason("a web page and no JSON; is this the address of the API?")}
	}
	if a.head == nil {
		if json.Valid(a.body) {
			out.Raw = a.body
		}
		return out, nil
	}
	out.Raw = a.body
	for _, name := range fields {
		if _, ok := a.head[name]; !ok {
			return out, nil
		}
	}
	if err := json.Unmarshal(a.body, &out.Value); err != nil {
		return out, &Unexpected{Route: cl.name(), Err: err}
	}
	out.Detailed = true
	return out, nil
}

// head holds the fields at the top of a body that is an object, each with its
// value where that is a word. It is nil for any other body.
type head map[string]word

// word is a short string of a body, empty for what is long or no string.
type word string

// UnmarshalJSON implements [json.Unmarshaler] without an error: what a field
// should hold is for others to say.
func (w *word) UnmarshalJSON(b []byte) error {
	if len(b) <= 64 && b[0] == '"' {
		_ = json.Unmarshal(b, (*string)(w))
	}
	return nil
}

func readHead(body []byte) head {
	var h head
	if json.Unmarshal(body, &h) != nil {
		return nil
	}
	return h
}

// refuses finds the refusal that some servers send with a status that says
// success.
func (h head) refuses() bool {
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
