package server_test

import (
	"strings"
	"testing"

	"ativa/internal/provision"
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
		"POST /provision/{operation}/validate": {"/provision/activate/validate", batch(basic, 1), "subscriber_not_found"},
		"GET /products":                        {"/products", "", ""},
		"GET /products/status":                 {"/products/status", "", ""},
		"GET /events":                          {"/events", "", ""},
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
			_, access := f.provider(provision.Provider{Name: "Outro", Limit: 10})
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

func TestACursorOfAnotherProviderIsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.register(1, 1)
	cursor := f.do("GET", "/events", "").want(200).text("next_cursor")
	_, access := f.provider(provision.Provider{Name: "Outro", Limit: 10})
	f.do("GET", "/events?after="+cursor, "", "Authorization: Bearer "+f.login(access)).want(422, "invalid_cursor")
}
