package api_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"ativa/internal/api"
)

func description(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData([]byte(api.OpenAPI()))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestDescriptionIsValidOpenAPIWithItsExamples(t *testing.T) {
	if err := description(t).Validate(t.Context(), openapi3.EnableExamplesValidation()); err != nil {
		t.Error(err)
	}
}

func TestEveryBodyAndEveryAnswerHasAnExample(t *testing.T) {
	for path, item := range description(t).Paths.Map() {
		for method, o := range item.Operations() {
			bodies := map[string]openapi3.Content{}
			if o.RequestBody != nil {
				bodies["request"] = o.RequestBody.Value.Content
			}
			for status, r := range o.Responses.Map() {
				bodies[status] = r.Value.Content
			}
			for of, content := range bodies {
				if body := content.Get(api.MediaJSON); body != nil && body.Example == nil && body.Examples == nil && of != "default" {
					t.Errorf("%s %s, %s: there is no example", method, path, of)
				}
			}
		}
	}
}

// The standard rules of redocly and spectral that the description once broke.
func TestDescriptionKeepsTheRulesOfLinters(t *testing.T) {
	d := description(t)
	if d.Info.Contact == nil || d.Info.License == nil {
		t.Error("info: no contact or no license")
	}
	for _, tag := range d.Tags {
		if tag.Description == "" {
			t.Errorf("tag %s: no description", tag.Name)
		}
	}
	for path, item := range d.Paths.Map() {
		for method, o := range item.Operations() {
			refusals := slices.ContainsFunc(slices.Collect(maps.Keys(o.Responses.Map())), func(status string) bool { return status[0] == '4' })
			if o.Summary == "" || o.Description == "" || !refusals {
				t.Errorf("%s %s: summary %q, description %q, a 4XX response: %t; want all", method, path, o.Summary, o.Description, refusals)
			}
		}
	}
	for name, s := range d.Components.Schemas {
		arraysHaveItems(t, name, s.Value)
	}
}

// unreadable matches lines that oapi-codegen and ogen cannot read: two words of JSON Schema, anchors
// and aliases (decisions.md 10).
var unreadable = regexp.MustCompile(`^\s*(- )?(anyOf|const):|: [&*]\w+$`)

// Generators make a type of each component, and of each response.
func TestDescriptionIsReadByGenerators(t *testing.T) {
	for i, line := range strings.Split(api.OpenAPI(), "\n") {
		if unreadable.MatchString(line) {
			t.Errorf("line %d: %s; use oneOf or enum, and write out what is repeated", i+1, line)
		}
	}
	d := description(t)
	seen := map[string]bool{}
	names := slices.AppendSeq(slices.Collect(maps.Keys(d.Components.Schemas)), maps.Keys(d.Components.Parameters))
	names = slices.AppendSeq(slices.AppendSeq(names, maps.Keys(d.Components.Responses)), maps.Keys(d.Components.Headers))
	for _, name := range names {
		key := strings.ToLower(name)
		if seen[key] || d.Components.Schemas[name] != nil && strings.HasSuffix(name, "Response") {
			t.Errorf("%s: another component or operation has this name", name)
		}
		seen[key] = true
	}
	whole := []string{api.ParamPage, api.ParamPerPage, api.ParamLimit, api.ParamWait}
	for path, item := range d.Paths.Map() {
		for method, o := range item.Operations() {
			for _, p := range slices.Concat(item.Parameters, o.Parameters) {
				if slices.Contains(whole, p.Value.Name) && !p.Value.Schema.Value.Type.Is("integer") {
					t.Errorf("%s %s: the parameter %s is no integer", method, path, p.Value.Name)
				}
			}
		}
	}
}

func arraysHaveItems(t *testing.T, place string, s *openapi3.Schema) {
	t.Helper()
	if s.Type.Is("array") && s.Items == nil {
		t.Errorf("%s: an array without items", place)
	}
	if s.Items != nil && s.Items.Ref == "" {
		arraysHaveItems(t, place+"/items", s.Items.Value)
	}
	for name, p := range s.Properties {
		if p.Ref == "" {
			arraysHaveItems(t, place+"/"+name, p.Value)
		}
	}
	for _, part := range slices.Concat(s.AllOf, s.AnyOf, s.OneOf) {
		if part.Ref == "" {
			arraysHaveItems(t, place, part.Value)
		}
	}
}
