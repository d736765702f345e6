package api_test

import (
	"encoding/json"
	"testing"
	"time"

	"ativa/internal/api"
)

// The shapes are written out as decisions.md gives them, so that a renamed
// field or a lost null shows here and not at a client.
func TestShapesAreThoseOfTheDecisions(t *testing.T) {
	at := api.At(time.Date(2026, 1, 31, 12, 34, 56, 123456000, time.UTC))
	const when = `"2026-01-31T12:34:56.123456Z"`
	zero, active := 0, "active"
	id := api.StatusActive
	replaced, none := api.NullableInt(24), api.NullableInt(0)
	change := api.StatusChange{Status: "inProgress", StatusID: 10}
	problem := api.Problem{Response: api.ResponseError, Type: "about:blank", Title: "Unprocessable Content",
		Status: 422, Code: api.CodeBatchFailed, Detail: "d", RequestID: "r"}
	for _, c := range []struct {
		name string
		v    any
		want string
	}{
		{"authorization", api.AuthenticateResponse{Authorization: api.Authorization{Token: "t", Type: "bearer", ExpiresIn: 21600}, Response: "success"},
			`{"authorization":{"token":"t","type":"bearer","expires_in":21600,"access_token_expires_at":null},"response":"success"}`},
		{"problem", api.Problem{Response: "error", Status: 413, Code: api.CodeTooManyItems, Limit: 5000, Actual: 5001,
			Errors: []api.FieldError{{Pointer: "/documents", Field: "documents", Code: "c", Detail: "d"}}},
			`{"response":"error","type":"","title":"","status":413,"code":"too_many_items","detail":"","request_id":"","limit":5000,"actual":5001,` +
				`"errors":[{"pointer":"/documents","field":"documents","code":"c","detail":"d"}]}`},
		{"import", api.ImportResponse{Response: "partial", ImportOutcome: api.ImportOutcome{Summary: api.ImportSummary{Total: 2, Created: 1, Duplicate: 1},
			Results: api.List[api.ImportResult]{
				{Document: "1", Result: api.ResultCreated, Services: api.List[api.ImportedService]{{ProductID: 25, Status: "limitReached", StatusID: 6, QueuePosition: 3}}},
				{Index: 1, Document: "1", Result: api.ResultDuplicate, DuplicateOf: &zero}}}},
			`{"response":"partial","summary":{"total":2,"created":1,"existing":0,"duplicate":1,"failed":0},"results":[` +
				`{"index":0,"document":"1","result":"created","services":[{"product_id":25,"status":"limitReached","status_id":6,"queue_position":3}]},` +
				`{"index":1,"document":"1","result":"duplicate","services":[],"duplicate_of":0}]}`},
		{"import that failed altogether", api.ImportProblem{Problem: problem},
			`{"response":"error","type":"about:blank","title":"Unprocessable Content","status":422,"code":"batch_failed","detail":"d","request_id":"r",` +
				`"summary":{"total":0,"created":0,"existing":0,"duplicate":0,"failed":0},"results":[]}`},
		{"batch", api.BatchResponse{Response: "success", BatchOutcome: api.BatchOutcome{Operation: api.Activate, ProductID: 25, Summary: api.BatchSummary{Total: 1, Unchanged: 1},
			Results: api.List[api.BatchResult]{{Document: "1", Result: api.ResultUnchanged, Status: &active, StatusID: &id, PreviousStatus: &active}}}},
			`{"response":"success","operation":"activate","content_supplier_product_id":25,"summary":{"total":1,"accepted":0,"unchanged":1,"failed":0},` +
				`"results":[{"index":0,"document":"1","result":"unchanged","status":"active","status_id":1,"previous_status":"active"}]}`},
		{"change", api.ChangeResponse{Response: "success", Result: api.BatchResult{Result: api.ResultFailed, Code: "c", Detail: "d"}},
			`{"response":"success","result":{"index":0,"document":"","result":"failed","status":null,"status_id":null,"previous_status":null,"code":"c","detail":"d"}}`},
		{"resend", api.ResendResult{Service: api.Service{TokenCreatedAt: at, StatusUpdatedAt: at, Status: "active"}, Result: api.ResultSent},
			`{"token_created_at":` + when + `,"content_supplier_product_name":"","content_supplier_product_code":"","content_supplier_product_id":0,` +
				`"status_updated_at":` + when + `,"status_id":0,"status":"active","result":"sent"}`},
		{"authorization of a named token", api.AuthenticateResponse{Authorization: api.Authorization{Token: "t", Type: "bearer", ExpiresIn: 21600,
			Name: "cron", Scopes: []api.Scope{api.ScopeRead, api.ScopeProvision}, AccessTokenExpiresAt: at}, Response: "success"},
			`{"authorization":{"token":"t","type":"bearer","expires_in":21600,"name":"cron","scopes":["read","provision"],` +
				`"access_token_expires_at":` + when + `},"response":"success"}`},
		{"event of a service", api.Event{ID: "1", Type: api.EventStatusChanged, OccurredAt: at, SubscriberID: "sub_1", Document: "1", ProductID: 25,
			PreviousProductID: &none, StatusChange: &change, Trigger: "activate", Actor: api.ActorProvider, ActorName: "cron"},
			`{"id":"1","type":"service.status_changed","occurred_at":` + when + `,"subscriber_id":"sub_1","document":"1","content_supplier_product_id":25,` +
				`"previous_content_supplier_product_id":null,"previous_status":null,` +
				`"status":"inProgress","status_id":10,"trigger":"activate","actor":"provider","actor_name":"cron","reason":"","operation_id":""}`},
		{"event of an e-mail", api.Event{ID: "3", Type: api.EventEmailRequested, OccurredAt: at, SubscriberID: "sub_1", ProductID: 25, PreviousProductID: &replaced},
			`{"id":"3","type":"activation_email.requested","occurred_at":` + when + `,"subscriber_id":"sub_1","document":null,"content_supplier_product_id":25,` +
				`"previous_content_supplier_product_id":24,"trigger":"","actor":"","actor_name":null,"reason":"","operation_id":""}`},
		{"event of a subscriber", api.Event{ID: "2", Type: api.EventSubscriberDeleted, OccurredAt: at, SubscriberID: "sub_1", Document: "1", Actor: api.ActorSystem},
			`{"id":"2","type":"subscriber.deleted","occurred_at":` + when + `,"subscriber_id":"sub_1","document":"1","trigger":"","actor":"system","actor_name":null,` +
				`"reason":"","operation_id":""}`},
		{"products", api.ProductsResponse{Response: "success", Message: "success"},
			`{"content_supplier_products":[],"response":"success","message":"success"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := encode(t, c.v); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestAnswersOfOtherServersAreRead(t *testing.T) {
	in := `{"name":"Ana","document":"529.982.247-25","internet_speed_id":"3","customer_plan":null,"extra":{"a":[1]},"created_at":"2026-01-31 12:34:56"}`
	var s api.Subscriber
	if err := json.Unmarshal([]byte(in), &s); err != nil {
		t.Fatal(err)
	}
	if s.Document != "529.982.247-25" || s.InternetSpeedID != 3 || s.CreatedAt.Year() != 2026 || s.Services != nil {
		t.Errorf("got %+v", s)
	}
	var p api.ProductsResponse
	if err := json.Unmarshal([]byte(`{"content_supplier_products":[{"id":25,"active":1}],"message":"success"}`), &p); err != nil {
		t.Fatal(err)
	}
	if len(p.Products) != 1 || !p.Products[0].Active || p.Message != api.ResponseSuccess {
		t.Errorf("got %+v", p)
	}
	var e api.Event
	if err := json.Unmarshal([]byte(`{"type":"service.status_changed","previous_status":"active","status":"x","status_id":99}`), &e); err != nil {
		t.Fatal(err)
	}
	if e.StatusChange == nil || e.ProductID != 0 || e.SubscriberID != "" || e.ActorName != "" || *e.PreviousStatus != "active" || api.CategoryOf(e.StatusID) != api.CategoryUnknown {
		t.Errorf("got %+v", e)
	}
}

func TestStatusesAreTheThirteenOfTheDocument(t *testing.T) {
	final := map[string]bool{"active": true, "canceled": true, "suspend": true, "overdue": true}
	all := api.Statuses()
	if len(all) != 13 {
		t.Errorf("got %d statuses, want 13", len(all))
	}
	for i, s := range all {
		if i > 0 && s.ID <= all[i-1].ID {
			t.Errorf("%s: id %d stands after %d", s.Name, s.ID, all[i-1].ID)
		}
		want := api.CategoryIntermediate
		if final[s.Name] {
			want = api.CategoryFinal
		}
		if got := api.CategoryOf(s.ID); got != want {
			t.Errorf("%s: got %s, want %s", s.Name, got, want)
		}
	}
}
