package server_test

import (
	"testing"

	"ativa/internal/api"
)

func TestAPUTChangesWhatItNamesAndNothingElse(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.do("POST", "/subscribers", subscriber(1, "internet_speed_id", "7", "customer_plan", `"Fibra"`)).want(201)
	f.register(2, 2)
	path := "/subscribers/" + doc(1)
	before := f.do("GET", path, "").want(200)
	same := func(name, body string) {
		t.Helper()
		if got := f.do("PUT", path, body).want(200); string(got.body) != string(before.body) {
			t.Errorf("%s: got %s, want %s", name, got.body, before.body)
		}
	}
	same("nothing", `{}`)
	same("its own document", `{"document":"`+doc(1)+`"}`)
	same("the same again", subscriber(1))
	for _, c := range []struct{ body, code, pointer string }{
		{`{"name":null}`, "required", "/name"},
		{`{"email":null}`, "required", "/email"},
		{`{"document":null}`, "required", "/document"},
		{`{"phone":null}`, "required", "/phone"},
		{`{"name":" "}`, "required", "/name"},
	} {
		f.do("PUT", path, c.body).want(422, api.CodeValidationFailed).has(map[string]string{"errors.0.code": c.code, "errors.0.pointer": c.pointer})
	}
	f.do("PUT", path, `{"internet_speed_id":39}`).want(422, api.CodeUnknownInternetSpeed)
	f.do("PUT", path, `{"document":"`+doc(2)+`"}`).want(409, api.CodeSubscriberExists)
	if after := f.do("GET", path, "").want(200); string(after.body) != string(before.body) {
		t.Errorf("a refused change changed %s to %s", before.body, after.body)
	}
	f.do("PUT", path, `{"customer_plan":""}`).want(200).has(map[string]string{"subscriber.customer_plan": "", "subscriber.internet_speed_id": "7"})
	f.do("PUT", path, `{"internet_speed_id":null}`).want(200).has(map[string]string{"subscriber.internet_speed_id": "38"}) // not informed
}

func TestTheFeedTellsOfSubscribersWithoutTheFieldsOfAService(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.register(1, 1)
	f.do("PUT", "/subscribers/"+doc(1), `{"name":"Outra"}`).want(200)
	f.do("PUT", "/subscribers/"+doc(1), `{"name":"Outra"}`).want(200) // changes nothing, and tells nothing
	f.do("DELETE", "/subscribers/"+doc(1), "").want(200)
	r := f.do("GET", "/events", "").want(200)
	events := r.get("events").([]any)
	for i, want := range []string{"subscriber.created", "subscriber.updated", "subscriber.deleted"} {
		if i >= len(events) || r.text("events", i, "type") != want {
			t.Fatalf("event %d: want %s of %s", i, want, r.body)
		}
		for _, name := range []string{"previous_status", "status", "status_id", "content_supplier_product_id", "previous_content_supplier_product_id"} {
			if _, there := events[i].(map[string]any)[name]; there {
				t.Errorf("%s has a %s", want, name)
			}
		}
		if r.text("events", i, "subscriber_id") != r.text("events", 0, "subscriber_id") || r.get("events", i, "document") != nil {
			t.Errorf("%s of a deleted subscriber: got %v, want its id and no document", want, events[i])
		}
	}
	if len(events) != 3 {
		t.Errorf("got %d events, want 3", len(events))
	}
	f.register(2, 2, basic)
	r = f.do("GET", "/subscribers/"+doc(2)+"/history", "").want(200)
	first := r.get("history", 1).(map[string]any)
	if previous, there := first["previous_status"]; !there || previous != nil {
		t.Errorf("a new service: got %v, want previous_status null", first)
	}
	f.do("POST", "/subscribers/resend_activation_email", `{"document":"`+doc(2)+`"}`).want(200)
	r = f.do("GET", "/subscribers/"+doc(2)+"/history", "").want(200)
	resent := r.get("history", 2).(map[string]any)
	for _, name := range []string{"previous_status", "status", "status_id"} {
		if _, there := resent[name]; there {
			t.Errorf("an e-mail that was requested has a %s", name)
		}
	}
	r.has(map[string]string{"history.2.type": "activation_email.requested", "history.2.content_supplier_product_id": "1", "history.2.trigger": "resend",
		"history.2.operation_id": r.text("history", 1, "operation_id"), "history.2.subscriber_id": r.text("history", 0, "subscriber_id")})
}

func TestAPageOfTheFeedHasItsLimits(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.register(1, 501)
	for query, want := range map[string]int{"limit=500": 500, "limit=501": 500, "limit=1": 1} {
		if got := len(f.do("GET", "/events?"+query, "").want(200).get("events").([]any)); got != want {
			t.Errorf("%s: got %d events, want %d", query, got, want)
		}
	}
	if got := len(f.do("GET", "/events", "").want(200).get("events").([]any)); got < 1 || got > 500 {
		t.Errorf("without a limit: got %d events", got)
	}
}
