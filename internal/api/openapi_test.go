package api_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"ativa/internal/api"
	"ativa/internal/api/apicheck"
)

func description(t *testing.T) *openapi3.T {
	t.Helper()
	d, err := apicheck.Description()
	must(t, err)
	return d
}

func TestDescriptionIsValidOpenAPIWithItsExamples(t *testing.T) {
	if err := description(t).Validate(t.Context(), openapi3.EnableExamplesValidation()); err != nil {
		t.Error(err)
	}
}

// The default rules of redocly and spectral that the description once violated.
func TestDescriptionFollowsTheRulesOfLinters(t *testing.T) {
	d := description(t)
	if d.Info.Contact == nil || d.Info.License == nil {
		t.Error("info: no contact or no license")
	}
	for _, tag := range d.Tags {
		if tag.Description == "" {
			t.Errorf("tag %s: no description", tag.Name)
		}
	}
	arrays := len(regexp.MustCompile(`type: (array|\[array)`).FindAllString(api.OpenAPI(), -1))
	if items := strings.Count(api.OpenAPI(), "items:"); items != arrays {
		t.Errorf("%d of %d arrays have items", items, arrays)
	}
}

// An operation has texts, a refusal, whole numbers as parameters, and examples of all bodies. Clients
// recognise success by one member, which each successful JSON response has (decisions.md 1).
func TestEveryOperationIsFullyDescribed(t *testing.T) {
	whole := []string{api.ParamPage, api.ParamPerPage, api.ParamLimit, api.ParamWait}
	successes := 0
	for path, item := range description(t).Paths.Map() {
		for method, o := range item.Operations() {
			bodies := map[string]openapi3.Content{}
			if o.RequestBody != nil {
				bodies["request"] = o.RequestBody.Value.Content
			}
			refusals := false
			for status, r := range o.Responses.Map() {
				bodies[status] = r.Value.Content
				refusals = refusals || status[0] == '4'
			}
			if o.Summary == "" || o.Description == "" || !refusals {
				t.Errorf("%s %s: summary %q, description %q, a 4XX response: %t; want all", method, path, o.Summary, o.Description, refusals)
			}
			for _, p := range slices.Concat(item.Parameters, o.Parameters) {
				if slices.Contains(whole, p.Value.Name) && !p.Value.Schema.Value.Type.Is("integer") {
					t.Errorf("%s %s: the parameter %s is no integer", method, path, p.Value.Name)
				}
			}
			for of, content := range bodies {
				body := content.Get(api.MediaJSON)
				if body == nil || of == "default" {
					continue
				}
				if body.Example == nil && body.Examples == nil {
					t.Errorf("%s %s, %s: there is no example", method, path, of)
				}
				if of[0] != '2' {
					continue
				}
				successes++
				for name, missing := range map[string]any{"nothing": map[string]any{}, "another value": map[string]any{"response": "done"}} {
					err := body.Schema.Value.VisitJSON(missing, openapi3.EnableJSONSchema2020(), openapi3.MultiErrors())
					if err == nil || !strings.Contains(err.Error(), "response") {
						t.Errorf("%s %s: %s accepts %s as a success: %v", method, path, of, name, err)
					}
				}
			}
		}
	}
	if successes < 20 {
		t.Errorf("only %d responses were checked", successes)
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
}
