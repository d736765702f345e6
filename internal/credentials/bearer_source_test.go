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
	"ativa/internal/failure"
	"ativa/internal/lang"
	"ativa/internal/system"
	"ativa/internal/system/systemtest"
)

// fixture is a server that issues bearers, a clock, and a directory for the cache.
type fixture struct {
	testing.TB
	dir    string
	at     time.Time
	err    error // of the server
	issued atomic.Int32
	tokens []string // for which bearers were issued
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	fakeSessionBus(t)
	return &fixture{TB: t, dir: t.TempDir(), at: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)}
}

func (f *fixture) authenticate(_ context.Context, accessToken string) (api.Bearer, error) {
	if f.err != nil {
		return api.Bearer{}, f.err
	}
	f.tokens = append(f.tokens, accessToken)
	return api.Bearer{
		Token: fmt.Sprintf("bearer-%d", f.issued.Add(1)), Base: "https://api.example.com/api", IssuedAt: f.at, ExpiresAt: f.at.Add(10 * time.Hour),
		AccessToken: &api.AccessToken{Name: "painel", Scopes: api.List[api.Scope]{api.ScopeRead}, ExpiresAt: api.At(f.at)},
	}, nil
}

// of returns a source of bearers over these sources, as in a new process.
func (f *fixture) of(s credentials.Sources) *credentials.BearerSource {
	return &credentials.BearerSource{Sources: s, Cache: &credentials.Cache{Dir: f.dir}, Authenticate: f.authenticate, Now: func() time.Time { return f.at }}
}

// keyring returns a source over a keyring with the token "access".
func (f *fixture) keyring() *credentials.BearerSource {
	f.Helper()
	k := &credentials.Keyring{}
	must(f, k.Save(f.Context(), account(), "access"))
	return f.of(credentials.Sources{Account: account(), Keyring: k, Storage: credentials.StorageKeyring})
}

// wants checks the bearer that a source returns.
func (f *fixture) wants(s *credentials.BearerSource, want, when string) {
	f.Helper()
	if b, err := s.Bearer(f.Context()); err != nil || b.Token != want {
		f.Errorf("%s: got %s, %v, want %s", when, b.Token, err, want)
	}
}

// files returns the files in the cache.
func (f *fixture) files(pattern string) []string {
	f.Helper()
	all, err := filepath.Glob(filepath.Join(f.dir, pattern))
	must(f, err)
	return all
}

func TestBearerIsRenewedAtNineTenthsOfItsLife(t *testing.T) {
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
		for _, sameProcess := range []bool{true, false} {
			f := newFixture(t)
			s := f.keyring()
			f.wants(s, "bearer-1", "first")
			f.at = f.at.Add(c.after)
			if !sameProcess {
				s = f.keyring()
				if _, ok := f.keyring().Cached(t.Context()); ok != (c.want == "bearer-1") {
					t.Errorf("%s: cached %t", c.name, ok)
				}
			}
			f.wants(s, c.want, fmt.Sprintf("%s, same process %t", c.name, sameProcess))
		}
	}
}

// A bearer in the cache needs neither keyring, command nor server; completion takes no other.
func TestACachedBearerAsksNobody(t *testing.T) {
	f := newFixture(t)
	var asked strings.Builder
	stdin := strings.NewReader("piped\n")
	command := credentials.Sources{Account: account(), Command: "echo asked >&2", CommandErr: &asked, Getenv: environment(credentials.TokenVariable, " ")}
	for name, s := range map[string]*credentials.BearerSource{"keyring": f.keyring(), "command": f.of(command), "stdin": f.of(credentials.Sources{Stdin: stdin})} {
		if _, ok := s.Cached(t.Context()); ok || f.issued.Load() > 0 || asked.Len() > 0 || stdin.Len() < len("piped\n") {
			t.Errorf("%s: got %t after %d requests, %q of the command and %d bytes left to read; want none", name, ok, f.issued.Load(), &asked, stdin.Len())
		}
	}
	f.wants(f.keyring(), "bearer-1", "first")
	f.err = errors.New("server is down")
	s := f.keyring()
	must(t, s.Sources.Keyring.Delete(t.Context(), account()))
	cached, ok := s.Cached(t.Context())
	b, err := cached.Bearer(t.Context())
	if a := b.AccessToken; !ok || err != nil || b.Token != "bearer-1" || b.Base != "https://api.example.com/api" || a == nil || a.Name != "painel" ||
		!slices.Equal(a.Scopes, api.List[api.Scope]{api.ScopeRead}) || !a.ExpiresAt.Equal(f.at) {
		t.Errorf("got %+v, %t, %v, want bearer-1 with what the server said of it", b, ok, err)
	}
	f.wants(s, "bearer-1", "later")
}

