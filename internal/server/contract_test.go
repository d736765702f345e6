package server_test

import (
	"encoding/json"
	"mime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"ativa/internal/api"
	"ativa/internal/provision"
	"ativa/internal/server"
)

var description = sync.OnceValues(func() (*openapi3.T, error) {
	return openapi3.NewLoader().LoadFromData([]byte(api.OpenAPI()))
})

// operation finds what openapi.yaml says of a request, nil if nothing.
func operation(t testing.TB, method, target string) *openapi3.Operation {
	t.Helper()
	d, err := description()
	if err != nil {
		t.Fatal(err)
	}
	path, _, _ := strings.Cut(target, "?")
	path = strings.TrimPrefix(path, api.Prefix)
	if item := d.Paths.Value(path); item != nil {
		return item.GetOperation(method)
	}
	for template, item := range d.Paths.Map() {
		if o := item.GetOperation(method); o != nil && matches(template, path) {
			return o
		}
	}
	return nil
}

func matches(template, path string) bool {
	want, got := strings.Split(template, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return false
	}
	for i := range want {
		if want[i] != got[i] && !strings.HasPrefix(want[i], "{") {
			return false
		}
	}
	return true
}

// fits holds an answer against openapi.yaml. What it does not describe can
// only be a problem.
func (w *world) fits(method, target string, r reply) {
	w.t.Helper()
	if method == "HEAD" {
		return
	}
	d, err := description()
	w.must(err)
	media, _, _ := mime.ParseMediaType(r.header.Get("Content-Type"))
	schema := d.Components.Schemas["Problem"]
	if o := operation(w.t, method, target); o != nil {
		response := o.Responses.Value(strconv.Itoa(r.status))
		if response == nil {
			response = o.Responses.Default()
		}
		content := response.Value.Content.Get(media)
		if content == nil {
			w.t.Errorf("%s: %d with %q is not described", method, r.status, media)
			return
		}
		schema = content.Schema
	} else if r.status < 400 || media != api.MediaProblem {
		w.t.Errorf("%s %s: %d with %q, and nothing is described there", method, target, r.status, media)
		return
	}
	if !strings.HasSuffix(media, "json") {
		return
	}
	var v any
	if err := json.Unmarshal(r.body, &v); err != nil {
		w.t.Errorf("%s %s: %v: %s", method, target, err, r.body)
		return
	}
	if err := schema.Value.VisitJSON(v, openapi3.EnableJSONSchema2020()); err != nil {
		w.t.Errorf("%s %s: %d is not as described: %v\n%s", method, target, r.status, err, r.body)
	}
}

func TestEveryRouteIsDescribedAndEveryDescriptionIsARoute(t *testing.T) {
	d, err := description()
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
