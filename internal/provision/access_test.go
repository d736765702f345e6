package provision_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"hash/crc32"
	"strings"
	"testing"
	"time"

	"ativa/internal/provision"
	"ativa/internal/store/pgtest"
)

// Of the secrets that open something only the SHA-256 is kept: of access
// tokens, bearer tokens and activation links (decisions.md 8).
func TestSecretsAreKeptAsTheirSHA256(t *testing.T) {
	w := newWorld(t, 10)
	bearer, err := w.m.Authenticate(w.ctx, w.token)
	w.must(err)
	w.register(1, 1, playBasic)
	kept := func(secret string) {
		t.Helper()
		all := pgtest.Kept(t, w.dsn)
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
	kept(w.token)
	kept(bearer.Token)
	for _, link := range w.mails() {
		kept(link)
	}
}

func TestAnAccessTokenIsRecognisableAndRandom(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		token := provision.NewAccessToken()
		body, ok := strings.CutPrefix(token, "ativa_")
		if !ok || len(body) < 8 {
			t.Fatalf("got %q, want the prefix ativa_ and a checksum", token)
		}
		random, sum := body[:len(body)-8], body[len(body)-8:]
		if b, err := base64.RawURLEncoding.DecodeString(random); err != nil || len(b) != 32 {
			t.Fatalf("got %d bytes, %v, want 256 bits", len(b), err)
		}
		want := make([]byte, 4)
		for i, shift := range []int{24, 16, 8, 0} {
			want[i] = byte(crc32.ChecksumIEEE([]byte(random)) >> shift)
		}
		if sum != hex.EncodeToString(want) || seen[token] {
			t.Fatalf("the checksum of %q is not that of its body, or it came twice", token)
		}
		seen[token] = true
	}
}

func TestBearerTokensSurviveARestartAndEndWithTheirAccessToken(t *testing.T) {
	w := newWorld(t, 10)
	bearer, err := w.m.Authenticate(w.ctx, w.token)
	w.must(err)
	w.reopen()
	if p, err := w.m.Identify(w.ctx, bearer.Token); err != nil || p != w.p.ID {
		t.Errorf("after a restart: got provider %d, %v", p, err)
	}
	w.now = w.now.Add(6*time.Hour - time.Second)
	_, err = w.m.Identify(w.ctx, bearer.Token)
	w.must(err)
	tokens, err := w.m.AccessTokens(w.ctx, w.p.Name)
	w.must(err)
	w.must(w.m.RevokeToken(w.ctx, w.p.Name, tokens[0].ID))
	_, err = w.m.Identify(w.ctx, bearer.Token)
	wantCode(t, err, provision.TokenInvalid)
}

// A provider that is disabled is let in by no token, also by bearer tokens
// that are out; when it is enabled again, all is as before.
func TestADisabledProviderIsNotLetIn(t *testing.T) {
	w := newWorld(t, 10)
	bearer, err := w.m.Authenticate(w.ctx, w.token)
	w.must(err)
	_, err = w.m.Disable(w.ctx, w.p.Name)
	w.must(err)
	_, err = w.m.Authenticate(w.ctx, w.token)
	wantCode(t, err, provision.InvalidAccessToken)
	_, err = w.m.Identify(w.ctx, bearer.Token)
	wantCode(t, err, provision.TokenInvalid)
	_, err = w.m.Enable(w.ctx, w.p.Name)
	w.must(err)
	_, err = w.m.Authenticate(w.ctx, w.token)
	w.must(err)
	_, err = w.m.Identify(w.ctx, bearer.Token)
	w.must(err)
}

// A request to authenticate that was under way when its access token was
// revoked leaves no bearer token behind that lets anybody in.
func TestABearerTokenOfARevokedAccessTokenIsNone(t *testing.T) {
	w := newWorld(t, 10)
	tokens, err := w.m.AccessTokens(w.ctx, w.p.Name)
	w.must(err)
	w.must(w.m.RevokeToken(w.ctx, w.p.Name, tokens[0].ID))
	w.must(w.store.SaveBearer(w.ctx, provision.BearerToken{
		Hash: sha256.Sum256([]byte("late")), AccessToken: tokens[0].ID, Provider: w.p.ID, ExpiresAt: w.now.Add(time.Hour),
	}))
	_, err = w.m.Identify(w.ctx, "late")
	wantCode(t, err, provision.TokenInvalid)
}
