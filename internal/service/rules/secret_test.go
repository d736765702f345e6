package rules_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"ativa/internal/service/store/pgtest"
)

// Only the SHA-256 of access tokens, bearer tokens and activation links is stored (decisions.md 8).
func TestSecretsAreKeptAsTheirSHA256(t *testing.T) {
	fx := newFixture(t, 10)
	bearer, err := fx.m.Authenticate(fx.ctx, fx.token)
	fx.must(err)
	fx.register(1, 1, playBasic)
	kept := func(secret string) {
		t.Helper()
		all := pgtest.Kept(t, fx.dsn)
		hash := sha256.Sum256([]byte(secret))
		if !bytes.Contains(all, hash[:]) && !bytes.Contains(bytes.ToLower(all), []byte(hex.EncodeToString(hash[:]))) {
			t.Errorf("the SHA-256 of %.5s… is not kept: the test looks in the wrong place", secret)
		}
		for _, form := range []string{secret, strings.TrimPrefix(secret, "ativa_")[:20], strings.TrimPrefix(secret, "atb_")[:20]} {
			if bytes.Contains(all, []byte(form)) {
				t.Errorf("%.5s… is kept in the clear", secret)
			}
		}
	}
	kept(fx.token)
	kept(bearer.Token)
	for _, link := range fx.mails() {
		kept(link)
	}
}
