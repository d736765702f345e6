package client

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"ativa/internal/api"
)

// Item is one element of a list. Raw keeps the fields that only this server has.
type Item[T any] struct {
	Value T
	Raw   json.RawMessage
}

// WriteResult is the response to a write.
type WriteResult[T any] struct {
	Value T
	Raw   json.RawMessage // the whole body, nil if it is not a JSON value
	// Detailed reports whether Value was in the body. Another server may respond
	// to a write with `{"response":"success"}` or nothing: then the write is
	// done, and its result must be read by another call.
	Detailed bool
}

func decode(cl call, a response, v any) error {
	if len(bytes.TrimSpace(a.body)) == 0 {
		return &UnexpectedResponseError{Route: cl.name(), Err: errEmpty}
	}
	if err := json.Unmarshal(a.body, v); err != nil {
		return &UnexpectedResponseError{Route: cl.name(), Err: explainHTML(a.header, err)}
	}
	return nil
}

// explainHTML replaces the error of a response that is a web page by one that says so:
// the server's address is probably wrong.
func explainHTML(h http.Header, err error) error {
	if isHTML(h) {
		return errHTML
	}
	return err
}

func isHTML(h http.Header) bool {
	t, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return t == "text/html"
}

// checkWriteBody returns an error for the body of a response to a write that is
// markup or JSON that breaks off: neither says that the write is done. Nothing, and a
// bare word such as OK, do.
func checkWriteBody(body []byte) error {
	text := bytes.TrimSpace(body)
	switch {
	case bytes.HasPrefix(text, []byte("<")):
		return errHTML
	case len(text) > 0 && bytes.IndexByte([]byte("{[\""), text[0]) >= 0 && !json.Valid(text):
		return errCutShort
	}
	return nil
}

// decodeWrite decodes the response to a write, which may be anything that
// [checkWriteBody] accepts. The result is detailed if the body has all of the named
// fields, in our types.
func decodeWrite[T any](cl call, a response, fields ...string) (WriteResult[T], error) {
	var out WriteResult[T]
	if a.fields == nil {
		if err := checkWriteBody(a.body); err != nil {
			return out, &UnexpectedResponseError{Route: cl.name(), Unknown: !cl.isReadOnly(), Err: err}
		}
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
	var value T
	elements, some := any(&value).(interface{ HasResults() bool })
	if json.Unmarshal(a.body, &value) == nil && (!some || elements.HasResults()) { // else they mean something else there
		out.Value, out.Detailed = value, true
	}
	return out, nil
}

// topLevelFields are the fields of a body that is an object, with the values
// that are short strings. It is nil for any other body.
type topLevelFields map[string]shortString

// shortString is a string of a body, empty for a long one and for other types.
type shortString string

// UnmarshalJSON never returns an error.
func (s *shortString) UnmarshalJSON(b []byte) error {
	if len(b) <= 64 && b[0] == '"' {
		_ = json.Unmarshal(b, (*string)(s))
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

// isRefusal reports whether the body is an error, which some servers send with
// the status of a success.
func (f topLevelFields) isRefusal() bool {
	for name, value := range f {
		if strings.EqualFold(name, "response") {
			switch strings.ToLower(string(value)) {
			case api.ResponseError, "fail", "failed", "failure":
				return true
			}
		}
	}
	return false
}

const (
	maxErrorBody = 1 << 20 // limits the body of an error, in bytes
	// minProgress is how many bytes must arrive within the idle time-out, so
	// that a server that sends single bytes times out too.
	minProgress = 4 << 10
)

// constError is an error with a constant text.
type constError string

func (e constError) Error() string { return string(e) }

const (
	errTimeout  constError = "no whole answer in time"
	errSilent   constError = "the server has gone silent"
	errTooLarge constError = "it is larger than this program reads"
	errEmpty    constError = "it is empty"
	errCutShort constError = "it breaks off; the request may have been carried out"
	errHTML     constError = "a web page and no JSON; is this the address of the API?"
)

// readAll reads up to limit bytes. If there are more, it returns these with
// errTooLarge. announced is how many there are according to the header, -1 if it
// does not say.
func readAll(r io.Reader, limit, announced int64) ([]byte, error) {
	const trusted = 4 << 20 // memory that is taken before the bytes have come
	var b bytes.Buffer
	b.Grow(bytes.MinRead + int(max(0, min(announced, limit, trusted))))
	_, err := b.ReadFrom(io.LimitReader(r, limit+1))
	if body := b.Bytes(); int64(len(body)) > limit {
		return body[:limit], errTooLarge
	}
	return b.Bytes(), err
}

// idleTimeoutBody cancels the request if its body makes no progress. Only the
// time within Read counts, not that of a slow caller.
type idleTimeoutBody struct {
	io.ReadCloser
	cancel context.CancelCauseFunc
	timer  *time.Timer
	silent atomic.Bool
	idle   time.Duration
	left   time.Duration // of idle, for the next minProgress bytes
	got    int           // bytes of them
}

func newIdleTimeoutBody(body io.ReadCloser, idle time.Duration, cancel context.CancelCauseFunc) *idleTimeoutBody {
	b := &idleTimeoutBody{ReadCloser: body, cancel: cancel, idle: idle, left: idle}
	b.timer = time.AfterFunc(idle, func() {
		b.silent.Store(true)
		cancel(errSilent)
	})
	b.timer.Stop()
	return b
}

// Read returns errSilent after the idle time-out.
func (b *idleTimeoutBody) Read(p []byte) (int, error) {
	start := time.Now()
	b.timer.Reset(b.left)
	n, err := b.ReadCloser.Read(p)
	b.timer.Stop()
	b.left = max(b.left-time.Since(start), 0)
	if b.got += n; b.got >= minProgress {
		b.left, b.got = b.idle, 0
	}
	if err != nil && err != io.EOF && b.silent.Load() {
		err = errSilent
	}
	return n, err
}

// Close closes the body and cancels the request.
func (b *idleTimeoutBody) Close() error {
	b.timer.Stop()
	err := b.ReadCloser.Close()
	b.cancel(nil)
	return err
}
