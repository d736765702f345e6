package server_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"ativa/internal/api"
	"ativa/internal/service/domain"
)

// foreignRequests has, for every route with a bearer token, a request for the
// data of another provider and the code of the error, if there is one.
func foreignRequests() map[string]struct{ path, body, code string } {
	document := `"` + doc(1) + `"`
	return map[string]struct{ path, body, code string }{
		"GET /subscribers":                                    {"/subscribers", "", ""},
		"POST /subscribers":                                   {"/subscribers", subscriber(1), ""},
		"GET /subscribers/{document}":                         {"/subscribers/" + doc(1), "", "subscriber_not_found"},
		"PUT /subscribers/{document}":                         {"/subscribers/" + doc(1), `{"name":"Nova"}`, "subscriber_not_found"},
		"DELETE /subscribers/{document}":                      {"/subscribers/" + doc(1), "", "subscriber_not_found"},
		"GET /subscribers/search/{searchValue}":               {"/subscribers/search/" + doc(1), "", ""},
		"GET /subscribers/internet_speeds":                    {"/subscribers/internet_speeds", "", ""},
		"GET /subscribers/{document}/history":                 {"/subscribers/" + doc(1) + "/history", "", "subscriber_not_found"},
		"GET /subscribers/{document}/deliveries":              {"/subscribers/" + doc(1) + "/deliveries", "", "subscriber_not_found"},
		"POST /subscribers/import":                            {"/subscribers/import", rows(subscriber(1)), ""},
		"POST /subscribers/import/validate":                   {"/subscribers/import/validate", rows(subscriber(1)), ""},
		"POST /subscribers/resend_activation_email":           {"/subscribers/resend_activation_email", `{"document":` + document + `}`, "subscriber_not_found"},
		"POST /subscribers/resend_activation_email/{product}": {"/subscribers/resend_activation_email/1", `{"document":` + document + `}`, "subscriber_not_found"},
		"POST /provision/activate":                            {"/provision/activate", batch(basic, 1), "subscriber_not_found"},
		"POST /provision/suspend":                             {"/provision/suspend", batch(basic, 1), "subscriber_not_found"},
		"POST /provision/deactivate":                          {"/provision/deactivate", batch(basic, 1), "subscriber_not_found"},
		"POST /provision/overdue":                             {"/provision/overdue", batch(basic, 1), "subscriber_not_found"},
		"POST /provision/settle":                              {"/provision/settle", batch(basic, 1), "subscriber_not_found"},
		"POST /provision/change": {"/provision/change", `{"product_id":2,"previous_product_id":1,"document":` + document + `}`,
			"subscriber_not_found"},
		"POST /provision/change/validate": {"/provision/change/validate", `{"product_id":2,"previous_product_id":1,"document":` + document + `}`,
			"subscriber_not_found"},
		"GET /provision/schedule":              {"/provision/schedule?document=" + doc(1), "", "subscriber_not_found"},
		"POST /provision/schedule":             {"/provision/schedule", scheduled("suspend", basic, laterOn, 1), "subscriber_not_found"},
		"POST /provision/schedule/validate":    {"/provision/schedule/validate", scheduled("suspend", basic, laterOn, 1), "subscriber_not_found"},
		"DELETE /provision/schedule/{id}":      {"/provision/schedule/sch_1", "", "schedule_not_found"},
		"POST /provision/{operation}/validate": {"/provision/activate/validate", batch(basic, 1), "subscriber_not_found"},
		"GET /products":                        {"/products", "", ""},
		"GET /products/status":                 {"/products/status", "", ""},
		"GET /tokens":                          {"/tokens", "", ""},
		"POST /tokens":                         {"/tokens", `{"name":"x"}`, ""},
		"POST /tokens/{id}/rotate":             {"/tokens/tok_1/rotate", "{}", "not_found"},
		"DELETE /tokens/{id}":                  {"/tokens/tok_zz9", "", "not_found"},
		"GET /events":                          {"/events", "", ""},
		"GET /reports/usage":                   {"/reports/usage?from=2026-01-01&to=2026-01-31&detail=tokens", "", ""},
	}
}

