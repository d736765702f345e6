package client_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"ativa/internal/client"
)

// renewableToken returns bearer-1, and bearer-2 after a renewal.
type renewableToken struct{ renewed atomic.Int32 }

func (r *renewableToken) Bearer(context.Context) (client.Bearer, error) {
	if r.renewed.Load() > 0 {
		return client.Bearer{Token: "bearer-2"}, nil
	}
	return client.Bearer{Token: "bearer-1"}, nil
}

func (r *renewableToken) Renew(_ context.Context, old string) (client.Bearer, error) {
	if old == "bearer-1" {
		r.renewed.Add(1)
	}
	return client.Bearer{Token: "bearer-2"}, nil
}

func TestExpiredBearerIsRenewedOncePerCall(t *testing.T) {
	for _, c := range []struct {
		name     string
		accepted string
		requests int32
		kind     client.ErrorKind
		ok       bool
	}{
		{"the new one is taken", "Bearer bearer-2", 2, 0, true},
		{"the new one is refused too", "Bearer other", 2, client.KindAuth, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var requests atomic.Int32
			cl := serveTCP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				if r.Header.Get("Authorization") != c.accepted {
					respond(w, 401, `{"code":"token_expired"}`)
					return
				}
				respond(w, 200, `{"response":"success"}`)
			}), client.Options{Tokens: &renewableToken{}})
			_, err := cl.DeleteSubscriber(t.Context(), "52998224725", "")
			if (err == nil) != c.ok || client.KindOf(err) != c.kind || requests.Load() != c.requests {
				t.Errorf("got %v after %d requests, want ok %t after %d", err, requests.Load(), c.ok, c.requests)
			}
		})
	}
}

func TestClientIsSafeForConcurrentUse(t *testing.T) {
	cl := serveTCP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer bearer-1" {
			respond(w, 401, `{}`)
			return
		}
		w.Header().Set("Ativa-Extensions", "validate,events")
		respond(w, 200, `{"status":[{"id":1,"name":"active"}]}`)
	}), client.Options{Tokens: &renewableToken{}, Trace: &strings.Builder{}})
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			if got, err := cl.Statuses(t.Context()); err != nil || len(got) != 1 {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
	group.Wait()
}

func TestAuthenticateTellsWrongTokenFromWrongServer(t *testing.T) {
	for _, c := range []struct {
		name string
		h    http.HandlerFunc
		kind client.ErrorKind
		asks int32
	}{
		{"wrong token", func(w http.ResponseWriter, _ *http.Request) {
			respond(w, 401, `{"code":"invalid_access_token"}`)
		}, client.KindAuth, 1},
		{"wrong token as a bad request", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(400) }, client.KindAuth, 1},
		{"wrong token as a wrong field", func(w http.ResponseWriter, _ *http.Request) {
			respond(w, 422, `{"message":"The given data was invalid.","errors":{"access_token":["unknown"]}}`)
		}, client.KindAuth, 1},
		{"no such path in either form", http.NotFound, client.KindNotFound, 2},
		{"no token in the answer", func(w http.ResponseWriter, _ *http.Request) { respond(w, 200, `{}`) }, client.KindUnexpected, 1},
		{"a web page", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }, client.KindUnexpected, 1},
		{"nothing", func(http.ResponseWriter, *http.Request) {}, client.KindUnexpected, 1},
		{"wrong token under /api", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/api/authenticate" {
				http.NotFound(w, r)
				return
			}
			respond(w, 401, `{}`)
		}, client.KindAuth, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			var asks atomic.Int32
			cl := serveTCP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asks.Add(1)
				if r.Header.Get("Authorization") != "" {
					t.Error("/authenticate got a bearer")
				}
				c.h(w, r)
			}), client.Options{Retry: noRetry()})
			_, err := cl.Authenticate(t.Context(), "canary")
			if err == nil || client.KindOf(err) != c.kind || asks.Load() != c.asks || strings.Contains(err.Error(), "canary") {
				t.Errorf("got %v after %d requests, want kind %d after %d", err, asks.Load(), c.kind, c.asks)
			}
		})
	}
}

func TestServerWithAPIIsAskedWithoutToo(t *testing.T) {
	server := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/authenticate" {
			http.NotFound(w, r)
			return
		}
		respond(w, 200, `{"authorization":{"token":"t"}}`)
	})
	var o client.Options
	probe := serveTCP(t, server, o)
	first, err := probe.Authenticate(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	o.Server = first.Base + "/api"
	got, err := newClient(t, o).Authenticate(t.Context(), "x")
	if err != nil || got.Base != first.Base {
		t.Errorf("got %q, %v; want %q", got.Base, err, first.Base)
	}
	o.Server = first.Base + "/v1"
	_, err = newClient(t, o).Authenticate(t.Context(), "x")
	if e, ok := errors.AsType[*client.Error](err); !ok || e.Status != 404 {
		t.Errorf("/v1: got %v, want 404", err)
	}
}
