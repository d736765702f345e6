package server_test

import (
	"strings"
	"testing"

	"ativa/internal/api"
	"ativa/internal/api/apicheck"
	"ativa/internal/service/domain"
)

// examples returns the calls of the page by their routes.
func examples(t *testing.T) map[string]docCall {
	t.Helper()
	d, err := apicheck.Description()
	must(t, err)
	calls := map[string]docCall{}
	for _, c := range operations(d) {
		calls[c.Method+" "+c.Path] = c
	}
	return calls
}

func TestProvidersAreApart(t *testing.T) {
	t.Parallel()
	f, calls := newFixture(t), examples(t)
	variables := f.prepare(calls["DELETE /provision/schedule/{id}"])
	token, _ := f.createToken(domain.AccessToken{Name: "maria", Scopes: domain.ScopeRead})
	variables["TOKEN_ID"] = token.ID.String()
	before := f.do("GET", "/subscribers/"+ana, "").want(200)
	for name, call := range calls {
		if call.Scope() == "" {
			continue
		}
		target, body := f.example(call, variables)
		_, access := f.provider(domain.Provider{Name: name, Limit: 10}) // it has no subscribers
		got := f.do(call.Method, target, body, "Authorization: Bearer "+f.login(access))
		code := map[string]string{
			"POST /subscribers": "", "POST /subscribers/import": "", "POST /subscribers/import/validate": "",
			"DELETE /provision/schedule/{id}": "schedule_not_found", "POST /tokens/{id}/rotate": "not_found", "DELETE /tokens/{id}": "not_found",
		}
		want, special := code[name]
		if !special && strings.Contains(target+body, ana) {
			want = "subscriber_not_found"
		}
		if !strings.Contains(string(got.body), want) {
			t.Errorf("%s: got %d %s, want %s", name, got.status, got.body, want)
		}
		for _, secret := range []string{"subscriber_exists", `"result":"existing"`, "play-basic\",\"content_supplier_product_id"} {
			if strings.Contains(string(got.body), secret) {
				t.Errorf("%s: got %s, which reveals another provider's subscriber", name, got.body)
			}
		}
		if call.Method == "GET" && strings.Contains(string(got.body), ana) {
			t.Errorf("%s: got %s, which holds another provider's subscriber", name, got.body)
		}
		if after := f.do("GET", "/subscribers/"+ana, ""); string(after.body) != string(before.body) {
			t.Errorf("%s: the stranger changed %s to %s", name, before.body, after.body)
		}
		f.do(call.Method, target, body, "Authorization").want(401, "token_missing")
	}
}

// A request without the scope of its route is refused before its body or a stored response is read
// (decisions.md 11). Each route that is not open has one scope.
func TestEveryRouteAsksForItsScope(t *testing.T) {
	f := newParallelFixture(t)
	bearers := map[domain.Scopes]string{}
	for _, name := range domain.ScopeNames() {
		scope, _ := domain.ParseScopes([]string{name})
		bearers[scope] = f.token(name, scope)
	}
	f.activateAna()
	calls, none := examples(t), map[string]string{"ID": "sch_zz9", "TOKEN_ID": "tok_zz9"}
	before := f.do("GET", "/subscribers/"+ana, "").want(200)
	for _, r := range f.server.Routes() {
		if r.Open {
			continue
		}
		name := r.Method + " " + r.Path
		if len(r.Scope.Names()) != 1 {
			t.Errorf("%s names the scopes %v, want one", name, r.Scope.Names())
			continue
		}
		target, _ := f.example(calls[name], none)
		for has, bearer := range bearers {
			bad := `{"` // refused if it is read
			got := f.do(r.Method, target, bad, bearer)
			if has.Include(r.Scope) || has.Include(r.OrScope) {
				if got.status == 403 {
					t.Errorf("%s with %v: got %s, want it accepted", name, has.Names(), got.body)
				}
				if r.Method == "DELETE" { // it has no body
					continue
				}
			} else {
				needed := r.Scope.Names()[0]
				got.want(403, api.CodeInsufficientScope).has(map[string]string{"required_scope": needed})
				if challenge := got.header.Get("WWW-Authenticate"); challenge != `Bearer error="insufficient_scope", scope="`+needed+`"` {
					t.Errorf("%s with %v: got the challenge %s", name, has.Names(), challenge)
				}
			}
			if after := f.do("GET", "/subscribers/"+ana, ""); string(after.body) != string(before.body) {
				t.Errorf("%s with %v: the subscriber changed", name, has.Names())
			}
		}
	}
}
