package client

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"ativa/internal/api"
	"ativa/internal/failure"
)

// call is one API call, which may take several attempts.
type call struct {
	method         string
	route          string // the path with its wildcards, for messages and traces
	path           string // the escaped path
	query          url.Values
	base           string // overrides the base URL of the bearer
	body           []byte
	idempotencyKey string
	readOnly       bool // marks a POST without effect
	withoutBearer  bool // marks a call that needs no bearer
}

// callTo returns a call without a query; path is the route with its wildcards replaced.
func callTo(method, route, path string) call {
	return call{method: method, route: route, path: path, query: url.Values{}}
}

// get is a GET of a path without wildcards, post a POST, dryRun a POST without effect.
func get(path string) call  { return callTo(http.MethodGet, path, path) }
func post(path string) call { return callTo(http.MethodPost, path, path) }
func dryRun(path string) call {
	cl := post(path)
	cl.readOnly = true
	return cl
}

func (cl call) name() string { return cl.method + " " + cl.route }

// isReadOnly reports whether the call changes nothing on the server.
func (cl call) isReadOnly() bool {
	return cl.readOnly || cl.method == http.MethodGet || cl.method == http.MethodHead
}

// unavailable returns the error of a call that was sent and got no complete
// response.
func (cl call) unavailable(err error) *UnavailableError {
	return &UnavailableError{Route: cl.name(), Sent: true, Unknown: !cl.isReadOnly(), Err: err}
}

// response is a complete 2xx response.
type response struct {
	status int
	header http.Header
	body   []byte
	fields topLevelFields
}

// do makes the call, with retries where these are safe, and reads the response.
func (c *Client) do(ctx context.Context, cl call) (response, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.options.Timeout, errTimeout)
	defer cancel()
	return retry(ctx, c, cl, func() (response, error) {
		res, err := c.sendAuthorized(ctx, cl)
		if err != nil {
			return response{}, err
		}
		defer res.Body.Close()
		body, err := readAll(res.Body, c.options.MaxBody, res.ContentLength)
		if errors.Is(err, errTooLarge) {
			return response{}, &UnexpectedResponseError{Route: cl.name(), Unknown: !cl.isReadOnly(), Err: err}
		}
		if err != nil {
			return response{}, cl.unavailable(contextCause(ctx, err))
		}
		body = bytes.TrimPrefix(body, []byte("\ufeff"))
		a := response{status: res.StatusCode, header: res.Header, body: body, fields: readTopLevelFields(body)}
		if a.fields == nil && errors.Is(checkWhole(body), io.ErrUnexpectedEOF) {
			return response{}, cl.unavailable(io.ErrUnexpectedEOF)
		}
		if a.fields.isRefusal() {
			return response{}, newError(cl, a.status, a.header, a.body)
		}
		return a, nil
	})
}

// stream makes the call and returns the body of the response, which the caller
// closes. Timeout and retries apply only until the header of the response.
func (c *Client) stream(ctx context.Context, cl call) (io.ReadCloser, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	limit := time.AfterFunc(c.options.Timeout, func() { cancel(errTimeout) })
	body, err := retry(ctx, c, cl, func() (io.ReadCloser, error) {
		res, err := c.sendAuthorized(ctx, cl)
		if err != nil {
			return nil, err
		}
		return res.Body, nil
	})
	if !limit.Stop() && err == nil {
		body.Close()
		err = cl.unavailable(errTimeout)
	}
	if err != nil {
		cancel(nil)
		return nil, err
	}
	return &streamBody{body, cancel}, nil
}

// streamBody cancels the context of its request when it is closed.
type streamBody struct {
	io.ReadCloser
	cancel context.CancelCauseFunc
}

// Close closes the body and cancels the request.
func (b *streamBody) Close() error {
	defer b.cancel(nil)
	return b.ReadCloser.Close()
}

// sendAuthorized makes one attempt with a bearer, and another with a new bearer
// if the server refused the first. The response is a 2xx.
func (c *Client) sendAuthorized(ctx context.Context, cl call) (*http.Response, error) {
	bearer, err := c.bearer(ctx, cl)
	if err != nil {
		return nil, err
	}
	res, err := c.send(ctx, cl, bearer)
	if e, ok := errors.AsType[*Error](err); ok && e.Status == http.StatusUnauthorized && !e.isForeign() && bearer.Token != "" {
		if bearer, err = c.tokens.Renew(ctx, bearer.Token); err != nil {
			return nil, asTokenError(err)
		}
		res, err = c.send(ctx, cl, bearer)
	}
	if e, ok := errors.AsType[*Error](err); ok && e.MissingScope() != "" {
		e.AccessToken = bearer.AccessToken
	}
	return res, err
}

