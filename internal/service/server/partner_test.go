package server_test

import (
	"fmt"
	"testing"
	"time"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

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
func TestAPartnerConfirmsNothingOfAnother(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
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
