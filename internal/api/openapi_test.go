package api_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

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
				if body := content.Get(api.MediaJSON); body != nil && body.Example == nil && of != "default" {
					t.Errorf("%s %s, %s: there is no example", method, path, of)
				}
			}
		}
	}
}

// constants are the string constants of a file with that prefix.
func constants(t *testing.T, file, prefix string) map[string]string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, prefix) {
			return true
		}
		if literal, ok := spec.Values[0].(*ast.BasicLit); ok {
			out[spec.Names[0].Name], _ = strconv.Unquote(literal.Value)
		}
		return true
	})
	return out
}

func TestDescriptionHasEveryPathAndNoOther(t *testing.T) {
	paths := description(t).Paths.Map()
	known := constants(t, "path.go", "Path")
	delete(known, "PathSubscriberView") // PathHistory as a mux needs it
	for name, path := range known {
		if paths[path] == nil {
			t.Errorf("%s: %s is not described", name, path)
		}
		delete(paths, path)
	}
	for path := range paths {
		t.Errorf("%s is described and has no constant", path)
	}
}

func TestDescriptionHasEveryCodeOfAProblem(t *testing.T) {
	var described []string
	for _, v := range description(t).Components.Schemas["Code"].Value.Enum {
		described = append(described, v.(string))
	}
	var known []string
	onlyFields := []string{api.CodeRequired, api.CodeWrongType, api.CodeInvalidCheckDigit, api.CodeCNPJNotSupported, api.CodeDuplicateInRequest}
	for _, code := range constants(t, "code.go", "Code") {
		if !slices.Contains(onlyFields, code) {
			known = append(known, code)
		}
	}
	slices.Sort(described)
	slices.Sort(known)
	if !slices.Equal(described, known) {
		t.Errorf("described %v\nknown     %v", described, known)
	}
}

// What the types encode must be what the description says.
func TestTypesFitTheDescription(t *testing.T) {
	doc := description(t)
	full := sample()
	full.Services[1] = full.Services[0]
	at, active, id := api.At(time.Unix(0, 0)), "active", api.StatusActive
	problem := api.Problem{Response: "error", Status: 422, Code: api.CodeBatchFailed}
	result := api.BatchResult{Result: "unchanged", Status: &active, StatusID: &id}
	page := api.Page[api.Product]{Response: "success", Message: "success", Data: api.List[api.Product]{{Can: api.List[string]{api.CanActivate}}}}
	for schema, v := range map[string]any{
		"AuthenticateRequest": api.AuthenticateRequest{},
		"AuthenticateAnswer":  api.AuthenticateAnswer{Authorization: api.Authorization{Type: api.TypeBearer}, Response: "success"},
		"Subscriber":          full,
		"SubscriberAnswer":    api.SubscriberAnswer{Subscriber: full, Response: "success"},
		"SubscriberCreate":    api.SubscriberCreate{},
		"SubscriberUpdate":    api.SubscriberUpdate{InternetSpeedID: api.Some(api.Int(1))},
		"ImportRequest":       api.ImportRequest{Subscribers: api.List[api.ImportRow]{{ProductsIDs: api.List[api.Int]{25}}}},
		"ImportAnswer": api.ImportAnswer{Response: "partial", ImportOutcome: api.ImportOutcome{
			Results: api.List[api.ImportResult]{{Result: "failed", Errors: []api.FieldError{{}}}}}},
		"ImportProblem":        api.ImportProblem{Problem: problem},
		"BatchRequest":         api.BatchRequest{},
		"BatchAnswer":          api.BatchAnswer{Response: "success", BatchOutcome: api.BatchOutcome{Operation: api.Settle, Results: api.List[api.BatchResult]{result}}},
		"BatchProblem":         api.BatchProblem{Problem: problem, BatchOutcome: api.BatchOutcome{Operation: api.Activate}},
		"ChangeRequest":        api.ChangeRequest{},
		"ChangeAnswer":         api.ChangeAnswer{Response: "success", Result: result},
		"ResendRequest":        api.ResendRequest{},
		"ResendAnswer":         api.ResendAnswer{Response: "success", Results: api.List[api.ResendResult]{{Service: full.Services[0], Result: "sent"}}},
		"InternetSpeedsAnswer": api.InternetSpeedsAnswer{InternetSpeeds: api.List[api.InternetSpeed]{{}}, Response: "success"},
		"ProductsAnswer":       api.ProductsAnswer{Response: "success", Message: "success"},
		"ProductPage":          page,
		"StatusesAnswer":       api.StatusesAnswer{Statuses: api.Statuses(), Response: "success"},
		"HistoryAnswer": api.HistoryAnswer{Response: "success", History: api.List[api.Event]{
			{Type: api.EventStatusChanged, OccurredAt: at, Actor: api.ActorSystem, StatusChange: &api.StatusChange{Status: active, StatusID: id}},
			{Type: api.EventSubscriberCreated, OccurredAt: at, Actor: api.ActorProvider}}},
		"EventsAnswer":  api.EventsAnswer{Response: "success"},
		"PartnerAnswer": api.PartnerAnswer{Response: "success", Result: "accepted"},
		"Problem":       api.Problem{Response: "error", Code: api.CodeNotFound},
		"Answer":        api.Answer{Response: "success"},
	} {
		var value any
		if err := json.Unmarshal([]byte(encode(t, v)), &value); err != nil {
			t.Fatal(err)
		}
		ref := doc.Components.Schemas[schema]
		if ref == nil {
			t.Errorf("%s is not described", schema)
			continue
		}
		if err := ref.Value.VisitJSON(value); err != nil {
			t.Errorf("%s: %v", schema, err)
		}
		if err := ref.Value.VisitJSON(map[string]any{}); err == nil && schema != "SubscriberUpdate" {
			t.Errorf("%s: an empty object fits too", schema)
		}
	}
}
