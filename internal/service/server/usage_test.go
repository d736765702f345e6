package server_test

import (
	"strings"
	"testing"
	"time"

	"ativa/internal/api"
)

// january is the usage of the month of the fixture's clock.
const january = "/reports/usage?from=2026-01-01&to=2026-01-31"

// The example of /docs has the other members.
func TestUsageIsReportedByProductAndByToken(t *testing.T) {
	f := newParallelFixture(t)
	f.do("GET", january+"&detail=tokens", "").want(200).
		has(map[string]string{"tokens": "[]", "tz": "UTC", "complete": "true", "events_since": "", "products": "[]", "response": "success"})
	f.activate(1, basic)
	f.activate(2, basic)
	f.activate(3, music)
	f.advance(time.Hour)
	f.do("POST", "/provision/deactivate", batch(basic, 2)).want(200)
	f.confirm(doc(2), true)
	f.do("DELETE", "/subscribers/"+doc(2), "").want(200)
	f.do("GET", "/api"+january, "").want(200).has(map[string]string{
		"products.0.activated": "2", "products.0.ended": "1", "products.0.enabled_at_end": "1", "products.0.peak_enabled": "2", "products.1.code": "musica", "tokens": "",
	})
	r := f.do("GET", january+"&detail=tokens", "").want(200).has(map[string]string{
		"tokens.0.document": doc(1), "tokens.0.last_enabled_at": "",
		"tokens.1.last_enabled_at": api.At(f.clock()).String(), "tokens.1.status": "canceled", "tokens.2.document": doc(3),
	})
	if !strings.Contains(string(r.body), `{"document":null,`) {
		t.Errorf("the document of a deleted subscriber is not null: %s", r.body)
	}
}