func TestProvidersAreApart(t *testing.T) {
	t.Parallel()
	cases := foreignRequests()
	for _, r := range newFixture(t).server.Routes() {
		name := r.Method + " " + r.Path
		c, covered := cases[name]
		if covered == r.Open {
			t.Errorf("%s: needs no bearer token: %t, has a case: %t", name, r.Open, covered)
			continue
		}
		if r.Open {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.activate(1, basic)
			before := f.do("GET", "/subscribers/"+doc(1), "").want(200)
			_, access := f.provider(domain.Provider{Name: "Outro", Limit: 10})
			stranger := "Authorization: Bearer " + f.login(access)
			got := f.do(r.Method, c.path, c.body, stranger)
			if c.code != "" && !strings.Contains(string(got.body), `"`+c.code+`"`) {
				t.Errorf("got %d %s, want %s", got.status, got.body, c.code)
			}
			for _, secret := range []string{"subscriber_exists", `"result":"existing"`, "play-basic\",\"content_supplier_product_id"} {
				if strings.Contains(string(got.body), secret) {
					t.Errorf("got %s, which tells of another provider's subscriber", got.body)
				}
			}
			if r.Method == "GET" && strings.Contains(string(got.body), doc(1)) {
				t.Errorf("got %s, which holds another provider's subscriber", got.body)
			}
			if after := f.do("GET", "/subscribers/"+doc(1), ""); string(after.body) != string(before.body) {
				t.Errorf("the stranger changed %s to %s", before.body, after.body)
			}
			f.do(r.Method, c.path, c.body, "Authorization").want(401, "token_missing")
		})
	}
}

// Every route with every scope: the scope of the route alone lets a request in, and
// without it nothing is read, neither the body nor a stored response, and nothing
// is done (decisions.md 11). A route that names no scope fails.
func TestEveryRouteAsksForItsScope(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	bearers := map[domain.Scopes]string{}
	for _, name := range domain.ScopeNames() {
		scope, _, _ := domain.ParseScopes([]string{name})
		_, secret, err := f.m.CreateToken(t.Context(), domain.Caller{Provider: f.p.ID}, domain.AccessToken{Name: name, Scopes: scope})
		f.must(err)
		bearers[scope] = f.login(secret)
	}
	f.activate(1, basic)
	cases := foreignRequests()
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
			before := f.do("GET", "/subscribers/"+doc(1), "").want(200)
			bad := `{"` // what is read is refused
			got := f.do(r.Method, cases[name].path, bad, "Authorization: Bearer "+bearer)
			if has.Include(r.Scope) || has.Include(r.OrScope) {
				if got.status == 403 {
					t.Errorf("%s with %v: got %s, want it let in", name, has.Names(), got.body)
				}
				if r.Method == "DELETE" { // which has no body
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

// A repetition gets the stored response only with a token that may do the write.
func TestAStoredResponseIsForATokenWithTheScope(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.activate(1, basic)
	_, secret, err := f.m.CreateToken(t.Context(), domain.Caller{Provider: f.p.ID}, domain.AccessToken{Name: "desk", Scopes: domain.ScopeProvision})
	f.must(err)
	bearer := "Authorization: Bearer " + f.login(secret)
	const key = "Idempotency-Key: once"
	f.do("POST", "/provision/deactivate", batch(basic, 1), key).want(200)
	f.do("POST", "/provision/deactivate", batch(basic, 1), key, bearer).want(403, api.CodeInsufficientScope)
	f.do("POST", "/provision/deactivate", batch(basic, 1), key).want(200)
	f.do("POST", "/provision/deactivate/validate", batch(basic, 1), bearer).want(200) // a dry run reads
	f.do("POST", "/provision/nothing/validate", batch(basic, 1), bearer).want(404)
}

// The description names the same scope for each operation as the routes ask for.
func TestTheDescriptionNamesTheScopeOfEachOperation(t *testing.T) {
	t.Parallel()
	doc, err := openapi3.NewLoader().LoadFromData([]byte(api.OpenAPI()))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range newFixture(t).server.Routes() {
		operation := doc.Paths.Map()[r.Path].GetOperation(r.Method)
		var want []string
		if !r.Open {
			want = append(r.Scope.Names(), r.OrScope.Names()...)
		}
		var got []string
		if operation.Security != nil {
			for _, s := range *operation.Security {
				got = append(got, s["bearer"]...)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s %s: described with %v, want %v", r.Method, r.Path, got, want)
		}
		if (operation.Responses.Value("403") != nil) == r.Open {
			t.Errorf("%s %s: open %t, and a 403 is described or not", r.Method, r.Path, r.Open)
		}
	}
	var described []string
	for _, v := range doc.Components.Schemas["Scope"].Value.Enum {
		described = append(described, v.(string))
	}
	wire := fmt.Sprint(api.Scopes())
	if !slices.Equal(described, domain.ScopeNames()) || wire != fmt.Sprint(described) {
		t.Errorf("described %v, of the rules %v, of the wire %s", described, domain.ScopeNames(), wire)
	}
}

func TestACursorOfAnotherProviderIsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.register(1, 1)
	cursor := f.do("GET", "/events", "").want(200).text("next_cursor")
	_, access := f.provider(domain.Provider{Name: "Outro", Limit: 10})
	f.do("GET", "/events?after="+cursor, "", "Authorization: Bearer "+f.login(access)).want(422, "invalid_cursor")
}
