package credentials_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/credentials"
	"ativa/internal/system"
	"ativa/internal/system/systemtest"
)

// fakeServer issues bearers and records the access tokens.
type fakeServer struct {
	count  atomic.Int32
	tokens []string
	err    error
	now    func() time.Time // time.Now if nil
}

func (e *fakeServer) authenticate(_ context.Context, accessToken string) (api.Bearer, error) {
	if e.err != nil {
		return api.Bearer{}, e.err
	}
	now := time.Now()
	if e.now != nil {
		now = e.now()
	}
	e.tokens = append(e.tokens, accessToken)
	return api.Bearer{
		Token: fmt.Sprintf("bearer-%d", e.count.Add(1)), Base: "https://api.example.com/api", IssuedAt: now, ExpiresAt: now.Add(10 * time.Hour),
		AccessToken: &api.AccessToken{Name: "painel", Scopes: api.List[api.Scope]{api.ScopeRead}, ExpiresAt: api.At(newClock().at)},
	}, nil
}

// clock is a clock that a test sets.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func newClock() *clock { return &clock{time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)} }

// newBearerSource returns a source over a keyring with the token "access", as in a new
// process.
func newBearerSource(t *testing.T, dir string, e *fakeServer, c *clock) *credentials.BearerSource {
	t.Helper()
	k := &credentials.Keyring{}
	must(t, k.Save(t.Context(), account(), "access"))
	e.now = c.now
	return &credentials.BearerSource{
		Sources:      credentials.Sources{Account: account(), Keyring: k, Storage: credentials.StorageKeyring},
		Cache:        &credentials.Cache{Dir: dir},
		Authenticate: e.authenticate,
		Now:          c.now,
	}
}

func bearerOf(t *testing.T, s *credentials.BearerSource) string {
	t.Helper()
	b, err := s.Bearer(t.Context())
	must(t, err)
	return b.Token
}

func TestBearerIsRenewedAtNineTenthsOfItsLife(t *testing.T) {
	fakeSessionBus(t)
	for _, c := range []struct {
		name  string
		after time.Duration
		want  string
	}{
		{"at once", 0, "bearer-1"},
		{"before", 9*time.Hour - time.Second, "bearer-1"},
		{"at nine tenths", 9 * time.Hour, "bearer-2"},
		{"after its end", 11 * time.Hour, "bearer-2"},
		{"the clock went back", -time.Hour, "bearer-2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, sameProcess := range []bool{true, false} {
				e, at, dir := &fakeServer{}, newClock(), t.TempDir()
				s := newBearerSource(t, dir, e, at)
				bearerOf(t, s)
				at.at = at.at.Add(c.after)
				if !sameProcess {
					s = newBearerSource(t, dir, e, at)
				}
				if got := bearerOf(t, s); got != c.want {
					t.Errorf("same process %t: got %s, want %s", sameProcess, got, c.want)
				}
			}
		})
	}
}

func TestCachedBearerNeedsNeitherKeyringNorServer(t *testing.T) {
	fakeSessionBus(t)
	e, c, dir := &fakeServer{}, newClock(), t.TempDir()
	bearerOf(t, newBearerSource(t, dir, e, c))
	later := newBearerSource(t, dir, &fakeServer{err: errors.New("server is down")}, c)
	must(t, later.Sources.Keyring.Delete(t.Context(), account()))
	b, err := later.Bearer(t.Context())
	if err != nil || b.Token != "bearer-1" || b.Base != "https://api.example.com/api" {
		t.Fatalf("got %+v, %v; want bearer-1 and its base", b, err)
	}
	if a := b.AccessToken; a == nil || a.Name != "painel" || !slices.Equal(a.Scopes, api.List[api.Scope]{api.ScopeRead}) || !a.ExpiresAt.Equal(c.at) {
		t.Errorf("got %+v, want what the server said of the access token", a)
	}
}

func TestCacheIsApartByServerAndAccessToken(t *testing.T) {
	fakeSessionBus(t)
	e, c, dir := &fakeServer{}, newClock(), t.TempDir()
	for _, s := range []struct{ server, token, want string }{
		{"https://a.example.com", "one", "bearer-1"},
		{"https://a.example.com", "two", "bearer-2"},
		{"https://b.example.com", "one", "bearer-3"},
		{"https://a.example.com", "one", "bearer-1"},
	} {
		session := newBearerSource(t, dir, e, c)
		session.Sources.Account.Server = s.server
		session.Sources.Getenv = environment(credentials.TokenVariable, s.token)
		if got := bearerOf(t, session); got != s.want {
			t.Errorf("%s with %s: got %s, want %s", s.server, s.token, got, s.want)
		}
	}
}

func TestRefusedBearerIsRenewedOnce(t *testing.T) {
	fakeSessionBus(t)
	e, c, dir := &fakeServer{}, newClock(), t.TempDir()
	s, other := newBearerSource(t, dir, e, c), newBearerSource(t, dir, e, c)
	refused := bearerOf(t, s)
	bearerOf(t, other)
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			if b, err := s.Renew(t.Context(), refused); err != nil || b.Token != "bearer-2" {
				t.Errorf("got %s, %v; want bearer-2", b.Token, err)
			}
		})
	}
	group.Wait()
	if b, err := other.Renew(t.Context(), refused); err != nil || b.Token != "bearer-2" {
		t.Errorf("another process: got %s, %v; want bearer-2", b.Token, err)
	}
	if n := e.count.Load(); n != 2 {
		t.Errorf("authenticated %d times, want 2", n)
	}
}

