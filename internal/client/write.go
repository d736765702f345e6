package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"

	"ativa/internal/api"
)

// NewIdempotencyKey returns a new value for Idempotency-Key: 130 random bits.
func NewIdempotencyKey() string { return rand.Text() }

// MayHaveEffect reports whether the write that failed with err may have been
// executed by the server.
func MayHaveEffect(err error) bool {
	if e, ok := errors.AsType[*UnavailableError](err); ok {
		return e.Unknown
	}
	if _, ok := errors.AsType[*UnexpectedResponseError](err); ok {
		return true
	}
	e, ok := errors.AsType[*Error](err)
	return ok && (e.Status == http.StatusRequestTimeout || e.Status >= http.StatusInternalServerError)
}

// write makes a call that changes something, with body as JSON unless it is nil.
// The result is detailed if the response has all of the named fields.
func write[T any](ctx context.Context, c *Client, cl call, body any, key string, fields ...string) (WriteResult[T], error) {
	if body != nil {
		b, err := json.Marshal(body)
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
		// Every element failed, and the body has the result of each, as that of
		// a success has.
		if out, err := decodeWrite[T](cl, response{e.Status, e.header, e.Body, readTopLevelFields(e.Body)}, fields...); err == nil && out.Detailed {
			return out, nil
		}
	}
	if err != nil {
		return WriteResult[T]{}, err
	}
	return decodeWrite[T](cl, a, fields...)
}
