package server_test

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"ativa/internal/api"
	"ativa/internal/service/domain"
)

// suspend starts the suspension of subscriber n and returns its operation, which waits for the
// partner.
func (f *fixture) suspend(n int) domain.OperationID {
	f.t.Helper()
	f.activate(n, basic)
	f.do("POST", "/provision/suspend", batch(basic, n)).want(200)
	return f.operation(doc(n))
}

func suspensionConfirmed(op domain.OperationID) string {
	return fmt.Sprintf(`{"type":"service.suspension.confirmed","operation_id":%q}`, op)
}

// A partner cannot confirm another partner's operation, even with its id. Message ids are separate
// for each partner.
func TestAPartnerCannotConfirmTheOperationsOfAnother(t *testing.T) {
	f := newParallelFixture(t)
	mine, body := f.partner, suspensionConfirmed(f.suspend(1))
	other, err := f.m.CreatePartner(t.Context(), domain.Partner{Name: "outro", Driver: domain.DriverManual})
	f.must(err)
	for _, c := range []struct {
		by     domain.Partner
		status string
	}{{other, "waitingSuspension"}, {mine, "suspend"}} {
		f.partner = c.by
		f.do("POST", "/partner/events", body, f.sign("m1", body, 0)...).want(202).has(map[string]string{"result": "accepted"})
		f.do("GET", "/subscribers/"+doc(1), "").has(map[string]string{"subscriber.services.0.status": c.status})
	}
	f.partner, err = f.store.CreatePartner(t.Context(), domain.Partner{Name: "sem segredo", Driver: domain.DriverManual, Secret: []byte{}})
	f.must(err)
	f.do("POST", "/partner/events", body, f.sign("m2", body, 0)...).want(401) // anybody could sign it
}

// A leaked secret is replaced: from then on the old one signs nothing.
func TestAPartnerSignsWithItsNewSecretAlone(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	body := suspensionConfirmed(f.suspend(1))
	signed := f.sign("m1", body, 0)
	var err error
	f.partner, err = f.m.RotatePartner(t.Context(), f.partner.Name)
	f.must(err)
	f.do("POST", "/partner/events", body, signed...).want(401, api.CodeInvalidSignature)
	f.do("POST", "/partner/events", body, f.sign("m1", body, 0)...).want(202).has(map[string]string{"result": "accepted"})
}

// sign returns the partner's headers for a body; late is the difference of its clock from ours.
func (f *fixture) sign(id, body string, late time.Duration) []string {
	f.t.Helper()
	hook, err := webhooks.NewWebhookRaw(f.partner.Secret)
	f.must(err)
	at := f.clock().Add(late)
	signature, err := hook.Sign(id, at, []byte(body))
	f.must(err)
	return []string{
		"webhook-id: " + id, fmt.Sprintf("webhook-timestamp: %d", at.Unix()),
		"webhook-signature: v1,b2xkIHNlY3JldA== " + signature,
	}
}

func TestPartnersConfirmWithTheirSignature(t *testing.T) {
	f := newParallelFixture(t)
	body := `{"type":"service.suspension.confirmed","operation_id":"` + f.suspend(1).String() + `","reason":"feito"}`

	for _, c := range []struct {
		name   string
		change func([]string) []string
		lookUp bool // the partners are read, which costs more than a refusal (decisions.md 8)
	}{
		{"unsigned", func([]string) []string { return nil }, false},
		{"no id", func(h []string) []string { return h[1:] }, false},
		{"no number", func(h []string) []string { return append(h, "webhook-timestamp: now") }, false},
		{"old", func([]string) []string { return f.sign("m1", body, -301*time.Second) }, false},
		{"early", func([]string) []string { return f.sign("m1", body, 301*time.Second) }, false},
		{"empty", func(h []string) []string { return append(h, "webhook-signature: ") }, false},
		{"asymmetric", func(h []string) []string { return append(h, "webhook-signature: v1a,AAAA") }, false},
		{"forged", func(h []string) []string { return append(h, "webhook-signature: v1,AAAA") }, true},
		{"other id", func(h []string) []string { return append(h, "webhook-id: other") }, true},
	} {
		f.store.lists = 0
		f.do("POST", "/partner/events", body, append(c.change(f.sign("m1", body, 0)), "Authorization")...).want(401, api.CodeInvalidSignature)
		if got := f.store.lists > 0; got != c.lookUp {
			t.Errorf("%s: the partners were read: %t, want %t", c.name, got, c.lookUp)
		}
	}
	f.do("POST", "/partner/events", strings.Replace(body, "feito", "outro", 1), f.sign("m1", body, 0)...).want(401, api.CodeInvalidSignature)

	for _, want := range []string{"accepted", "duplicate"} {
		f.do("POST", "/api/partner/events", body, append(f.sign("m1", body, 299*time.Second), "Authorization")...).want(202).
			has(map[string]string{"response": "success", "result": want})
	}
	f.do("GET", "/subscribers/"+doc(1)+"/history", "").has(map[string]string{"history.4.status": "suspend", "history.4.actor": "partner", "history.4.reason": "feito"})

	unknown := `{"type":"service.change.failed","operation_id":"op_1"}`
	f.do("POST", "/partner/events", unknown, f.sign("m2", unknown, 0)...).want(202).has(map[string]string{"result": "accepted"})
}

// An address that floods with wrong or old signatures is throttled, and its events leave nothing. What
// signed events may confirm is tested with package rules.
func TestForgedPartnerEventsAreThrottledAndLeaveNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	truth := suspensionConfirmed(f.suspend(1))
	statuses := map[int]int{}
	for n := range 200 {
		headers := f.sign(fmt.Sprint("forged", n), truth+" ", 0) // the signature is of another body
		if n%2 == 0 {
			headers = f.sign(fmt.Sprint("old", n), truth, -time.Hour)
		}
		statuses[f.do("POST", "/partner/events", truth, headers...).status]++
	}
	if want := map[int]int{http.StatusUnauthorized: 60, http.StatusTooManyRequests: 140}; !maps.Equal(statuses, want) {
		t.Errorf("got the statuses %v, want %v", statuses, want)
	}
	if kept, err := f.m.PartnerEvents(t.Context(), nil); err != nil || len(kept) != 0 {
		t.Errorf("got %+v, %v, want no event without a good signature", kept, err)
	}
	f.do("GET", "/subscribers/"+doc(1), "").want(200).has(map[string]string{"subscriber.services.0.status": "waitingSuspension"})
	f.advance(time.Second)
	f.do("POST", "/partner/events", truth, f.sign("true", truth, 0)...).want(http.StatusAccepted)
	f.do("GET", "/subscribers/"+doc(1), "").want(200).has(map[string]string{"subscriber.services.0.status": "suspend"})
}
