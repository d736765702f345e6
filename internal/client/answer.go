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

// decodeWrite reads the answer to a write, of which nothing is sure. The value
// is detailed when the body holds all of the named fields.
func decodeWrite[T any](cl call, a answer, fields ...string) (Answer[T], error) {
	out := Answer[T]{Replayed: a.header.Get(api.HeaderIdempotencyReplayed) == "true"}
	if isHTML(a.header) {
		return out, &Unexpected{Route: cl.name(), Err: reason("a web page and no JSON; is this the address of the API?")}
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(a.body, &object) != nil {
		if json.Valid(a.body) {
			out.Raw = a.body
		}
		return out, nil
	}
	out.Raw = a.body
	for _, name := range fields {
		if _, ok := object[name]; !ok {
			return out, nil
		}
	}
	if err := json.Unmarshal(a.body, &out.Value); err != nil {
		return out, &Unexpected{Route: cl.name(), Err: err}
	}
	out.Detailed = true
	return out, nil
}

// refusedInside finds the refusal that some servers send with a status that
// says success.
func refusedInside(cl call, res *http.Response, body []byte) error {
	var said struct {
		Response any `json:"response"`
	}
	// A body that is no object says nothing; the caller sees to it.
	_ = json.Unmarshal(body, &said)
	word, _ := said.Response.(string)
	switch strings.ToLower(word) {
	case api.ResponseError, "fail", "failed", "failure":
		e := newError(cl.name(), res.StatusCode, res.Header, body)
		e.Retryable = false
		return e
	}
	return nil
}
