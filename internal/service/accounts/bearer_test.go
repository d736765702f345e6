package accounts_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"
	"time"

	"ativa/internal/service/accounts"
	"ativa/internal/service/domain"
	"ativa/internal/service/servicetest"
)

func TestAnAccessTokenIsRecognisableAndRandom(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		token := accounts.NewAccessToken()
		body, ok := strings.CutPrefix(token, "ativa_")
		if !ok || len(body) < 8 {
			t.Fatalf("got %q, want the prefix ativa_ and a checksum", token)
		}
		random, sum := body[:len(body)-8], body[len(body)-8:]
		bits, err := base64.RawURLEncoding.DecodeString(random)
		if err != nil || len(bits) != 32 || sum != fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(random))) || seen[token] {
			t.Fatalf("got %q, %v, want 256 bits, never the same, and their checksum", token, err)
		}
		seen[token] = true
	}
}

// tokenStore counts look-ups of access tokens and writes of their last use, which it can refuse.
type tokenStore struct {
	servicetest.Store
	asked, written int
	fault          error
}

func (s *tokenStore) AccessTokenByHash(ctx context.Context, hash [32]byte) (domain.AccessToken, bool, error) {
	s.asked++
	return s.Store.AccessTokenByHash(ctx, hash)
}

func (s *tokenStore) SetTokensUsed(ctx context.Context, used map[domain.TokenID]time.Time) error {
	s.written++
	if s.fault != nil {
		return s.fault
	}
	return s.Store.SetTokensUsed(ctx, used)
}

// A mistyped access token is refused by its checksum, without a query.
func TestAMistypedAccessTokenIsRefusedByItsChecksum(t *testing.T) {
	fx := newFixture(t)
	asked := &tokenStore{Store: fx.store}
	m := servicetest.New(asked, fx.options)
	swapped := []byte(fx.token)
	swapped[10], swapped[11] = swapped[11], swapped[10]+1
	for _, mistyped := range []string{"", "x", "ativa_", "ativa_00000000", string(swapped), fx.token[:len(fx.token)-1], fx.token + "0",
		strings.TrimPrefix(fx.token, "ativa_"), strings.ToUpper(fx.token), " " + fx.token, "atb_" + fx.token[6:]} {
		wantCode(t, errorOf(m.Authenticate(fx.ctx, mistyped)), domain.InvalidAccessToken)
		if asked.asked != 0 {
			t.Fatalf("%q: the database was asked", mistyped)
		}
	}
	wantCode(t, errorOf(m.Authenticate(fx.ctx, accounts.NewAccessToken())), domain.InvalidAccessToken)
	_, err := m.Authenticate(fx.ctx, fx.token)
	if fx.must(err); asked.asked != 2 {
		t.Errorf("the database was asked %d times, want once for each token of the right form", asked.asked)
	}
}

// If an access token is revoked while a bearer token is issued for it, that bearer token is refused.
func TestABearerTokenOfARevokedAccessTokenIsNone(t *testing.T) {
	fx := newFixture(t)
	token := fx.revoke("default")
	fx.must(fx.store.SaveBearer(fx.ctx, domain.BearerToken{Hash: sha256.Sum256([]byte("late")), AccessToken: token, ExpiresAt: fx.now.Add(time.Hour)}))
	wantCode(t, errorOf(fx.m.Identify(fx.ctx, "late")), domain.TokenInvalid)
	fx.refused(fx.token)
}