func TestStdinIsReadOnceForAllRenewals(t *testing.T) {
	e, s := &fakeServer{}, &credentials.BearerSource{Sources: credentials.Sources{Stdin: strings.NewReader("piped\n")}}
	s.Authenticate = e.authenticate
	for _, refused := range []string{"", "bearer-1"} {
		if _, err := s.Renew(t.Context(), refused); err != nil {
			t.Error(err)
		}
	}
	if got := strings.Join(e.tokens, " "); got != "piped piped" {
		t.Errorf("got %q, want the piped token twice", got)
	}
}

func TestErrorsOfSourceAndServerComeThrough(t *testing.T) {
	fakeSessionBus(t)
	wrong := errors.New("wrong access token")
	s := newBearerSource(t, t.TempDir(), &fakeServer{err: wrong}, newClock())
	if _, err := s.Bearer(t.Context()); !errors.Is(err, wrong) {
		t.Errorf("got %v, want %v", err, wrong)
	}
	s.Sources.Keyring, s.Sources.Command = nil, ""
	if _, err := s.Bearer(t.Context()); reasonOf(err) != credentials.NotFound {
		t.Errorf("got %v, want %s", err, credentials.NotFound)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.Authenticate = func(ctx context.Context, _ string) (api.Bearer, error) {
		return api.Bearer{}, ctx.Err()
	}
	s.Sources.Getenv = environment(credentials.TokenVariable, "x")
	if _, err := s.Bearer(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

func TestCacheIsPrivateAndDistrustful(t *testing.T) {
	fakeSessionBus(t)
	e, c, dir := &fakeServer{}, newClock(), filepath.Join(t.TempDir(), "cache")
	bearerOf(t, newBearerSource(t, dir, e, c))
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("got %v, %v", files, err)
	}
	for _, path := range append(files, dir) {
		if private, err := system.IsPrivate(path); err != nil || !private {
			t.Errorf("%s: got %v, %v; want it private", path, private, err)
		}
		if content, _ := os.ReadFile(path); strings.Contains(string(content), "access") {
			t.Errorf("%s holds the access token", path)
		}
	}
	for name, harm := range map[string]func(string) error{
		"readable by others": systemtest.Share,
		"torn":               func(path string) error { return os.WriteFile(path, []byte(`{"token":"b`), 0o600) },
		"empty":              func(path string) error { return os.WriteFile(path, nil, 0o600) },
	} {
		before := e.count.Load()
		for _, path := range files {
			must(t, harm(path))
		}
		bearerOf(t, newBearerSource(t, dir, e, c))
		if e.count.Load() != before+1 {
			t.Errorf("%s: the cache was trusted", name)
		}
	}
}

func TestWithoutAWritableCacheTheWorkGoesOn(t *testing.T) {
	fakeSessionBus(t)
	file := secretFile(t, "file", "x", 0o600)
	s := newBearerSource(t, filepath.Join(file, "no directory"), &fakeServer{}, newClock())
	if got := bearerOf(t, s); got != "bearer-1" {
		t.Errorf("got %s, want bearer-1", got)
	}
}

// The --token-file may hold another account's token.
func TestAFileGivenToTheCommandComesBeforeACachedBearer(t *testing.T) {
	e, c, dir := &fakeServer{}, newClock(), t.TempDir()
	file := secretFile(t, "token", "other", 0o600)
	for _, first := range []bool{false, true} {
		e.now = c.now
		s := &credentials.BearerSource{Cache: &credentials.Cache{Dir: dir}, Authenticate: e.authenticate, Now: c.now,
			Sources: credentials.Sources{Account: account(), Command: "echo access", File: file, FileFirst: first}}
		bearerOf(t, s)
	}
	if got := strings.Join(e.tokens, " "); got != "access other" {
		t.Errorf("got %q, want the token of the file in the second command", got)
	}
}

// After a login with another token the old bearer is not used any more.
func TestALoginEndsTheUseOfTheTokenBefore(t *testing.T) {
	fakeSessionBus(t)
	e, c, dir := &fakeServer{}, newClock(), t.TempDir()
	s := newBearerSource(t, dir, e, c)
	bearerOf(t, s)
	must(t, s.Sources.Keyring.Save(t.Context(), account(), "other"))
	must(t, s.ForgetStored())
	next := &credentials.BearerSource{Sources: s.Sources, Cache: s.Cache, Authenticate: e.authenticate, Now: c.now}
	if got := bearerOf(t, next); got != "bearer-2" || e.tokens[len(e.tokens)-1] != "other" {
		t.Errorf("got %s for %v, want one of the other token", got, e.tokens)
	}
}

func TestForgetLeavesNoBearer(t *testing.T) {
	fakeSessionBus(t)
	for name, sources := range map[string]func(credentials.Sources) credentials.Sources{
		"keyring": func(s credentials.Sources) credentials.Sources { return s },
		"file": func(s credentials.Sources) credentials.Sources {
			return credentials.Sources{Account: s.Account, File: secretFile(t, "token", "access", 0o600)}
		},
	} {
		e, c, dir := &fakeServer{}, newClock(), t.TempDir()
		s := newBearerSource(t, dir, e, c)
		s.Sources = sources(s.Sources)
		bearerOf(t, s)
		must(t, s.Forget(t.Context()))
		if files, _ := filepath.Glob(filepath.Join(dir, "*.json")); len(files) != 0 {
			t.Errorf("%s: left behind: %v", name, files)
		}
		if got := bearerOf(t, s); got != "bearer-2" {
			t.Errorf("%s: got %s, want bearer-2", name, got)
		}
	}
}
