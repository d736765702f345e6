package server_test

import (
	"strings"
	"testing"

	"ativa/internal/api"
	"ativa/internal/service/domain"
)

// routeRequest is a request about subscriber 1. code is the error for a provider without that
// subscriber, or "".
type routeRequest struct{ path, body, code string }

// about returns the request about another subscriber.
func (r routeRequest) about(n int) routeRequest {
	return routeRequest{strings.ReplaceAll(r.path, doc(1), doc(n)), strings.ReplaceAll(r.body, doc(1), doc(n)), r.code}
}

// routeRequests has a request for every route with a bearer token.
func routeRequests() map[string]routeRequest {
	document := `{"document":"` + doc(1) + `"}`
	change := `{"product_id":2,"previous_product_id":1,"document":"` + doc(1) + `"}`
	return map[string]routeRequest{
		"GET /subscribers":                                    {"/subscribers", "", ""},
		"POST /subscribers":                                   {"/subscribers", subscriber(1), ""},
		"GET /subscribers/{document}":                         {"/subscribers/" + doc(1), "", "subscriber_not_found"},
		"PUT /subscribers/{document}":                         {"/subscribers/" + doc(1), `{"name":"Nova"}`, "subscriber_not_found"},
		"DELETE /subscribers/{document}":                      {"/subscribers/" + doc(1), "", "subscriber_not_found"},
		"GET /subscribers/search/{searchValue}":               {"/subscribers/search/" + doc(1), "", ""},
		"GET /subscribers/internet_speeds":                    {"/subscribers/internet_speeds", "", ""},
		"GET /subscribers/{document}/history":                 {"/subscribers/" + doc(1) + "/history", "", "subscriber_not_found"},
		"GET /subscribers/{document}/deliveries":              {"/subscribers/" + doc(1) + "/deliveries", "", "subscriber_not_found"},
		"POST /subscribers/import":                            {"/subscribers/import", rows(subscriber(1, "products_ids", "[1]")), ""},
		"POST /subscribers/import/validate":                   {"/subscribers/import/validate", rows(subscriber(1)), ""},
		"POST /subscribers/resend_activation_email":           {"/subscribers/resend_activation_email", document, "subscriber_not_found"},
		"POST /subscribers/resend_activation_email/{product}": {"/subscribers/resend_activation_email/1", document, "subscriber_not_found"},
		"POST /provision/activate":                            {"/provision/activate", batch(basic, 1), "subscriber_not_found"},
		"POST /provision/suspend":                             {"/provision/suspend", batch(basic, 1), "subscriber_not_found"},
		"POST /provision/deactivate":                          {"/provision/deactivate", batch(basic, 1), "subscriber_not_found"},
		"POST /provision/overdue":                             {"/provision/overdue", batch(basic, 1), "subscriber_not_found"},
		"POST /provision/settle":                              {"/provision/settle", batch(basic, 1), "subscriber_not_found"},
		"POST /provision/change":                              {"/provision/change", change, "subscriber_not_found"},
		"POST /provision/change/validate":                     {"/provision/change/validate", change, "subscriber_not_found"},
		"GET /provision/schedule":                             {"/provision/schedule?document=" + doc(1), "", "subscriber_not_found"},
		"POST /provision/schedule":                            {"/provision/schedule", scheduled("suspend", basic, laterOn, 1), "subscriber_not_found"},
		"POST /provision/schedule/validate":                   {"/provision/schedule/validate", scheduled("suspend", basic, laterOn, 1), "subscriber_not_found"},
		"DELETE /provision/schedule/{id}":                     {api.SchedulePath(domain.ScheduleID(1<<43 + 1).String()), "", "schedule_not_found"},
		"POST /provision/{operation}/validate":                {"/provision/activate/validate", batch(basic, 1), "subscriber_not_found"},
		"GET /products":                                       {"/products", "", ""},
		"GET /products/status":                                {"/products/status", "", ""},
		"GET /tokens":                                         {"/tokens", "", ""},
		"POST /tokens":                                        {"/tokens", `{"name":"x"}`, ""},
		"POST /tokens/{id}/rotate":                            {"/tokens/tok_1/rotate", "{}", "not_found"},
		"DELETE /tokens/{id}":                                 {"/tokens/tok_zz9", "", "not_found"},
		"GET /events":                                         {"/events", "", ""},
		"GET /reports/usage":                                  {"/reports/usage?from=2026-01-01&to=2026-01-31&detail=tokens", "", ""},
	}
}

func TestProvidersAreApart(t *testing.T) {
	t.Parallel()
	cases := routeRequests()
	f := newFixture(t)
	f.activate(1, basic)
	f.do("POST", "/provision/schedule", scheduled("suspend", basic, laterOn, 1)).want(200)
	before := f.do("GET", "/subscribers/"+doc(1), "").want(200)
	for _, r := range f.server.Routes() {
		name := r.Method + " " + r.Path
		c, covered := cases[name]
		if covered == r.Open {
			t.Errorf("%s: needs no bearer token: %t, has a case: %t", name, r.Open, covered)
		}
		if r.Open || !covered {
			continue
		}
		_, access := f.provider(domain.Provider{Name: name, Limit: 10}) // it has no subscribers
		got := f.do(r.Method, c.path, c.body, "Authorization: Bearer "+f.login(access))
		if c.code != "" && !strings.Contains(string(got.body), `"`+c.code+`"`) {
			t.Errorf("%s: got %d %s, want %s", name, got.status, got.body, c.code)
		}
		for _, secret := range []string{"subscriber_exists", `"result":"existing"`, "play-basic\",\"content_supplier_product_id"} {
			if strings.Contains(string(got.body), secret) {
				t.Errorf("%s: got %s, which reveals another provider's subscriber", name, got.body)
			}
		}
		if r.Method == "GET" && strings.Contains(string(got.body), doc(1)) {
			t.Errorf("%s: got %s, which holds another provider's subscriber", name, got.body)
		}
		if after := f.do("GET", "/subscribers/"+doc(1), ""); string(after.body) != string(before.body) {
			t.Errorf("%s: the stranger changed %s to %s", name, before.body, after.body)
		}
		f.do(r.Method, c.path, c.body, "Authorization").want(401, "token_missing")
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
	f.activate(1, basic)
	cases, before := routeRequests(), f.do("GET", "/subscribers/"+doc(1), "").want(200)
	for _, r := range f.server.Routes() {
		if r.Open {
			continue
		}
		name := r.Method + " " + r.Path
		if len(r.Scope.Names()) != 1 {
			t.Errorf("%s names the scopes %v, want one", name, r.Scope.Names())
			continue
		}
		for has, bearer := range bearers {
			bad := `{"` // refused if it is read
			got := f.do(r.Method, cases[name].path, bad, bearer)
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
			if after := f.do("GET", "/subscribers/"+doc(1), ""); string(after.body) != string(before.body) {
				t.Errorf("%s with %v: the subscriber changed", name, has.Names())
			}
		}
	}
}
