package server_test

import (
	"fmt"
	"time"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// sign returns the headers with which the partner sends a body; late is how
// far its clock differs from ours.
func (w *world) sign(id, body string, late time.Duration) []string {
	w.t.Helper()
	hook, err := webhooks.NewWebhookRaw(w.partner.Secret)
	w.must(err)
	at := w.clock().Add(late)
	signature, err := hook.Sign(id, at, []byte(body))
	w.must(err)
	return []string{
		"webhook-id: " + id, fmt.Sprintf("webhook-timestamp: %d", at.Unix()),
		"webhook-signature: v1,b2xkIHNlY3JldA== " + signature,
	}
}
