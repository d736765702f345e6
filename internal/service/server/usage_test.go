package server_test

import (
	"strings"
	"testing"

	"ativa/internal/api"
)

// january is the usage of the month of the fixture's clock.
const january = "/reports/usage?from=2026-01-01&to=2026-01-31"

// The example of /docs has the numbers and the other members.
func TestUsageIsReportedWithAndWithoutTokens(t *testing.T) {
	f := newParallelFixture(t)
	f.do("GET", january+"&detail=tokens", "").want(200).
		has(map[string]string{"tokens": "[]", "tz": "UTC", "complete": "true", "events_since": "", "products": "[]", "response": "success"})
	f.activate(1, basic)
	f.do("POST", "/provision/deactivate", batch(basic, 1)).want(200)
	f.confirm(doc(1), true)
	f.do("DELETE", "/subscribers/"+doc(1), "").want(200)
	f.activate(2, music)
	f.do("GET", "/api"+january, "").want(200).has(map[string]string{"products.0.ended": "1", "products.1.code": "musica", "tokens": ""})
	r := f.do("GET", january+"&detail=tokens", "").want(200).has(map[string]string{
		"tokens.0.last_enabled_at": api.At(f.clock()).String(), "tokens.0.status": "canceled",
		"tokens.1.last_enabled_at": "", "tokens.1.document": doc(2),
	})
	if !strings.Contains(string(r.body), `{"document":null,`) {
		t.Errorf("the document of a deleted subscriber is not null: %s", r.body)
	}
}
