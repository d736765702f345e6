package cmd

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"

	"ativa/internal/api/apitest"
	"ativa/internal/cli"
)

// startLogin returns a user with the context work and an empty keyring. kept returns the
// storage of its token.
func startLogin(t *testing.T) (u *user, kept func() string) {
	t.Helper()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")
	keyring.MockInit()
	u = userOf(t, apitest.New(""))
	server := u.env["ATIVA_SERVER"]
	delete(u.env, "ATIVA_SERVER")
	delete(u.env, "ATIVA_ACCESS_TOKEN")
	u.must("context", "add", "work", "--server", server, "--use")
	return u, func() string {
		var places []string
		if _, err := keyring.Get("ativa", "work ("+server+")"); err == nil {
			places = append(places, "keyring")
		}
		if files, _ := filepath.Glob(filepath.Join(u.env["XDG_CONFIG_HOME"], "ativa", "tokens", "*")); len(files) > 0 {
			places = append(places, "file")
		}
		return strings.Join(places, " and ")
	}
}

func (u *user) login(storage string) {
	u.t.Helper()
	if got := u.run(strings.NewReader("secret\n"), "login", "--token-stdin", "--storage", storage); got.exit != cli.ExitOK {
		u.t.Fatalf("login: exit %d, %s", got.exit, got.stderr)
	}
}

func TestALoginReadsATokenAsWindowsWritesIt(t *testing.T) {
	for _, text := range []string{"\ufeffsecret\r\n", "\xff\xfes\x00e\x00c\x00r\x00e\x00t\x00\r\x00\n\x00"} {
		u, _ := startLogin(t)
		got := u.run(strings.NewReader(text), "login", "--token-stdin", "--storage", "file")
		files, _ := filepath.Glob(filepath.Join(u.env["XDG_CONFIG_HOME"], "ativa", "tokens", "*"))
		if len(files) != 1 {
			t.Fatalf("%q: exit %d, %s", text, got.exit, got.stderr)
		}
		if kept, err := os.ReadFile(files[0]); err != nil || strings.TrimSpace(string(kept)) != "secret" {
			t.Errorf("%q: kept %q, %v", text, kept, err)
		}
	}
}

func TestALoginNamesTheSourceBeforeIt(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	must(t, os.WriteFile(file, []byte("t"), 0o600))
	for want, set := range map[string]func(u *user) []string{
		"":                   func(*user) []string { return nil },
		"ATIVA_ACCESS_TOKEN": func(u *user) []string { u.env["ATIVA_ACCESS_TOKEN"] = "t"; return nil },
		"token_command": func(u *user) []string {
			u.must("config", "set", "token_command", "touch "+file+".run; echo t")
			return nil
		},
		file: func(u *user) []string { u.must("config", "set", "token_file", file); return nil },
		" ":  func(*user) []string { return []string{"--token-file", file} },
	} {
		u, _ := startLogin(t)
		args := append([]string{"login", "--storage", "file"}, cmp.Or(strings.Join(set(u), " "), "--token-stdin"))
		got := u.run(strings.NewReader("secret\n"), strings.Fields(strings.Join(args, " "))...)
		notice := "commands do not use it yet: the token from " + want + " comes before it\n"
		if got.exit != cli.ExitOK || strings.Contains(got.stderr, "before it") != (strings.TrimSpace(want) != "") || strings.TrimSpace(want) != "" && !strings.Contains(got.stderr, notice) {
			t.Errorf("%q: exit %d, %s", want, got.exit, got.stderr)
		}
	}
	if _, err := os.Stat(file + ".run"); err == nil {
		t.Error("login has run token_command")
	}
}

// A login to a configuration that cannot be written, as a read-only one, replaces the token in the
// same storage. To another storage it fails, and leaves the former token where the configuration says.
func TestALoginInTheSameStorageWritesNoConfiguration(t *testing.T) {
	for _, kind := range []string{"keyring", "file"} {
		u, kept := startLogin(t)
		u.login(kind)
		lock := filepath.Join(u.env["XDG_CONFIG_HOME"], "ativa", "config.yaml.lock")
		must(t, errors.Join(os.RemoveAll(lock), os.Mkdir(lock, 0o700)))
		for _, storage := range []string{"keyring", "file"} {
			got := u.run(strings.NewReader("secret\n"), "login", "--token-stdin", "--storage", storage)
			if (got.exit == cli.ExitOK) != (storage == kind) || kept() != kind {
				t.Errorf("login from %s to %s: exit %d, the token is in %q: %s", kind, storage, got.exit, kept(), got.stderr)
			}
		}
		u.must("products")
	}
}

// Without a keyring there is nothing to forget of a context without a login; a token that a login
// kept in the keyring is still there.
func TestALogoutWithoutAKeyring(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is always a keyring")
	}
	for storage, exit := range map[string]int{"": cli.ExitOK, "file": cli.ExitOK, "keyring": cli.ExitAuth} {
		u, _ := startLogin(t)
		if storage != "" {
			u.login(storage)
		}
		t.Setenv("DBUS_SESSION_BUS_ADDRESS", "autolaunch:")
		if got := u.run(nil, "logout"); got.exit != exit {
			t.Errorf("storage %q: exit %d, want %d: %s", storage, got.exit, exit, got.stderr)
		}
	}
}

