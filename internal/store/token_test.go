package store_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"ativa/internal/provision"
	"ativa/internal/store"
	"ativa/internal/store/pgtest"
)

// The newest live token of an older database becomes default, the others default-2
// and so on; those that have ended get names that no other token will have. Servers
// of that version go on adding tokens, which have none.
func TestTokensOfAnOlderDatabaseGetNames(t *testing.T) {
	t.Parallel()
	dsn, literal := pgtest.DSN(t), `x'%x'`
	if os.Getenv(pgtest.Engine) == "postgres" {
		dsn, literal = pgtest.Empty(t), `'\x%x'`
	}
	older := open(t, dsn, store.Options{})
	azul, verde, roxo := newProvider(t, older, "Azul"), newProvider(t, older, "Verde"), newProvider(t, older, "Roxo")
	must(t, older.Close())
	undoMigrations(t, dsn)
	added := byte(0)
	add := func(p provision.ProviderID, revoked int) {
		t.Helper()
		added++
		execute(t, dsn, fmt.Sprintf(`INSERT INTO access_token (provider_id, hash, created_at, revoked_at) VALUES (%d, `+literal+`, 1, %d)`,
			p, sha256.Sum256([]byte{added}), revoked))
	}
	for _, revoked := range []int{0, 5, 0, 5, 0} {
		add(azul.p, revoked)
	}
	add(verde.p, 0)
	add(roxo.p, 5)

	newer := open(t, dsn, store.Options{})
	defer newer.Close()
	for _, p := range []provision.ProviderID{azul.p, azul.p, verde.p} {
		add(p, 0)
	}
	all, err := newer.AccessTokens(t.Context(), []provision.ProviderID{azul.p, verde.p, roxo.p})
	must(t, err)
	var names []string
	for _, token := range all {
		names = append(names, token.Name)
		if token.Scopes != provision.AllScopes || !token.ExpiresAt.IsZero() {
			t.Errorf("%s: got %+v, want all scopes and no end", token.Name, token)
		}
	}
	if got, want := strings.Join(names, ","), "default-3,revoked-2,default-2,revoked-4,default,default,revoked-7,,,"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	token, found, err := newer.AccessTokenByHash(t.Context(), sha256.Sum256([]byte{8}))
	if err != nil || !found || token.ID != 8 {
		t.Errorf("a token without a name: got %+v, %t, %v, want it found", token, found, err)
	}
	m := provision.NewManager(newer, provision.Options{})
	if _, err := m.RevokeToken(t.Context(), "Azul", "tok_8"); err != nil {
		t.Errorf("a token without a name is revoked by its id: got %v", err)
	}
	if _, _, err := m.CreateToken(t.Context(), "Roxo", provision.AccessToken{Name: provision.DefaultTokenName}); err != nil {
		t.Errorf("the name default is free where no token was live: got %v", err)
	}
}

// What is written of a token is read again: its name, scopes and end, when it was used
// last, and its two secrets; and a bearer token with what it was made from.
func TestATokenIsReadAsItWasWritten(t *testing.T) {
	db := openNew(t, store.Options{})
	defer db.Close()
	f := newFixture(t, db)
	ctx := t.Context()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	first, second, other := sha256.Sum256([]byte{1}), sha256.Sum256([]byte{2}), sha256.Sum256([]byte{3})
	written, err := db.AddAccessToken(ctx, provision.AccessToken{Provider: f.p, Name: "cron", Scopes: provision.ScopeProvision, Hash: first,
		CreatedAt: now, ExpiresAt: now.Add(time.Hour)}, 2)
	must(t, err)
	another, err := db.AddAccessToken(ctx, provision.AccessToken{Provider: f.p, Name: "desk", Hash: other, CreatedAt: now}, 2)
	must(t, err)
	if _, err := db.AddAccessToken(ctx, provision.AccessToken{Provider: f.p, Name: "third", CreatedAt: now}, 2); !errors.Is(err, &provision.Error{Code: provision.AccessTokenLimit}) {
		t.Errorf("a third token: got %v", err)
	}
	read := func(hash [32]byte) provision.AccessToken {
		t.Helper()
		got, found, err := db.AccessTokenByHash(ctx, hash)
		if err != nil || !found {
			t.Fatalf("got %t, %v, want the token", found, err)
		}
		return got
	}
	got := read(first)
	if got.ID != written.ID || got.Provider != f.p || got.Name != "cron" || got.Scopes != provision.ScopeProvision || !got.ExpiresAt.Equal(now.Add(time.Hour)) || !got.LastUsedAt.IsZero() {
		t.Errorf("got %+v, want it as it was added", got)
	}
	for _, use := range []struct{ at, want time.Time }{{now, now}, {now.Add(-time.Hour), now}, {now.Add(time.Hour), now.Add(time.Hour)}} {
		must(t, db.SetTokensUsed(ctx, map[provision.TokenID]time.Time{written.ID: use.at}))
		if got := read(first).LastUsedAt; !got.Equal(use.want) {
			t.Errorf("used at %v: got %v, want %v", use.at, got, use.want)
		}
	}
	if got := read(other); got.ID != another.ID || !got.LastUsedAt.IsZero() {
		t.Errorf("got %+v, want the other token as it was", got)
	}

	bearer := provision.BearerToken{Hash: sha256.Sum256([]byte{9}), AccessToken: got, ExpiresAt: now.Add(time.Minute)}
	must(t, db.SaveBearer(ctx, bearer))
	findBearer := func(want bool) provision.BearerToken {
		t.Helper()
		got, found, err := db.BearerByHash(ctx, bearer.Hash)
		if err != nil || found != want {
			t.Fatalf("got %t, %v, want %t", found, err, want)
		}
		return got
	}
	if b := findBearer(true); b.AccessToken.ID != written.ID || b.AccessToken.Provider != f.p || b.AccessToken.Scopes != provision.ScopeProvision || !b.ExpiresAt.Equal(bearer.ExpiresAt) {
		t.Errorf("got %+v, want the bearer token as it was saved", b)
	}

	change := func(fn func(*provision.AccessToken)) {
		t.Helper()
		_, err := db.UpdateAccessToken(ctx, written.ID, func(a *provision.AccessToken) error { fn(a); return nil })
		must(t, err)
	}
	change(func(a *provision.AccessToken) { a.Hash, a.SecretEndsAt = second, now.Add(2*time.Hour) })
	if got := read(second); got.ID != written.ID || !got.SecretEndsAt.IsZero() {
		t.Errorf("by the new secret: got %+v", got)
	}
	if got := read(first); got.ID != written.ID || !got.SecretEndsAt.Equal(now.Add(2*time.Hour)) {
		t.Errorf("by the old secret: got %+v, want when that ends", got)
	}
	findBearer(true)
	third := sha256.Sum256([]byte{4})
	change(func(a *provision.AccessToken) { a.Hash = third })
	if _, found, err := db.AccessTokenByHash(ctx, first); found || err != nil {
		t.Errorf("the secret before the last two is accepted: %t, %v", found, err)
	}
	findBearer(false)

	change(func(a *provision.AccessToken) { a.RevokedAt = now })
	if _, found, err := db.AccessTokenByHash(ctx, third); found || err != nil {
		t.Errorf("a revoked token: got %t, %v", found, err)
	}
	read(other)
}
