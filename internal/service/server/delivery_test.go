package server_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/service/domain"
)

// A delivery has states from its request to the first GET of its link; HEAD and later GETs do not
// count.
func TestDeliveriesHaveTheirStates(t *testing.T) {
	f := newParallelFixture(t)
	f.register(1, 1, basic)
	requested := api.At(f.clock()).String()
	path := "/subscribers/" + doc(1) + "/deliveries"
	jobs, err := f.m.Jobs(t.Context(), domain.JobFilter{})
	f.must(err)
	res := f.do("GET", path, "").want(200).has(map[string]string{
		"response": "success", "deliveries.0.kind": "email", "deliveries.0.state": "waiting", "deliveries.0.attempts": "0",
		"deliveries.0.id": jobs[0].ID.String(), "deliveries.0.operation_id": f.operation(doc(1)).String(),
		"deliveries.0.content_supplier_product_id": "1", "deliveries.0.requested_at": requested, "deliveries.0.next_attempt_at": requested,
	})
	for _, name := range []string{"last_attempt_at", "error", "opened_at"} {
		if !strings.Contains(string(res.body), `"`+name+`":null`) {
			t.Errorf("%s is not null in %s", name, res.body)
		}
	}
	f.advance(time.Minute)
	sent := api.At(f.clock()).String()
	link := "/activate/" + f.links()[doc(1)]
	f.do("HEAD", link, "").want(200)
	f.do("GET", "/api"+path, "").want(200).has(map[string]string{"deliveries.0.state": "sent", "deliveries.0.attempts": "1",
		"deliveries.0.last_attempt_at": sent, "deliveries.0.next_attempt_at": "", "deliveries.0.opened_at": ""})
	opened := api.At(f.clock()).String()
	for _, method := range []string{"GET", "GET", "POST", "GET"} {
		f.do(method, link, "").want(200)
		f.do("GET", path, "").want(200).has(map[string]string{"deliveries.0.opened_at": opened})
		f.advance(time.Minute)
	}
	f.do("POST", "/subscribers/resend_activation_email", `{"document":"`+doc(1)+`"}`).want(200)
	f.do("GET", path, "").want(200).has(map[string]string{"deliveries.0.state": "waiting", "deliveries.1.state": "sent", "deliveries.1.requested_at": requested})
	f.register(2, 2)
	f.do("GET", "/subscribers/"+doc(2)+"/deliveries", "").want(200).has(map[string]string{"response": "success", "deliveries": "[]"})
}

func TestALinkIsShownThoughItsOpeningCannotBeWritten(t *testing.T) {
	f := newParallelFixture(t)
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
