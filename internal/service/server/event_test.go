package server_test

import (
	"strings"
	"testing"
	"time"

	"ativa/internal/api"
)

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

func TestWaitHoldsTheResponseUntilThereIsAnEvent(t *testing.T) {
	f := newParallelFixture(t)
	began := time.Now()
	cursor := f.do("GET", "/events?wait=1", "").want(200).text("next_cursor") // of a feed without any event
	if took := time.Since(began); took < time.Second {
		t.Errorf("an empty feed was answered after %s, want a second", took)
	}
	got := make(chan reply)
	hold := func(after string) {
		r, _ := f.send("GET", "/events?wait=30&after="+after, "")
		got <- r
	}
	go hold(cursor)
	select {
	case r := <-got:
		t.Fatalf("answered at once: %s", r.body)
	case <-time.After(50 * time.Millisecond):
	}
	f.register(1, 1)
	r := <-got
	r.want(200).has(map[string]string{"events.0.type": "subscriber.created"})

	go hold(r.text("next_cursor"))
	f.server.BeginShutdown()
	r = <-got
	r.want(200).has(map[string]string{"events": "[]"})
}
