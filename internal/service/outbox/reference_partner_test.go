package outbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"ativa/internal/service/rules"
	"ativa/internal/service/server"
)

// referencePartner is a partner written from the documentation alone: it verifies
// requests, carries each operation out once and reports it by a signed event.
type referencePartner struct {
	t      *testing.T
	secret string // whsec_…
	events string // URL of POST /partner/events
	reject map[string]bool

	mu   sync.Mutex
	done map[string]string // operation id → type
	work sync.WaitGroup
}

func (p *referencePartner) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	verifier, err := webhooks.NewWebhook(p.secret)
	if err != nil || verifier.Verify(body, r.Header) != nil {
		w.WriteHeader(http.StatusUnauthorized)
		p.t.Errorf("a request with a bad signature: %s", body)
		return
	}
	var request partnerRequest
	if err := json.Unmarshal(body, &request); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, known := p.done[request.Operation]
	p.done[request.Operation] = fmt.Sprintf("%s %v", request.Type, request.Data.Previous)
	w.WriteHeader(http.StatusAccepted)
	if !known {
		p.work.Go(func() { p.report(verifier, request) })
	}
}

// report posts the outcome, twice, as careful senders do.
func (p *referencePartner) report(signer *webhooks.Webhook, request partnerRequest) {
	outcome := "confirmed"
	if p.reject[request.Type] {
		outcome = "failed"
	}
	body := fmt.Sprintf(`{"type":%q,"operation_id":%q,"reason":"as asked"}`, strings.Replace(request.Type, "requested", outcome, 1), request.Operation)
	for _, want := range []string{"accepted", "duplicate"} {
		now := time.Now()
		id := "evt-" + request.Operation
		signature, err := signer.Sign(id, now, []byte(body))
		if err != nil {
			p.t.Error(err)
			return
		}
		req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, p.events, strings.NewReader(body))
		if err != nil {
			p.t.Error(err)
			return
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("webhook-id", id)
		req.Header.Set("webhook-timestamp", fmt.Sprint(now.Unix()))
		req.Header.Set("webhook-signature", signature)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			p.t.Error(err)
			return
		}
		answer, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != http.StatusAccepted || !strings.Contains(string(answer), want) {
			p.t.Errorf("event %s: got %d %s, want 202 %s", id, res.StatusCode, answer, want)
		}
	}
}

// A service goes through its whole life over HTTP, by requests and signed events
// only.
func TestAReferencePartnerConfirmsEveryOperation(t *testing.T) {
	partner := &referencePartner{t: t, done: map[string]string{}, reject: map[string]bool{}}
	ps := httptest.NewServer(partner)
	defer ps.Close()
	f := newFixture(t, rules.Partner{Name: "parceiro", Driver: rules.DriverHTTP, URL: ps.URL + "/operations"})
	partners, err := f.manager.Partners(t.Context())
	f.must(err)
	partner.secret = rules.Secret(partners[0].Secret)
	as := httptest.NewServer(server.New(f.manager.Parts(), server.Options{}))
	defer as.Close()
	partner.events = as.URL + "/partner/events"
	f.start()

	d := f.register(f.defaultProvider, 1, 1)[0]
	f.waitForStatus(d, rules.Active)
	for _, step := range []struct {
		request rules.Request
		product int
		want    rules.Status
	}{
		{rules.RequestSuspend, 1, rules.Suspended},
		{rules.RequestActivate, 1, rules.Active}, // reactivation
		{rules.RequestActivate, 2, rules.Active}, // change
		{rules.RequestOverdue, 2, rules.Overdue},
		{rules.RequestSettle, 2, rules.Active}, // by a reactivation
	} {
		f.request(f.defaultProvider, step.request, step.product, d)
		f.waitForStatus(d, step.want)
	}
	partner.mu.Lock()
	partner.reject["service.cancellation.requested"] = true
	partner.mu.Unlock()
	f.request(f.defaultProvider, rules.RequestDeactivate, 2, d)
	f.waitForStatus(d, rules.InError)
	if got := f.lastReason(f.defaultProvider, d); got != "as asked" {
		t.Errorf("got the reason %q, want the partner's", got)
	}
	partner.mu.Lock()
	partner.reject = nil
	partner.mu.Unlock()
	f.request(f.defaultProvider, rules.RequestDeactivate, 2, d)
	f.waitForStatus(d, rules.Canceled)
	partner.work.Wait()

	counts := map[string]int{}
	for _, kind := range partner.done {
		counts[kind]++
	}
	for kind, want := range map[string]int{
		"service.activation.requested 0": 1, "service.suspension.requested 0": 2, "service.reactivation.requested 0": 2,
		"service.change.requested 1": 1, "service.cancellation.requested 0": 2,
	} {
		if counts[kind] != want {
			t.Errorf("%s: got %d operations, want %d of %v", kind, counts[kind], want, counts)
		}
	}
}

// waitForStatus waits, in real time, until the service has the status.
func (f *fixture) waitForStatus(document string, want rules.Status) {
	f.t.Helper()
	for deadline := time.Now().Add(testTimeout); f.service(f.defaultProvider, document).Status != want; {
		if time.Now().After(deadline) {
			f.t.Fatalf("got %s, want %s", f.service(f.defaultProvider, document).Status, want)
		}
		<-time.After(5 * time.Millisecond)
	}
}
