package client

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
)

// Request is any request to the server.
type Request struct {
	Method string
	// Path is escaped, relative to the base URL, and begins with a slash. It may
	// contain a query.
	Path   string
	Body   []byte
	Header http.Header
	// Key is the Idempotency-Key. If it is empty, every method but GET and HEAD
	// gets a new one.
	Key string
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
		return Response{}, &OptionError{Option: "path", Reason: "must look like /subscribers?name=value"}
	}
	read := r.Method == http.MethodGet || r.Method == http.MethodHead
	cl := call{
		method: r.Method, route: maskPath(path), path: path, query: values,
		body: r.Body, header: r.Header, readOnly: read, idempotencyKey: r.Key,
	}
	if !read && cl.idempotencyKey == "" {
		cl.idempotencyKey = NewIdempotencyKey()
	}
	a, err := c.do(ctx, cl)
	if e, ok := errors.AsType[*Error](err); ok {
		return Response{e.Status, e.header, e.Body}, err
	}
	return Response{a.status, a.header, a.body}, err
}
