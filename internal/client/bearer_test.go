package client_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/client"
)

// signIn responds to /authenticate with a bearer; described holds members about the access token.
func signIn(bearer, described string) http.HandlerFunc {
	return answer(200, `{"authorization":{"token":"`+bearer+`","expires_in":60`+described+`}}`)
}

func TestExpiredBearerIsRenewedOncePerCall(t *testing.T) {
	for _, c := range []struct {
		name     string
		accepted string
		refusal  string
		requests int // with those for a bearer
		kind     client.ErrorKind
		ok       bool
	}{
		{"the new one is taken", "Bearer bearer-2", `{"code":"token_expired"}`, 4, 0, true},
		{"the new one is refused too", "Bearer other", `{"code":"token_expired"}`, 4, client.KindAuth, false},
		{"a web page renews nothing", "Bearer bearer-2", "<html>", 2, client.KindUnavailable, false},
	} {
		deletion := func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != c.accepted {
				respond(w, 401, c.refusal)
				return
			}
			respond(w, 200, `{"response":"success"}`)
		}
		steps := []http.HandlerFunc{signIn("bearer-1", ""), deletion, signIn("bearer-2", ""), deletion}
		s := &responseScript{steps: steps}
		_, err := signingIn(t, s, client.Options{}).DeleteSubscriber(t.Context(), "52998224725", "")
		if (err == nil) != c.ok || client.KindOf(err) != c.kind || len(s.keys) != c.requests {
			t.Errorf("%s: got %v after %d requests, want ok %t after %d", c.name, err, len(s.keys), c.ok, c.requests)
		}
	}
}

func TestAuthenticateDistinguishesWrongTokenAndServer(t *testing.T) {
	for _, c := range []struct {
		name  string
		kind  client.ErrorKind
		steps []http.HandlerFunc // one for each request
	}{
		{"wrong token", client.KindAuth, []http.HandlerFunc{answer(401, `{"code":"invalid_access_token"}`)}},
		{"wrong token as a wrong field", client.KindAuth, []http.HandlerFunc{
			answer(422, `{"message":"The given data was invalid.","errors":{"access_token":["unknown"]}}`)}},
		{"no such path in either form", client.KindNotFound, []http.HandlerFunc{http.NotFound, http.NotFound}},
		{"no token in the answer", client.KindUnexpected, []http.HandlerFunc{answer(200, `{}`)}},
		{"a web page", client.KindUnavailable, []http.HandlerFunc{answer(200, "<html>")}},
		{"a web page to sign in", client.KindUnavailable, []http.HandlerFunc{answer(401, "<html>")}},
		{"wrong token under /api", client.KindAuth, []http.HandlerFunc{http.NotFound, answer(401, `{}`)}},
	} {
		s := &responseScript{steps: c.steps}
		_, err := apitest.Serve(t, s, client.Options{Retry: apitest.Once()}).Authenticate(t.Context(), "canary")
		if err == nil || client.KindOf(err) != c.kind || len(s.keys) != len(c.steps) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: got %v after %d requests, want kind %d after %d", c.name, err, len(s.keys), c.kind, len(c.steps))
		}
	}
}

func TestBothFormsOfTheBaseURLAreTried(t *testing.T) {
	for _, c := range []struct{ served, given, want string }{
		{"/authenticate", "", ""}, {"/authenticate", "/api", ""}, {"/api/authenticate", "", "/api"}, {"/authenticate", "/v1", "404"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != c.served {
				http.NotFound(w, r)
				return
			}
			respond(w, 200, `{"authorization":{"token":"t","expires_in":"3600"}}`)
		}))
		defer server.Close()
		got, err := apitest.Client(t, client.Options{Server: server.URL + c.given}).Authenticate(t.Context(), "x")
		if e, ok := errors.AsType[*client.Error](err); ok {
			got.Base = server.URL + strconv.Itoa(e.Status)
		}
		if got.Base != server.URL+c.want || err == nil && got.ExpiresAt.Sub(got.IssuedAt) != time.Hour {
			t.Errorf("%s%s: got %+v, %v; want %q for an hour", c.served, c.given, got, err, c.want)
		}
	}
}

// The description of the access token is read if its members have the expected meaning; nothing in
// it prevents a login.
func TestAuthenticateDescribesTheAccessToken(t *testing.T) {
	for _, c := range []struct{ name, members, want string }{
		{"all", `"name":"painel","scopes":["read","cancel"],"access_token_expires_at":"2027-01-31T12:00:00.000000Z"`, "painel [read cancel] 2027-01-31T12:00:00.000000Z"},
		{"no expiry", `"name":"painel","scopes":["read"],"access_token_expires_at":null`, "painel [read] "},
		{"nothing", `"type":"bearer"`, " [] "},
		{"a name and no scopes", `"name":"painel"`, " [] "},
		{"other kinds", `"name":{"first":"A"},"scopes":["read"],"access_token_expires_at":{"in":5}`, " [read] "},
	} {
		cl := apitest.Serve(t, signIn("b", ","+c.members), client.Options{})
		a, err := cl.Authenticate(t.Context(), "access")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := fmt.Sprint(a.AccessToken.Name, " ", a.AccessToken.Scopes, " ", a.AccessToken.ExpiresAt); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// Before a renewal the scopes of a token that may only read are unknown.
func TestMissingScopeIsNamedAndNotRetried(t *testing.T) {
	described := signIn("b", `,"name":"painel","scopes":["read"]`)
	refusal := answer(403, `{"code":"insufficient_scope","required_scope":"cancel"}`,
		api.HeaderExtensions, api.ExtIdempotency)
	s := &responseScript{steps: []http.HandlerFunc{described, described, described, refusal}}
	cl := signingIn(t, s, client.Options{})
	if known, err := cl.AccessToken(t.Context()); err != nil || known.Name != "painel" {
		t.Errorf("got %+v, %v", known, err)
	}
	_, err := cl.DeleteSubscriber(t.Context(), "52998224725", "")
	e, ok := errors.AsType[*client.Error](err)
	if !ok || e.MissingScope() != api.ScopeCancel || e.AccessToken == nil || e.AccessToken.Name != "painel" || len(s.keys) != 4 {
		t.Errorf("got %+v after %d requests", err, len(s.keys))
	}
	if client.MayHaveEffect(err) || client.KindOf(err) != client.KindAuth {
		t.Errorf("may have effect %t, kind %v", client.MayHaveEffect(err), client.KindOf(err))
	}
}