func (c *Client) bearer(ctx context.Context, cl call) (api.Bearer, error) {
	if cl.withoutBearer || c.tokens == nil {
		return api.Bearer{}, nil
	}
	b, err := c.tokens.Bearer(ctx)
	return b, asTokenError(err)
}

// tokenError marks an error of the TokenSource. It is not retried, because the
// TokenSource has made its own retries.
type tokenError struct{ err error }

func (e *tokenError) Error() string { return e.err.Error() }

func asTokenError(err error) error {
	if err == nil {
		return nil
	}
	return &tokenError{err}
}

// send sends the request once. The idle time-out applies to the body of the
// response. It reads a response other than 2xx and returns it as *Error.
func (c *Client) send(ctx context.Context, cl call, bearer api.Bearer) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	var connected atomic.Bool
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	})
	req, err := c.newRequest(traced, cl, bearer)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	c.trace("> %s %s://%s%s", cl.method, req.URL.Scheme, req.URL.Host, cl.route)
	began := time.Now()
	res, err := c.http.Do(req)
	if err != nil {
		err = contextCause(ctx, withoutURL(err))
		switch {
		case !connected.Load():
			err = c.explainProxy(req, err)
		case ctx.Err() == nil && isTimeout(err):
			err = errSilent // clearer than the error of net/http
		}
		lost := cl.unavailable(err)
		lost.Sent, lost.Unknown = connected.Load(), lost.Unknown && connected.Load()
		err = lost
		c.trace("! %v after %v", err, time.Since(began).Round(time.Millisecond))
		cancel(nil)
		return nil, err
	}
	id := ""
	if sent := res.Header.Get(api.HeaderRequestID); sent != "" {
		id = " request " + sent
	}
	c.trace("< %d after %v%s", res.StatusCode, time.Since(began).Round(time.Millisecond), id)
	c.answered.Store(true)
	c.extensions.record(res.Header)
	c.noteDate(res.Header.Get("Date"), began, time.Now())
	res.Body = newIdleTimeoutBody(res.Body, c.options.IdleTimeout, cancel)
	if res.StatusCode >= 200 && res.StatusCode < 300 {
		return res, nil
	}
	defer res.Body.Close()
	body, _ := readAll(res.Body, maxErrorBody, res.ContentLength) // the status is enough
	e := newError(cl, res.StatusCode, res.Header, body)
	if to, err := res.Location(); err == nil && e.Code == CodeRedirect {
		e.Location = to.Scheme + "://" + to.Host
	}
	return nil, e
}

func (c *Client) newRequest(ctx context.Context, cl call, bearer api.Bearer) (*http.Request, error) {
	u, err := c.url(cl, bearer)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, cl.method, u.String(), bytes.NewReader(cl.body))
	if err != nil {
		return nil, wrongPath()
	}
	for name, value := range c.options.Headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Accept", api.MediaJSON)
	req.Header.Set("User-Agent", c.options.UserAgent)
	if cl.body != nil {
		req.Header.Set("Content-Type", api.MediaJSON)
	}
	if cl.idempotencyKey != "" {
		// In its canonical spelling this header makes the transport repeat a write by
		// itself, also for a server that ignores it.
		req.Header[strings.ToLower(api.HeaderIdempotencyKey)] = []string{cl.idempotencyKey}
	}
	if bearer.Token != "" {
		req.Header.Set("Authorization", "Bearer "+bearer.Token)
	}
	return req, nil
}

// url joins the path to the base URL of the bearer, or of the client if it has none.
func (c *Client) url(cl call, bearer api.Bearer) (*url.URL, error) {
	base := cmp.Or(cl.base, bearer.Base, c.base.String())
	u, err := url.Parse(base + cl.path)
	if err != nil {
		return nil, wrongPath()
	}
	u.RawQuery = cl.query.Encode()
	return u, nil
}

// wrongPath returns the usage error of a path; only [Client.Do] takes one that a person typed.
func wrongPath() error {
	return failure.Usage("the path must look like /subscribers?name=value")
}

// withoutURL returns the cause of a *url.Error, whose URL may contain documents.
func withoutURL(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

// contextCause returns the cause of the context's end, or err if it has not
// ended. The transport's own error only says that it ended.
func contextCause(ctx context.Context, err error) error {
	if c := context.Cause(ctx); c != nil {
		return c
	}
	return err
}