// An access token that was just read from a slow source may be another than that of the cached bearer.
func TestABearerOfAnotherTokenIsReplaced(t *testing.T) {
	f := newFixture(t)
	f.wants(f.keyring(), "bearer-1", "first")
	s := f.keyring()
	s.Known = credentials.Token{Value: "another", Source: credentials.FromKeyring}
	f.wants(s, "bearer-2", "with the token that was read")
	f.wants(f.keyring(), "bearer-2", "later")
}

func TestRefusedBearerIsRenewedOnce(t *testing.T) {
	f := newFixture(t)
	s, other := f.keyring(), f.keyring()
	f.wants(s, "bearer-1", "first")
	f.wants(other, "bearer-1", "another process")
	var group sync.WaitGroup
	renew := func(s *credentials.BearerSource) {
		if b, err := s.Renew(t.Context(), "bearer-1"); err != nil || b.Token != "bearer-2" {
			t.Errorf("got %s, %v; want bearer-2", b.Token, err)
		}
	}
	for range 20 {
		group.Go(func() { renew(s) })
	}
	group.Wait()
	renew(other)
	if n := f.issued.Load(); n != 2 {
		t.Errorf("authenticated %d times, want 2", n)
	}
}

// The refusal of an access token names its source, and its bearer is not taken from the cache again.
func TestRefusalOfTokenNamesItsSource(t *testing.T) {
	f := newFixture(t)
	refused := &failure.Failure{Exit: failure.ExitAuth, Code: api.CodeInvalidAccessToken, Hint: lang.Msg("run `ativa login` again")}
	file := filepath.Join(t.TempDir(), "token")
	must(t, system.WritePrivate(file, []byte("x")))
	for want, s := range map[string]*credentials.BearerSource{
		credentials.TokenVariable: f.of(credentials.Sources{Getenv: environment(credentials.TokenVariable, "x")}),
		file:                      f.of(credentials.Sources{File: file, FileFirst: true}),
		"token_command":           f.of(credentials.Sources{Command: "echo x"}),
		"standard input":          f.of(credentials.Sources{Stdin: strings.NewReader("x")}),
		"`ativa login` again":     f.keyring(),
	} {
		for _, cache := range []*credentials.Cache{s.Cache, nil} {
			s.Cache = cache
			f.err = nil
			b, _ := s.Bearer(t.Context())
			f.err = refused
			_, err := s.Renew(t.Context(), b.Token)
			o := failure.OutcomeOf(err)
			if hint := o.Hint.Text(lang.English); !errors.Is(err, refused) || o.Exit != failure.ExitAuth || o.Code != api.CodeInvalidAccessToken || !strings.Contains(hint, want) {
				t.Errorf("got %v with hint %q, want one with %q", err, hint, want)
			}
		}
	}
	if left := f.files("*.json"); len(left) > 0 {
		t.Errorf("bearers of a refused access token are left in %v", left)
	}
}

func TestTheCacheIsDistrustful(t *testing.T) {
	f := newFixture(t)
	f.dir = filepath.Join(f.dir, "cache")
	f.wants(f.keyring(), "bearer-1", "first")
	files := f.files("*")
	for _, path := range files {
		if content, _ := os.ReadFile(path); strings.Contains(string(content), "access") {
			t.Errorf("%s holds the access token", path)
		}
		must(t, systemtest.Share(path))
	}
	f.wants(f.keyring(), "bearer-2", "readable by others")
	f.dir = filepath.Join(secretFile(t, "file", "x", 0o600), "no directory")
	f.wants(f.keyring(), "bearer-3", "without a writable cache")
}

