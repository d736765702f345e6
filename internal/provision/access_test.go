package provision_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"slices"
	"strings"
	"sync"
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

// askedStore counts how often an access token was looked up, and can refuse to
// add one.
type askedStore struct {
	provision.Store
	asked int
	fault error
}

func (s *askedStore) AccessTokenByHash(ctx context.Context, hash [32]byte) (provision.AccessToken, bool, error) {
	s.asked++
	return s.Store.AccessTokenByHash(ctx, hash)
}

func (s *askedStore) AddAccessToken(ctx context.Context, t provision.AccessToken, keep int) (provision.AccessToken, error) {
	if s.fault != nil {
		return t, s.fault
	}
	return s.Store.AddAccessToken(ctx, t, keep)
}

// A mistyped access token is refused by its checksum: the database is not asked.
func TestAMistypedAccessTokenIsRefusedByItsChecksum(t *testing.T) {
	w := newWorld(t, 10)
	asked := &askedStore{Store: w.store}
	m := provision.NewManager(asked, w.options)
	swapped := []byte(w.token)
	swapped[10], swapped[11] = swapped[11], swapped[10]+1
	for _, mistyped := range []string{"", "x", "ativa_", "ativa_00000000", string(swapped), w.token[:len(w.token)-1], w.token + "0",
		strings.TrimPrefix(w.token, "ativa_"), strings.ToUpper(w.token), " " + w.token, "atb_" + w.token[6:]} {
		_, err := m.Authenticate(w.ctx, mistyped)
		wantCode(t, err, provision.InvalidAccessToken)
		if asked.asked != 0 {
			t.Fatalf("%q: the database was asked", mistyped)
		}
	}
	_, err := m.Authenticate(w.ctx, provision.NewAccessToken())
	wantCode(t, err, provision.InvalidAccessToken)
	_, err = m.Authenticate(w.ctx, w.token)
	if w.must(err); asked.asked != 2 {
		t.Errorf("the database was asked %d times, want once for each token of the right form", asked.asked)
	}
}

// A rotation that fails revokes nothing: it adds before it revokes, and both
// are one write.
func TestARotationThatFailsRevokesNothing(t *testing.T) {
	w := newWorld(t, 10)
	_, second, err := w.m.RotateToken(w.ctx, w.p.Name)
	w.must(err)
	fault := errors.New("the disk is full")
	_, _, err = provision.NewManager(&askedStore{Store: w.store, fault: fault}, w.options).RotateToken(w.ctx, w.p.Name)
	if !errors.Is(err, fault) {
		t.Fatalf("got %v, want the fault", err)
	}
	// A hash that is there already breaks the write after it began.
	_, err = w.store.AddAccessToken(w.ctx, provision.AccessToken{Provider: w.p.ID, Hash: sha256.Sum256([]byte(second)), CreatedAt: w.now}, 1)
	if err == nil {
		t.Fatal("the same token was added twice")
	}
	for _, token := range []string{w.token, second} {
		_, err := w.m.Authenticate(w.ctx, token)
		w.must(err)
	}
}

// Rotations at the same time leave two tokens, the newest.
func TestRotationsAtOnceLeaveTwoTokens(t *testing.T) {
	w := newWorld(t, 10)
	const all = 12
	ids := make([]int64, all)
	errs := make([]error, all)
	var rotating sync.WaitGroup
	for i := range all {
		rotating.Go(func() {
			token, _, err := w.m.RotateToken(w.ctx, w.p.Name)
			ids[i], errs[i] = token.ID, err
		})
	}
	rotating.Wait()
	w.must(errors.Join(errs...))
	slices.Sort(ids)
	valid := w.tokens()
	if len(valid) != 2 || valid[0].ID != ids[all-2] || valid[1].ID != ids[all-1] {
		t.Errorf("got the tokens %+v, want the two newest of %v", valid, ids)
	}
}

// tokens are the provider's valid access tokens.
func (w *world) tokens() []provision.AccessToken {
	w.t.Helper()
	tokens, err := w.m.AccessTokens(w.ctx, w.p)
	w.must(err)
	return tokens[w.p.ID]
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
	tokens := w.tokens()
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
	tokens := w.tokens()
	w.must(w.m.RevokeToken(w.ctx, w.p.Name, tokens[0].ID))
	w.must(w.store.SaveBearer(w.ctx, provision.BearerToken{
		Hash: sha256.Sum256([]byte("late")), AccessToken: tokens[0].ID, Provider: w.p.ID, ExpiresAt: w.now.Add(time.Hour),
	}))
	_, err := w.m.Identify(w.ctx, "late")
	wantCode(t, err, provision.TokenInvalid)
}
