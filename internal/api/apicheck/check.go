// Package apicheck checks the responses in tests against openapi.yaml. It decides when a response
// matches its description. Only tests import it.
package apicheck

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"ativa/internal/api"
)

// Description returns openapi.yaml, which it reads once.
var Description = sync.OnceValues(func() (*openapi3.T, error) {
	return openapi3.NewLoader().LoadFromData([]byte(api.OpenAPI()))
})

// operation returns the description of a request in openapi.yaml, or nil if there is none.
func operation(d *openapi3.T, method, target string) *openapi3.Operation {
	path, _, _ := strings.Cut(target, "?")
	path = strings.TrimPrefix(path, api.Prefix)
	if strings.HasPrefix(path+"/", "/activate/") { // also a link that a mail program shortened or extended
		path = api.PathLink
	}
	if item := d.Paths.Value(path); item != nil {
		return item.GetOperation(method)
	}
	for _, template := range slices.Sorted(maps.Keys(d.Paths.Map())) { // in this order a literal precedes a {parameter}, as in the server
		if o := d.Paths.Value(template).GetOperation(method); o != nil && matches(template, path) {
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

// schemas holds the compiled schemas by their *openapi3.Schema. Compiling one takes longer than
// checking a hundred responses.
var schemas sync.Map

// compile returns s as a JSON Schema whose references resolve in openapi.yaml.
func compile(s *openapi3.Schema) (*jsonschema.Schema, error) {
	if c, ok := schemas.Load(s); ok {
		return c.(*jsonschema.Schema), nil
	}
	d, err := Description()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(map[string]any{
		"allOf": []*openapi3.Schema{s}, "components": map[string]any{"schemas": d.Components.Schemas},
	})
	if err != nil {
		return nil, err
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	const name = "openapi.json"
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource(name, document); err != nil {
		return nil, err
	}
	c, err := compiler.Compile(name)
	if err != nil {
		return nil, err
	}
	schemas.Store(s, c)
	return c, nil
}

// CheckResponse checks a response against openapi.yaml. target is the path as it was sent, with or
// without prefix and query. If openapi.yaml does not describe the request, the response must be a
// problem. The error contains the body, because it is for tests.
func CheckResponse(method, target string, status int, header http.Header, body []byte) error {
	if method == http.MethodHead {
		return nil
	}
	d, err := Description()
	if err != nil {
		return err
	}
	media, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	schema := d.Components.Schemas["Problem"]
	if o := operation(d, method, target); o != nil {
		response := o.Responses.Value(strconv.Itoa(status))
		if response == nil {
			response = o.Responses.Default()
		}
		content := response.Value.Content.Get(media)
		if content == nil {
			return fmt.Errorf("%s %s: %d with %q is not described", method, target, status, media)
		}
		schema = content.Schema
	} else if status < 400 || media != api.MediaProblem {
		return fmt.Errorf("%s %s: %d with %q, and nothing is described there", method, target, status, media)
	}
	if !strings.HasSuffix(media, "json") {
		return nil
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%s %s: %w: %s", method, target, err, body)
	}
	compiled, err := compile(schema.Value)
	if err != nil {
		return err
	}
	if err := compiled.Validate(v); err != nil {
		return fmt.Errorf("%s %s: %d is not as described: %w\n%s", method, target, status, err, body)
	}
	return nil
}
