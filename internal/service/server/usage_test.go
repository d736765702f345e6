package server_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"ativa/internal/api"
)

func TestUsageIsReportedByProductAndByToken(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const january = "/reports/usage?from=2026-01-01&to=2026-01-31&tz=America/Sao_Paulo"
	f.do("GET", "/reports/usage?from=2026-01-01&to=2026-01-31&detail=tokens", "").want(200).
		has(map[string]string{"tokens": "[]", "from": "2026-01-01", "to": "2026-01-31", "tz": "UTC", "complete": "true", "events_since": "", "products": "[]", "response": "success"})
	begun := api.At(f.clock()).String()
	f.activate(1, basic)
	f.activate(2, basic)
	f.activate(3, music)
	f.advance(time.Hour)
	f.do("POST", "/provision/deactivate", batch(basic, 2)).want(200)
	f.confirm(doc(2), true)
	f.do("DELETE", "/subscribers/"+doc(2), "").want(200)
	r := f.do("GET", "/api"+january, "").want(200).has(map[string]string{
		"complete": "true", "events_since": begun, "products.0.content_supplier_product_id": "1", "products.0.name": "Play Básico", "products.0.code": "play-basic",
		"products.0.enabled_at_start": "0", "products.0.activated": "2", "products.0.ended": "1", "products.0.enabled_at_end": "1",
		"products.0.peak_enabled": "2", "products.0.enabled_days": "2", "products.1.content_supplier_product_id": "3",
	})
	if strings.Contains(string(r.body), "tokens") {
		t.Errorf("tokens that nobody asked for: %s", r.body)
	}
	r = f.do("GET", january+"&detail=tokens", "").want(200).has(map[string]string{
		"tokens.0.document": doc(1), "tokens.0.content_supplier_product_id": "1", "tokens.0.token_created_at": begun, "tokens.0.first_enabled_at": begun,
		"tokens.0.last_enabled_at": "", "tokens.0.enabled_days": "1", "tokens.0.status": "active",
		"tokens.1.document": "", "tokens.1.last_enabled_at": api.At(f.clock()).String(), "tokens.1.status": "canceled",
		"tokens.2.document": doc(3), "products.0.enabled_days": "2", "response": "success",
	})
	if !strings.Contains(string(r.body), `{"document":null,`) {
		t.Errorf("the document of a deleted subscriber is not null: %s", r.body)
	}
}

func TestUsageThatBreaksNeverLooksWhole(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.activate(1, basic)
	f.store.each = func(context.Context, int) error { return errors.New("the disk is gone") }
	f.do("GET", "/reports/usage?from=2026-01-01&to=2026-01-31&detail=tokens", "").want(500, api.CodeInternal)
}
