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

// The first GET of a link is recorded, HEAD and later requests are not. The page is shown even if the
// record cannot be written.
func TestTheFirstViewOfALinkIsRecorded(t *testing.T) {
	f := newParallelFixture(t)
	f.register(1, 1, basic)
	deliveries, err := f.m.Deliveries(t.Context(), domain.DeliveryFilter{})
	f.must(err)
	requested, path := api.At(f.clock()).String(), "/subscribers/"+doc(1)+"/deliveries"
	f.do("GET", path, "").want(200).has(map[string]string{
		"deliveries.0.id": deliveries[0].ID.String(), "deliveries.0.state": "waiting", "deliveries.0.attempts": "0", "deliveries.0.last_attempt_at": "",
		"deliveries.0.requested_at": requested, "deliveries.0.next_attempt_at": requested,
	})
	link := f.links()[doc(1)]
	view := func(method, opened string) {
		t.Helper()
		f.do(method, "/activate/"+link, "").want(200)
		f.do("GET", path, "").want(200).has(map[string]string{"deliveries.0.state": "sent", "deliveries.0.opened_at": opened})
		f.advance(time.Minute)
	}
	view("HEAD", "")
	f.store.update = func(context.Context) error { return errors.New("the disk is full") }
	view("GET", "")
	if log := f.log.String(); !strings.Contains(log, "the disk is full") || strings.Contains(log, link) {
		t.Errorf("got the log %s, want the cause without the link", log)
	}
	f.store.update = noFault
	opened := api.At(f.clock()).String()
	for _, method := range []string{"GET", "GET", "POST"} {
		view(method, opened)
	}
}
