package server_test

import (
	"fmt"
	"time"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// sign returns the headers with which the partner sends a body; late is how
// far its clock differs from ours.
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
