package store_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"testing"

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
