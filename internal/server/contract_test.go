package server_test

import (
	"testing"

	"ativa/internal/api"
	"ativa/internal/api/apicheck"
	"ativa/internal/provision"
	"ativa/internal/server"
)

// fits holds an answer against openapi.yaml.
func (w *world) fits(method, target string, r reply) {
	w.t.Helper()
	if err := apicheck.Answer(method, target, r.status, r.header, r.body); err != nil {
		w.t.Error(err)
	}
}

func TestEveryRouteIsDescribedAndEveryDescriptionIsARoute(t *testing.T) {
	d, err := apicheck.Description()
	if err != nil {
		t.Fatal(err)
	}
	served := map[string]bool{}
	for _, r := range server.New(provision.NewManager(nil, provision.Options{}), server.Options{}).Routes() {
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
	}
	for path, item := range d.Paths.Map() {
		for method := range item.Operations() {
			if !served[method+" "+path] {
				t.Errorf("%s %s is described and not served", method, path)
			}
		}
	}
}
