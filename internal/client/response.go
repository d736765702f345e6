package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

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
		return &UnexpectedResponseError{Route: cl.name(), Err: explainMarkup(a.body, err)}
	}
	return nil
}

// explainMarkup replaces the error of a response that is a web page by one that says so.
func explainMarkup(body []byte, err error) error {
	if isMarkup(body) {
		return ErrWebPage
	}
	return err
}

// isMarkup reports whether a body begins with markup, whatever its media type.
func isMarkup(body []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) }

// checkWhole returns an error for a body that begins as a JSON object, array or string and is not one
// valid value: io.ErrUnexpectedEOF if its end is missing, as after a cut connection.
func checkWhole(body []byte) error {
	text := bytes.TrimSpace(body)
	if len(text) == 0 || bytes.IndexByte([]byte("{[\""), text[0]) < 0 {
		return nil
	}
	d := jsontext.NewDecoder(bytes.NewReader(text), lenient())
	for {
		if _, err := d.ReadValue(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// decodeWrite decodes the response to a write, which may be anything but markup: also an empty
// body and a bare word such as OK say that the write is done. The result is detailed if the body
// has all of the named fields, in our types.
func decodeWrite[T any](cl call, a response, fields ...string) (WriteResult[T], error) {
	var out WriteResult[T]
	if a.fields == nil {
		if err := checkWhole(a.body); err != nil || isMarkup(a.body) {
			return out, &UnexpectedResponseError{Route: cl.name(), Unknown: !cl.isReadOnly(), Err: cmp.Or[error](err, ErrWebPage)}
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
	if unmarshal(a.body, &value) == nil && (!some || elements.HasResults()) { // else the fields mean something else there
		out.Value, out.Detailed = value, true
	}
	return out, nil
}

// lenient returns the options to decode as encoding/json does: another server may write names in
// another case or twice, and text that is not UTF-8.
func lenient() jsonv2.Options {
	return jsonv2.JoinOptions(jsonv2.MatchCaseInsensitiveNames(true), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// unmarshal decodes large bodies, faster than encoding/json.
func unmarshal(body []byte, v any) error { return jsonv2.Unmarshal(body, v, lenient()) }

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
	if unmarshal(body, &h) != nil {
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

	// gatewayPage says what a web page with a status from 500 on means.
	gatewayPage constError = "a proxy or gateway in between answered with a web page in place of the server"
	// ErrWebPage is the cause of an UnexpectedResponseError for a web page.
	ErrWebPage constError = "a web page came in place of the answer; a proxy or the sign-in page of a network may be between, or this is not the address of the API"
)

// readAll reads up to limit bytes. If there are more, it returns these with errTooLarge. It uses
// at most 1.5 times the limit of memory. announced is the length according to the header, -1 if it
// is unknown.
func readAll(r io.Reader, limit, announced int64) ([]byte, error) {
	const trusted = 4 << 20 // memory allocated before the bytes arrive
	half, size := limit/2, min(max(announced, 0), limit, trusted)+bytes.MinRead
	var parts [][]byte
	for got := int64(0); got <= half; size = min(2*size, trusted) {
		part, err := fill(r, make([]byte, 0, min(size, half+1-got)))
		parts, got = append(parts, part), got+int64(len(part))
		switch {
		case err == nil:
		case len(parts) == 1:
			return part, withoutEOF(err)
		default:
			return slices.Concat(parts...), withoutEOF(err)
		}
	}
	body := make([]byte, 0, limit+1)
	for _, part := range parts {
		body = append(body, part...)
	}
	body, err := fill(r, body)
	if int64(len(body)) > limit {
		return body[:limit], errTooLarge
	}
	return body, withoutEOF(err)
}

// fill reads into b until it is full. If it returns less, the error is not nil.
func fill(r io.Reader, b []byte) ([]byte, error) {
	for len(b) < cap(b) {
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if err != nil && len(b) < cap(b) {
			return b, err
		}
	}
	return b, nil
}

func withoutEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
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
	got    int           // bytes received of these
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
