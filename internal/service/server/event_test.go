package server_test

import (
	"strings"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/service/domain"
)

// Events of subscribers have no service fields, a change without effect is no event, and a deleted
// subscriber has no document.
func TestEventsOfASubscriberInTheFeedHaveNoServiceFields(t *testing.T) {
	f := newParallelFixture(t)
	f.register(1, 1)
	f.do("PUT", "/subscribers/"+doc(1), `{"name":"Outra"}`).want(200)
	f.do("PUT", "/subscribers/"+doc(1), `{"name":"Outra"}`).want(200)
	f.do("DELETE", "/subscribers/"+doc(1), "").want(200)
	r := f.do("GET", "/events", "").want(200).has(map[string]string{
		"events.0.type": "subscriber.created", "events.1.type": "subscriber.updated", "events.2.type": "subscriber.deleted",
	})
	body := string(r.body)
	if n := strings.Count(body, `"subscriber_id":"`+r.text("events", 0, "subscriber_id")+`"`); n != 3 || n != len(r.get("events").([]any)) {
		t.Errorf("got %s, want three events of one subscriber", body)
	}
	if strings.Contains(body, "status") || strings.Contains(body, "product") || strings.Contains(body, doc(1)) {
		t.Errorf("got %s, want nothing of a service and no document", body)
	}
	f.register(2, 2, basic)
	f.do("POST", "/subscribers/resend_activation_email", `{"document":"`+doc(2)+`"}`).want(200)
	resent := f.do("GET", "/subscribers/"+doc(2)+"/history", "").want(200).get("history").([]any)[2].(map[string]any)
	if _, has := resent["status"]; has || resent["type"] != "activation_email.requested" || resent["trigger"] != "resend" || resent["content_supplier_product_id"] != 1.0 {
		t.Errorf("got %v, want an e-mail of the service without a status", resent)
	}
}

func TestTheFeedIsFollowedByItsCursor(t *testing.T) {
	f := newParallelFixture(t)
	cursor := f.do("GET", "/events?after=latest", "").want(200).has(map[string]string{"events": "[]"}).text("next_cursor")
	f.do("GET", "/events", "").want(200).has(map[string]string{"events": "[]", "next_cursor": cursor})
	f.register(1, 5)
	f.do("GET", "/events?after=latest", "").want(200).has(map[string]string{"events": "[]"})
	var ids []string
	for range 4 {
		r := f.do("GET", "/api/events?limit=2&after="+cursor, "").want(200)
		for i := range r.get("events").([]any) {
			ids = append(ids, r.text("events", i, "id"))
		}
		cursor = r.text("next_cursor")
	}
	if len(ids) != 5 || ids[4] != cursor {
		t.Errorf("got events %v and cursor %s, want five and the last one", ids, cursor)
	}
	f.do("GET", "/events?limit=0", "").want(200).has(map[string]string{"events.4.id": cursor})
	f.register(6, 501)
	for limit, want := range map[string]int{"500": 500, "501": 500, "1": 1} {
		if got := len(f.do("GET", "/events?limit="+limit, "").want(200).get("events").([]any)); got != want {
			t.Errorf("limit %s: got %d events, want %d", limit, got, want)
		}
	}
	f.do("GET", "/events?after="+strings.Replace(cursor, "_", "_+0", 1), "").want(422, api.CodeInvalidCursor)
}

// A cursor whose next event is deleted is refused; one whose next event is kept is valid.
func TestACursorBeforeDeletedEventsIsRefused(t *testing.T) {
	f := newParallelFixture(t)
	beginning := f.do("GET", "/events", "").want(200).text("next_cursor")
	f.register(1, 3)
	old := f.do("GET", "/events?limit=1", "").want(200).text("next_cursor")
	edge := f.do("GET", "/events", "").want(200).text("next_cursor")
	f.advance(time.Hour)
	f.register(4, 5)
	f.must(f.store.Purge(t.Context(), domain.RetentionCutoffs{Events: f.clock().Add(-time.Minute)}))
	for _, gone := range []string{beginning, old} {
		f.do("GET", "/events?after="+gone, "").want(422, api.CodeInvalidCursor).has(map[string]string{"errors.0.field": "after", "errors.0.code": "invalid_cursor"})
	}
	kept := f.do("GET", "/events?after="+edge, "").want(200).has(map[string]string{"events.0.document": doc(4), "events.1.document": doc(5)})
	f.do("GET", "/events", "").want(200).has(map[string]string{"events.0.document": doc(4)})

	f.advance(time.Hour)
	f.must(f.store.Purge(t.Context(), domain.RetentionCutoffs{Events: f.clock()}))
	f.do("GET", "/events?after="+edge, "").want(422, api.CodeInvalidCursor)
	newest := kept.text("next_cursor")
	f.do("GET", "/events", "").want(200).has(map[string]string{"events": "[]", "next_cursor": newest})
	f.register(6, 6)
	f.do("GET", "/events?after="+newest, "").want(200).has(map[string]string{"events.0.document": doc(6)})
}

func TestWaitHoldsTheResponseUntilThereIsAnEvent(t *testing.T) {
	f := newParallelFixture(t)
	began := time.Now()
	cursor := f.do("GET", "/events?wait=1", "").want(200).text("next_cursor") // of a feed without any event
	if took := time.Since(began); took < time.Second {
		t.Errorf("an empty feed was answered after %s, want a second", took)
	}
	got := make(chan reply)
	go func() {
		r, _ := f.send("GET", "/events?wait=30&after="+cursor, "")
		got <- r
	}()
	select {
	case r := <-got:
		t.Fatalf("answered at once: %s", r.body)
	case <-time.After(50 * time.Millisecond):
	}
	f.register(1, 1)
	r := <-got
	r.want(200).has(map[string]string{"events.0.type": "subscriber.created"})

	go func() {
		r, _ := f.send("GET", "/events?wait=30&after="+r.text("next_cursor"), "")
		got <- r
	}()
	f.server.BeginShutdown()
	r = <-got
	r.want(200).has(map[string]string{"events": "[]"})
}
