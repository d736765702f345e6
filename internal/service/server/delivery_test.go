package server_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/cpf"
	"ativa/internal/service/domain"
)

func TestDeliveriesTellWhatBecameOfEach(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.register(1, 1, basic)
	requested := api.At(f.clock()).String()
	path := "/subscribers/" + doc(1) + "/deliveries"
	res := f.do("GET", path, "").want(200).has(map[string]string{
		"response": "success", "deliveries.0.kind": "email", "deliveries.0.state": "waiting", "deliveries.0.attempts": "0",
		"deliveries.0.content_supplier_product_id": "1", "deliveries.0.requested_at": requested, "deliveries.0.next_attempt_at": requested,
		"deliveries.0.last_attempt_at": "", "deliveries.0.error": "", "deliveries.0.opened_at": "",
	})
	for _, name := range []string{"last_attempt_at", "error", "opened_at"} {
		if !strings.Contains(string(res.body), `"`+name+`":null`) {
			t.Errorf("%s is not null in %s", name, res.body)
		}
	}
	s, err := f.m.Subscriber(t.Context(), f.p.ID, cpf.Document(doc(1)))
	f.must(err)
	if got := res.text("deliveries", 0, "operation_id"); got != s.Services[0].Operation.String() {
		t.Errorf("operation_id: got %s, want %s", got, s.Services[0].Operation)
	}
	jobs, err := f.m.Jobs(t.Context(), domain.JobFilter{})
	f.must(err)
	if got := res.text("deliveries", 0, "id"); got != jobs[0].ID.String() {
		t.Errorf("id: got %s, want %s, that of `admin deliveries`", got, jobs[0].ID)
	}
	f.advance(time.Minute)
	sent := api.At(f.clock()).String()
	f.links()
	f.do("GET", "/api"+path, "").want(200).has(map[string]string{"deliveries.0.state": "sent", "deliveries.0.attempts": "1",
		"deliveries.0.last_attempt_at": sent, "deliveries.0.next_attempt_at": ""})
	f.advance(time.Minute)
	f.do("POST", "/subscribers/resend_activation_email", `{"document":"`+doc(1)+`"}`).want(200)
	f.do("GET", path, "").want(200).has(map[string]string{"deliveries.0.state": "waiting", "deliveries.1.state": "sent", "deliveries.1.requested_at": requested})
	f.register(2, 2)
	f.do("GET", "/subscribers/"+doc(2)+"/deliveries", "").want(200).has(map[string]string{"response": "success", "deliveries": "[]"})
	f.do("GET", "/subscribers/"+doc(3)+"/deliveries", "").want(404, api.CodeSubscriberNotFound)
	f.do("GET", "/subscribers/"+doc(1)+"/delivery", "").want(404, api.CodeNotFound)
	f.do("POST", path, "{}").want(405)
}

// Only the first GET of a link counts: HEAD fetches no page.
func TestTheFirstGetOfALinkIsItsOpening(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.register(1, 1, basic)
	link := "/activate/" + f.links()[doc(1)]
	opened := func() string {
		return f.do("GET", "/subscribers/"+doc(1)+"/deliveries", "").want(200).text("deliveries", 0, "opened_at")
	}
	f.do("HEAD", link, "").want(200)
	if got := opened(); got != "" {
		t.Errorf("after HEAD: got %s, want not opened", got)
	}
	at := api.At(f.clock()).String()
	for range 3 {
		f.do("GET", link, "").want(200)
		if got := opened(); got != at {
			t.Errorf("got %q, want %s", got, at)
		}
		f.advance(time.Hour)
	}
	f.do("POST", link, "").want(200)
	f.do("GET", link, "").want(200)
	if got := opened(); got != at {
		t.Errorf("after use: got %q, want %s", got, at)
	}
}

func TestALinkIsShownThoughItsOpeningCannotBeWritten(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.register(1, 1, basic)
	link := f.links()[doc(1)]
	f.store.update = func(context.Context) error { return errors.New("the disk is full") }
	f.do("GET", "/activate/"+link, "").want(200)
	if log := f.log.String(); !strings.Contains(log, "the disk is full") || strings.Contains(log, link) {
		t.Errorf("got the log %s, want the cause without the link", log)
	}
	f.store.update = nil
	f.do("GET", "/subscribers/"+doc(1)+"/deliveries", "").want(200).has(map[string]string{"deliveries.0.opened_at": ""})
	f.do("GET", "/activate/"+link, "").want(200)
	f.do("GET", "/subscribers/"+doc(1)+"/deliveries", "").want(200).has(map[string]string{"deliveries.0.opened_at": api.At(f.clock()).String()})
}
