package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"ativa/internal/api"
	"ativa/internal/failure"
	"ativa/internal/lang"
)

// NewIdempotencyKey returns a new value for Idempotency-Key: 130 random bits.
func NewIdempotencyKey() string { return rand.Text() }

// MayHaveEffect reports whether the write that failed with err, or an earlier attempt of it, may
// have been executed by the server. It is false for the error of a read.
func MayHaveEffect(err error) bool { return *unknownOf(err) }

// WithoutDoubt returns err without what it says of [MayHaveEffect], for a message about the
// connection alone.
func WithoutDoubt(err error) error {
	if e, ok := errors.AsType[*UnavailableError](err); ok {
		certain := *e
		certain.Unknown, err = false, &certain
	}
	if e, ok := errors.AsType[*Error](err); ok {
		certain := *e
		certain.Unknown, err = false, &certain
	}
	return err
}

// unknownOf returns the field Unknown of an error, or of none.
func unknownOf(err error) *bool {
	if e, ok := errors.AsType[*UnavailableError](err); ok {
		return &e.Unknown
	}
	if e, ok := errors.AsType[*UnexpectedResponseError](err); ok {
		return &e.Unknown
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return &e.Unknown
	}
	return new(bool)
}

// Accepted returns the error of a read that follows a write which the server has accepted.
func Accepted(err error) error {
	o := failure.OutcomeOf(err)
	return &failure.Failure{Exit: o.Exit, Code: o.Code, Hint: o.Hint, Message: lang.Msg("accepted, but the result could not be read"), Err: err}
}

// write makes a call that changes something, with body as JSON unless it is nil.
// The result is detailed if the response has all of the named fields.
func write[T any](ctx context.Context, c *Client, cl call, body any, key string, fields ...string) (WriteResult[T], error) {
	if body != nil {
		b, err := api.Marshal(body)
		if err != nil {
			return WriteResult[T]{}, err
		}
		cl.body = b
	}
	if !cl.readOnly {
		cl.idempotencyKey = cmp.Or(key, NewIdempotencyKey())
	}
	a, err := c.do(ctx, cl)
	if e, ok := errors.AsType[*Error](err); ok && e.Code == api.CodeBatchFailed {
		// Every element failed, and the body has the result of each, like a
		// success.
		if out, err := decodeWrite[T](cl, response{status: e.Status, header: e.header, body: e.Body, fields: readTopLevelFields(e.Body)}, fields...); err == nil && out.Detailed {
			return out, nil
		}
	}
	if err != nil {
		return WriteResult[T]{}, err
	}
	return decodeWrite[T](cl, a, fields...)
}

// Request is any request to the server.
type Request struct {
	Method string
	// Path is escaped, relative to the base URL, and begins with a slash. It may
	// contain a query.
	Path string
	Body []byte
}

// Response is the response to a Request, whatever its status.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Do sends the request with the bearer, the retries and the limits of every
// other call. It returns a response other than 2xx together with an *Error.
func (c *Client) Do(ctx context.Context, r Request) (Response, error) {
	path, query, _ := strings.Cut(r.Path, "?")
	values, err := url.ParseQuery(query)
	if err != nil || !strings.HasPrefix(path, "/") {
		return Response{}, wrongPath()
	}
	cl := call{method: r.Method, route: maskPath(path), path: path, query: values, body: r.Body}
	if !cl.isReadOnly() {
		cl.idempotencyKey = NewIdempotencyKey()
	}
	a, err := c.do(ctx, cl)
	if e, ok := errors.AsType[*Error](err); ok {
		return Response{e.Status, e.header, e.Body}, err
	}
	return Response{a.status, a.header, a.body}, err
}