// A bearer is used for the access token that it was issued for, and for no other.
func TestABearerBelongsToItsAccessToken(t *testing.T) {
	issuedFor := func(f *fixture, want ...string) {
		f.Helper()
		if !slices.Equal(f.tokens, want) {
			f.Errorf("bearers were issued for %q, want %q", f.tokens, want)
		}
	}
	t.Run("standard input is read once", func(t *testing.T) {
		f := newFixture(t)
		s := f.of(credentials.Sources{Stdin: strings.NewReader("piped\n")})
		f.wants(s, "bearer-1", "first")
		_, err := s.Renew(t.Context(), "bearer-1")
		must(t, err)
		issuedFor(f, "piped", "piped")
	})
	t.Run("a file named for one command comes first", func(t *testing.T) {
		f := newFixture(t)
		file := secretFile(t, "token", "other", 0o600)
		for n, first := range []bool{false, true} {
			f.wants(f.of(credentials.Sources{Account: account(), Command: "echo access", File: file, FileFirst: first}), fmt.Sprint("bearer-", n+1), "")
		}
		issuedFor(f, "access", "other")
	})
	t.Run("another server, another token", func(t *testing.T) {
		f := newFixture(t)
		for _, server := range []string{"a", "b"} {
			at := credentials.Account{Server: "https://" + server + ".example.com"}
			for _, token := range []string{"one", "two"} {
				variable := environment(credentials.TokenVariable, token)
				f.wants(f.of(credentials.Sources{Account: at, Getenv: variable}), fmt.Sprint("bearer-", f.issued.Load()+1), token)
			}
			f.wants(f.of(credentials.Sources{Account: at, Command: "echo other"}), fmt.Sprint("bearer-", f.issued.Load()+1), server)
		}
	})
}

// A logout leaves no bearer of the token that a login stored, also where another source comes first.
func TestALogoutBesideAnotherTokenLeavesNoBearer(t *testing.T) {
	stored := func(f *fixture) *credentials.BearerSource {
		files := &credentials.FileStorage{Dir: f.TempDir()}
		must(f, files.Save(f.Context(), account(), "access"))
		return f.of(credentials.Sources{Account: account(), FileStorage: files, Storage: credentials.StorageFile})
	}
	tokenFile := func(f *fixture) *credentials.BearerSource {
		return f.of(credentials.Sources{Account: account(), File: secretFile(f, "token", "access", 0o600)})
	}
	nothing := func(*credentials.Sources) {}
	variable := func(s *credentials.Sources) { s.Getenv = environment(credentials.TokenVariable, "other") }
	command := func(s *credentials.Sources) { s.Command = "echo other" }
	for name, c := range map[string]struct {
		source func(*fixture) *credentials.BearerSource
		other  func(*credentials.Sources)
	}{
		"keyring":                   {(*fixture).keyring, nothing},
		"keyring beside a variable": {(*fixture).keyring, variable},
		"stored file":               {stored, nothing},
		"file beside a command":     {stored, command},
		"token file":                {tokenFile, nothing},
	} {
		f := newFixture(t)
		s := c.source(f)
		f.wants(s, "bearer-1", name+": before")
		c.other(&s.Sources)
		must(t, s.Forget(t.Context())())
		if left := f.files("*.json"); len(left) > 0 {
			t.Errorf("%s: left behind: %v", name, left)
		}
		f.wants(s, "bearer-2", name+": after")
	}
}

// Another process that renews a bearer during a login or a logout leaves none of the former access
// token: it would be used for hours.
func TestNoBearerOutlivesItsAccessToken(t *testing.T) {
	for name, change := range map[string]func(*credentials.Keyring) error{
		"login":  func(k *credentials.Keyring) error { return k.Save(t.Context(), account(), "other") },
		"logout": func(k *credentials.Keyring) error { return k.Delete(t.Context(), account()) },
	} {
		f := newFixture(t)
		s, other := f.keyring(), f.keyring()
		asked, changed := make(chan struct{}), make(chan error, 1)
		other.Authenticate = func(ctx context.Context, accessToken string) (api.Bearer, error) {
			close(asked)
			time.Sleep(100 * time.Millisecond) // in which the change would end
			return f.authenticate(ctx, accessToken)
		}
		go func() {
			<-asked
			forget := s.Forget(f.Context())
			changed <- errors.Join(change(s.Sources.Keyring), forget())
		}()
		f.wants(other, "bearer-1", "the other process")
		must(t, <-changed)
		if left := f.files("*.json"); len(left) > 0 {
			t.Errorf("%s: a bearer of the former access token is left in %v", name, left)
		}
	}
}

// Without an access token no server is asked for a bearer, from whatever source the token was to come.
func TestAnUnreadableAccessTokenIsNotExchanged(t *testing.T) {
	f := newFixture(t)
	missing := filepath.Join(f.dir, "missing")
	for name, s := range map[string]credentials.Sources{
		"a file":      {Account: account(), File: missing, FileFirst: true},
		"the keyring": {Account: account(), Keyring: &credentials.Keyring{}, Storage: credentials.StorageKeyring},
		"a command":   {Account: account(), Command: missing},
	} {
		if b, err := f.of(s).Bearer(t.Context()); err == nil || f.issued.Load() != 0 {
			t.Errorf("%s: got %q, %v and %d requests, want an error alone", name, b.Token, err, f.issued.Load())
		}
	}
}
