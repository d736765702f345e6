package store_test

import (
	"crypto/sha256"
	"testing"
	"time"

	"ativa/internal/service/domain"
)

// A token is read as written: name, scopes, expiry, last use, and both secrets; a bearer token with
// its access token.
func TestATokenIsReadAsItWasWritten(t *testing.T) {
	f, db := newDatabase(t)
	ctx := t.Context()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	first, second, other := sha256.Sum256([]byte{1}), sha256.Sum256([]byte{2}), sha256.Sum256([]byte{3})
	written := domain.AccessToken{Provider: f.p, Name: "cron", Scopes: domain.ScopeProvision, Hash: first, CreatedAt: now, ExpiresAt: now.Add(time.Hour)}
	another := domain.AccessToken{Provider: f.p, Name: "desk", Hash: other, CreatedAt: now}
	change := func(kind domain.EventType, a domain.AccessToken) domain.AccessToken {
		t.Helper()
		changed, err := db.ChangeToken(ctx, f.p, func(domain.Provider, []domain.AccessToken) (domain.TokenChange, error) {
			return domain.TokenChange{Token: a, Event: domain.Event{At: now, Type: kind}}, nil
		})
		must(t, err)
		return changed
	}
	written, another = change(domain.TokenCreated, written), change(domain.TokenCreated, another)
	all, err := db.AccessTokens(ctx, []domain.ProviderID{f.p})
	must(t, err)
	if n := len(all); n < 2 || all[n-2].ID != written.ID || all[n-1].Name != "desk" {
		t.Errorf("got %+v, want both at the end", all)
	}
	read := func(hash [32]byte) domain.AccessToken {
		t.Helper()
		got, found, err := db.AccessTokenByHash(ctx, hash)
		if err != nil || !found {
			t.Fatalf("got %t, %v, want the token", found, err)
		}
		return got
	}
	got := read(first)
	if got.ID != written.ID || got.Provider != f.p || got.Name != "cron" || got.Scopes != domain.ScopeProvision || !got.ExpiresAt.Equal(now.Add(time.Hour)) || !got.LastUsedAt.IsZero() {
		t.Errorf("got %+v, want it as it was added", got)
	}
	for _, use := range []struct{ at, want time.Time }{{now, now}, {now.Add(-time.Hour), now}, {now.Add(time.Hour), now.Add(time.Hour)}} {
		must(t, db.SetTokensUsed(ctx, map[domain.TokenID]time.Time{written.ID: use.at}))
		if got := read(first).LastUsedAt; !got.Equal(use.want) {
			t.Errorf("used at %v: got %v, want %v", use.at, got, use.want)
		}
	}
	if got := read(other); got.ID != another.ID || !got.LastUsedAt.IsZero() {
		t.Errorf("got %+v, want the other token as it was", got)
	}

	before, err := db.LastEvent(ctx, f.p)
	must(t, err)
	change(0, written) // nothing to change
	if after, err := db.LastEvent(ctx, f.p); err != nil || after != before {
		t.Errorf("got the event %s after %s, %v, want none", after, before, err)
	}

	bearer := domain.BearerToken{Hash: sha256.Sum256([]byte{9}), AccessToken: got, ExpiresAt: now.Add(time.Minute)}
	must(t, db.SaveBearer(ctx, bearer))
	findBearer := func(want bool) domain.BearerToken {
		t.Helper()
		got, found, err := db.BearerByHash(ctx, bearer.Hash)
		if err != nil || found != want {
			t.Fatalf("got %t, %v, want %t", found, err, want)
		}
		return got
	}
	if b := findBearer(true); b.AccessToken.ID != written.ID || b.AccessToken.Provider != f.p || b.AccessToken.Scopes != domain.ScopeProvision ||
		!b.AccessToken.LastUsedAt.Equal(now.Add(time.Hour)) || !b.ExpiresAt.Equal(bearer.ExpiresAt) {
		t.Errorf("got %+v, want the bearer token as it was saved", b)
	}

	rotate := func(hash [32]byte, ends time.Time) {
		t.Helper()
		written.Hash, written.SecretEndsAt = hash, ends
		written.Generation++
		change(domain.TokenRotated, written)
	}
	rotate(second, now.Add(2*time.Hour))
	if got := read(second); got.ID != written.ID || !got.SecretEndsAt.IsZero() {
		t.Errorf("by the new secret: got %+v", got)
	}
	if got := read(first); got.ID != written.ID || !got.SecretEndsAt.Equal(now.Add(2*time.Hour)) {
		t.Errorf("by the old secret: got %+v, want when that ends", got)
	}
	findBearer(true)
	third := sha256.Sum256([]byte{4})
	rotate(third, time.Time{})
	if _, found, err := db.AccessTokenByHash(ctx, first); found || err != nil {
		t.Errorf("the secret before the last two is accepted: %t, %v", found, err)
	}
	findBearer(false)

	written.RevokedAt = now
	change(domain.TokenRevoked, written)
	if _, found, err := db.AccessTokenByHash(ctx, third); found || err != nil {
		t.Errorf("a revoked token: got %t, %v", found, err)
	}
	read(other)
}
