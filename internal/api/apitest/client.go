package apitest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"ativa/internal/api"
	"ativa/internal/client"
)

// Token is a source of tokens that always returns the same bearer.
type Token string

// Bearer implements [client.TokenSource].
func (s Token) Bearer(context.Context) (api.Bearer, error) { return api.Bearer{Token: string(s)}, nil }

// Renew implements [client.TokenSource].
func (s Token) Renew(ctx context.Context, _ string) (api.Bearer, error) { return s.Bearer(ctx) }

// Serve serves a handler on a socket until the test ends, and returns a client of it.
func Serve(t testing.TB, h http.Handler, o client.Options) *client.Client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	o.Server = server.URL
	if s, ok := h.(*Server); ok {
		o.Transport = func(network *http.Transport) http.RoundTripper { return afterHandler{network, s} }
	}
	return Client(t, o)
}

// Client returns a client that is closed when the test ends.
func Client(t testing.TB, o client.Options) *client.Client {
	t.Helper()
	if o.Tokens == nil {
		o.Tokens = Token("bearer-1")
	}
	c, err := client.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// Once is the policy of a client that repeats nothing.
func Once() client.RetryPolicy { return client.RetryPolicy{MaxAttempts: 1} }

// afterHandler waits for the handler of a request before it returns the response. Without the lock
// the race detector does not know that the handler of an aborted request has ended.
type afterHandler struct {
	http.RoundTripper
	server *Server
}

func (a afterHandler) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := a.RoundTripper.RoundTrip(r)
	a.server.Lock()
	defer a.server.Unlock()
	return response, err
}