// A login with another storage, a removed context, and one that is replaced by another server's leave
// no token behind. The same server keeps it.
func TestAContextIsForgottenWithItsToken(t *testing.T) {
	for _, storage := range []string{"keyring", "file"} {
		for _, end := range []string{"context remove work", "context add work --server https://other.example.com --force"} {
			u, kept := startLogin(t)
			u.login("keyring")
			u.login("file")
			u.login(storage)
			server := strings.TrimSpace(u.must("config", "get", "server").stdout)
			u.must("context", "add", "work", "--server", server+"/", "--protected", "--force")
			if got := kept(); got != storage {
				t.Errorf("the same server: the token is in %q, want %q", got, storage)
			}
			u.must("products") // which fills the cache
			u.must(strings.Fields(end)...)
			bearers, _ := filepath.Glob(filepath.Join(u.env["XDG_CACHE_HOME"], "ativa", "bearer", "*.json"))
			if got := kept(); got != "" || len(bearers) > 0 {
				t.Errorf("%s: its token is in %q, its bearer tokens in %q", end, got, bearers)
			}
		}
	}
}

func TestAContextIsRemovedBesideALockedKeyring(t *testing.T) {
	u, _ := startLogin(t)
	u.login("keyring")
	keyring.MockInitWithError(errors.New("failed to unlock correct collection '/org/freedesktop/secrets/collection/login'"))
	defer keyring.MockInit()
	must(t, os.RemoveAll(u.env["XDG_CACHE_HOME"]))
	got := u.run(nil, "products")
	if got.exit != cli.ExitAuth || !strings.Contains(got.stderr, "it could not be read: it is locked\nunlock or start it, or keep the token in a file: ativa login --storage file") {
		t.Errorf("a locked keyring: exit %d, %s", got.exit, got.stderr)
	}
	if got = u.must("context", "remove", "work"); !strings.Contains(got.stderr, "its token could not be removed: ") {
		t.Errorf("got %q, want that the token is still there", got.stderr)
	}
	if got = u.must("context", "list"); strings.Contains(got.stdout, "work") {
		t.Errorf("the context is still there: %s", got.stdout)
	}
}

// A login belongs to a context and its server: with another server, login and logout would leave the
// token of the context as it is, or the context without it, and say the opposite.
func TestALoginBelongsToTheServerOfItsContext(t *testing.T) {
	for _, storage := range []string{"keyring", "file"} {
		u, kept := startLogin(t)
		u.login(storage)
		other := userOf(t, apitest.New("")).env["ATIVA_SERVER"]
		for _, args := range [][]string{
			{"login", "--token-stdin", "--storage", "file", "--context", "work", "--server", other},
			{"login", "--token-stdin", "--context", "work", "--server", other},
			{"login", "--token-stdin", "--server", other},
			{"logout", "--context", "work", "--server", other},
			{"logout", "--server", other},
		} {
			got := u.run(strings.NewReader("secret\n"), args...)
			if got.exit != cli.ExitUsage || !strings.Contains(got.stderr, "ativa context add NAME --server "+other+" --use") {
				t.Errorf("%v: exit %d, %s", args, got.exit, got.stderr)
			}
			if got := kept(); got != storage {
				t.Errorf("%v: the token is in %q, want %q", args, got, storage)
			}
			u.must("products", "--context", "work")
		}
	}
}

// The hint of a refused login leads to a login, to a new context and to one that is not the current.
func TestAdviceOfLoginLeadsToALogin(t *testing.T) {
	u, _ := startLogin(t)
	u.env["ATIVA_SERVER"] = userOf(t, apitest.New("")).env["ATIVA_SERVER"]
	for _, advice := range []string{"context add NAME --server " + u.env["ATIVA_SERVER"] + " --use", "context use mine"} {
		got := u.run(strings.NewReader("secret\n"), "login", "--token-stdin", "--storage", "file")
		if got.exit != cli.ExitUsage || !strings.HasSuffix(got.stderr, "\nativa "+advice+"\n") {
			t.Fatalf("login: exit %d, %s; want the advice %s", got.exit, got.stderr, advice)
		}
		u.must(strings.Fields(strings.Replace(advice, "NAME", "mine", 1))...)
		u.login("file")
		u.must("products")
		u.must("context", "use", "work")
	}
}

// An interruption while the keyring waits to be unlocked is an interruption, not a missing keyring.
func TestALoginIsInterruptedAtTheKeyring(t *testing.T) {
	startLogin(t)
	ctx, stop := context.WithCancelCause(t.Context())
	stop(errInterrupted)
	wantInterrupted(ctx, t, strings.NewReader("secret\n"), "login --token-stdin")
}
