package api_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
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
				if body := content.Get(api.MediaJSON); body != nil && body.Example == nil && body.Examples == nil && of != "default" {
					t.Errorf("%s %s, %s: there is no example", method, path, of)
				}
			}
		}
	}
}

// The standard rules of redocly and spectral that the description broke.
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
	delete(known, "PathSubscriberView") // of a mux alone
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
	for _, code := range constants(t, "problem.go", "Code") {
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
		"Authentication":      api.AuthenticateResponse{Authorization: api.Authorization{Type: api.TypeBearer, Name: "cron", Scopes: api.Scopes()}, Response: "success"},
		"Subscriber":          full,
		"SubscriberRecord":    api.SubscriberResponse{Subscriber: full, Response: "success"},
		"SubscriberCreate":    api.SubscriberCreate{},
		"SubscriberUpdate":    api.SubscriberUpdate{InternetSpeedID: api.Some(api.Int(1))},
		"ImportRequest":       api.ImportRequest{Subscribers: api.List[api.ImportRow]{{ProductsIDs: api.List[api.Int]{25}}}},
		"ImportOutcome": api.ImportResponse{Response: "partial", ImportOutcome: api.ImportOutcome{
			Results: api.List[api.ImportResult]{{Result: "failed", Errors: []api.FieldError{{}}}}}},
		"ImportProblem":     api.ImportProblem{Problem: problem},
		"BatchRequest":      api.BatchRequest{},
		"BatchOutcome":      api.BatchResponse{Response: "success", BatchOutcome: api.BatchOutcome{Operation: api.Settle, Results: api.List[api.BatchResult]{result}}},
		"BatchProblem":      api.BatchProblem{Problem: problem, BatchOutcome: api.BatchOutcome{Operation: api.Activate}},
		"ChangeRequest":     api.ChangeRequest{},
		"ChangeOutcome":     api.ChangeResponse{Response: "success", Result: result},
		"ResendRequest":     api.ResendRequest{},
		"ResendOutcome":     api.ResendResponse{Response: "success", Results: api.List[api.ResendResult]{{Service: full.Services[0], Result: "sent"}}},
		"InternetSpeedList": api.InternetSpeedsResponse{InternetSpeeds: api.List[api.InternetSpeed]{{}}, Response: "success"},
		"ProductList":       api.ProductsResponse{Response: "success", Message: "success"},
		"ProductPage":       page,
		"StatusList":        api.StatusesResponse{Statuses: api.Statuses(), Response: "success"},
		"History": api.HistoryResponse{Response: "success", History: api.List[api.Event]{
			{Type: api.EventStatusChanged, OccurredAt: at, Actor: api.ActorSystem, ProductID: 1, PreviousProductID: new(api.NullableInt), StatusChange: &api.StatusChange{Status: active, StatusID: id}},
			{Type: api.EventEmailRequested, OccurredAt: at, Actor: api.ActorProvider, ActorName: "cron", ProductID: 1, PreviousProductID: new(api.NullableInt)},
			{Type: api.EventScheduleRefused, OccurredAt: at, Actor: api.ActorSystem, ActorName: "cron", ProductID: 1, PreviousProductID: new(api.NullableInt), Reason: "service_canceled"},
			{Type: api.EventSubscriberCreated, OccurredAt: at, Actor: api.ActorProvider}}},
		"ScheduleRequest": api.ScheduleRequest{Operation: api.Settle, Documents: api.List[string]{"52998224725"}, At: at},
		"ScheduleList": api.SchedulesResponse{Response: "success", Schedules: api.List[api.Schedule]{
			{Operation: api.Settle, At: at, State: api.ScheduleWaiting}, {Operation: api.Overdue, At: at, State: api.ScheduleRefused, ActorName: "crm", Code: "service_canceled"}}},
		"DeliveryList": api.DeliveriesResponse{Response: "success", Deliveries: api.List[api.Delivery]{
			{Kind: api.DeliveryEmail, State: api.DeliveryWaiting, RequestedAt: at},
			{Kind: api.DeliveryPartner, OperationID: "op_1", State: api.DeliveryFailed, Attempts: 3, RequestedAt: at, LastAttemptAt: at, NextAttemptAt: at, Error: "e", OpenedAt: at}}},
		"EventList": api.EventsResponse{Response: "success"},
		"UsageReport": api.UsageResponse{Response: "success", Usage: api.Usage{From: "2026-11-01", To: "2026-11-30", TZ: "UTC", Products: api.List[api.ProductUsage]{{}}},
			Tokens: api.List[api.TokenUsage]{{TokenCreatedAt: at, FirstEnabledAt: at, Status: active}, {Document: "52998224725", TokenCreatedAt: at, FirstEnabledAt: at, LastEnabledAt: at, Status: active}}},
		"PartnerEventReceipt": api.PartnerEventResponse{Response: "success", Result: "accepted"},
		"Problem":             api.Problem{Response: "error", Code: api.CodeNotFound},
		"Acknowledgement":     api.Response{Response: "success"},
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
func sample() api.Subscriber {
	at := api.At(time.Date(2026, 1, 31, 12, 34, 56, 123456000, time.UTC))
	return api.Subscriber{
		Name: `João "Zé" \ <b>&`, Email: "joao@example.com", Document: "52998224725", Phone: "+5511987654321",
		InternetSpeedID: 38, CustomerPlan: "100\tMega\x01\x7f\u2028", CreatedAt: at,
		Services: api.List[api.Service]{
			{TokenCreatedAt: at, ProductName: "Vídeo", ProductCode: "V1", ProductID: 25, StatusUpdatedAt: at, StatusID: 1, Status: "active"},
			{ProductID: -1, Status: "what\nelse"},
		},
	}
}
