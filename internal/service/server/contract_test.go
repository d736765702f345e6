package server_test

import (
	"slices"
	"testing"

	"ativa/internal/api"
	"ativa/internal/api/apicheck"
	"ativa/internal/service/server"
)

func TestEveryRouteIsDescribedAndEveryDescriptionIsARoute(t *testing.T) {
	d, err := apicheck.Description()
	must(t, err)
	served := map[string]bool{}
	for _, r := range server.New(server.Parts{}, server.Options{PublicMetrics: true}).Routes() {
		served[r.Method+" "+r.Path] = true
		item := d.Paths.Value(r.Path)
		if item == nil || item.GetOperation(r.Method) == nil {
			t.Errorf("%s %s is not described", r.Method, r.Path)
			continue
		}
		o := item.GetOperation(r.Method)
		if open := o.Security != nil && len(*o.Security) == 0; open != r.Open {
			t.Errorf("%s %s: described as open: %t, is open: %t", r.Method, r.Path, open, r.Open)
		}
		if described := o.Parameters.GetByInAndName("header", api.HeaderIdempotencyKey) != nil; described != r.Write {
			t.Errorf("%s %s: Idempotency-Key described: %t, honoured: %t", r.Method, r.Path, described, r.Write)
		}
		var scopes, described []string
		if !r.Open {
			scopes = append(r.Scope.Names(), r.OrScope.Names()...)
		}
		if o.Security != nil {
			for _, s := range *o.Security {
				described = append(described, s["bearer"]...)
			}
		}
		if !slices.Equal(described, scopes) || (o.Responses.Value("403") != nil) == r.Open {
			t.Errorf("%s %s: described with the scopes %v, want %v, and a 403 where there are some", r.Method, r.Path, described, scopes)
		}
	}
	for path, item := range d.Paths.Map() {
		for method := range item.Operations() {
			if !served[method+" "+path] {
				t.Errorf("%s %s is described and not served", method, path)
			}
		}
	}
}
