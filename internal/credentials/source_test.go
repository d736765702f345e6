package credentials_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zalando/go-keyring"

	"ativa/internal/credentials"
	"ativa/internal/system"
	"ativa/internal/system/systemtest"
)

// fakeSessionBus sets the address of a session bus, so that the mock of the keyring
// library is called, unless the test is one of the real keyring.
func fakeSessionBus(t testing.TB) {
	t.Helper()
	if os.Getenv(realKeyring) != "" {
		return
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")
	keyring.MockInit()
}

// secretFile writes a token to a new file with the mode.
func secretFile(t testing.TB, name, token string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must(t, system.WritePrivate(path, []byte(token)))
	if mode != 0o600 && runtime.GOOS == "windows" { // no modes, but shared files
		must(t, systemtest.Share(path))
	}
	if err := os.Chmod(path, mode); err != nil { // despite the umask
		t.Fatal(err)
	}
	return path
}

// hangs is a command that does not end.
func hangs() string {
	if runtime.GOOS == "windows" {
		return "pause <con"
	}
	return "exec sleep 60"
}

// environment returns an environment with one variable.
func environment(name, value string) func(string) string {
	return func(asked string) string { return map[string]string{name: value}[asked] }
}

func account() credentials.Account {
	return credentials.Account{Server: "https://api.example.com", Context: "default"}
}

func reasons(attempts []credentials.Attempt) []credentials.Reason {
	var out []credentials.Reason
	for _, a := range attempts {
		out = append(out, a.Reason)
	}
	return out
}

func TestFirstSourceWinsAndTheOthersSayWhyNot(t *testing.T) {
	fakeSessionBus(t)
	s := credentials.Sources{ // each has its name as token
		Account:     account(),
		Stdin:       strings.NewReader("t-stdin\n"),
		Getenv:      environment(credentials.TokenVariable, "t-environment"),
		Command:     "echo t-token_command",
		File:        secretFile(t, "token", "t-token_file\r\n", 0o600),
		Keyring:     &credentials.Keyring{},
		FileStorage: &credentials.FileStorage{Dir: t.TempDir()},
	}
	must(t, s.Keyring.Save(t.Context(), s.Account, "t-keyring"))
	must(t, s.FileStorage.Save(t.Context(), s.Account, "t-stored_file"))
	const no, set, next, other = credentials.NotSet, credentials.Used, credentials.NotReached, credentials.OtherStorage
	for _, c := range []struct {
		take func(*credentials.Sources)
		want credentials.Source
		why  []credentials.Reason
	}{
		{func(*credentials.Sources) {}, credentials.FromStdin, []credentials.Reason{set, next, next, next, next, next}},
		{func(s *credentials.Sources) { s.Stdin = nil }, credentials.FromEnvironment, []credentials.Reason{no, set, next, next, next, next}},
		{func(s *credentials.Sources) { s.Getenv = nil }, credentials.FromCommand, []credentials.Reason{no, no, set, next, next, next}},
		{func(s *credentials.Sources) { s.Command = "" }, credentials.FromFile, []credentials.Reason{no, no, no, set, next, next}},
		{func(s *credentials.Sources) { s.File = "" }, credentials.FromKeyring, []credentials.Reason{no, no, no, no, set, next}},
		{func(s *credentials.Sources) { s.Storage = credentials.StorageFile }, credentials.FromFileStorage, []credentials.Reason{no, no, no, no, other, set}},
	} {
		c.take(&s)
		got, attempts, err := credentials.Resolve(t.Context(), s)
		if err != nil || got.Source != c.want || got.Value != "t-"+string(c.want) {
			t.Errorf("got %+v, %v; want the token of %s", got, err, c.want)
		}
		if !slices.Equal(reasons(attempts), c.why) {
			t.Errorf("%s: got %v, want %v", c.want, reasons(attempts), c.why)
		}
		for _, a := range attempts {
			if strings.Contains(a.Place, "t-") {
				t.Errorf("a token is in the attempt %+v", a)
			}
		}
	}
	must(t, s.Keyring.Delete(t.Context(), s.Account))
	s.Storage = ""
	_, attempts, err := credentials.Resolve(t.Context(), s)
	if want := []credentials.Reason{no, no, no, no, credentials.NotFound, other}; !slices.Equal(reasons(attempts), want) {
		t.Errorf("without a token: got %v, want %v", reasons(attempts), want)
	}
	if e, ok := errors.AsType[*credentials.Error](err); !ok || e.Source != "" || e.Reason != credentials.NotFound {
		t.Errorf("got %v, want that none has a token", err)
	}
}

// A failed source is not skipped: a later one may have another identity.
func TestFailingSourceEndsTheSearch(t *testing.T) {
	directory := filepath.Dir(secretFile(t, credentials.DirectoryFile, "canary", 0o604))
	for _, c := range []struct {
		name   string
		harm   func(*credentials.Sources)
		source credentials.Source
		why    credentials.Reason
	}{
		{"empty stdin", func(s *credentials.Sources) { s.Stdin = strings.NewReader("") }, credentials.FromStdin, credentials.Malformed},
		{"two words on stdin", func(s *credentials.Sources) { s.Stdin = strings.NewReader("canary canary") }, credentials.FromStdin, credentials.Malformed},
		{"long stdin", func(s *credentials.Sources) { s.Stdin = strings.NewReader(strings.Repeat("canary", 1000)) }, credentials.FromStdin, credentials.Malformed},
		{"header in the variable", func(s *credentials.Sources) {
			s.Getenv = environment(credentials.TokenVariable, "canary\r\nX: y")
		}, credentials.FromEnvironment, credentials.Malformed},
		{"command fails", func(s *credentials.Sources) { s.Command = "echo canary&& exit 3" }, credentials.FromCommand, credentials.Unavailable},
		{"command prints nothing", func(s *credentials.Sources) { s.Command = "exit 0" }, credentials.FromCommand, credentials.Malformed},
		{"command hangs", func(s *credentials.Sources) {
			s.Command, s.CommandTimeout = hangs(), 20*time.Millisecond
		}, credentials.FromCommand, credentials.TimedOut},
		{"file is not there", func(s *credentials.Sources) { s.File = filepath.Join(directory, "none") }, credentials.FromFile, credentials.NotFound},
		{"group may read the file", func(s *credentials.Sources) { s.File = secretFile(t, "f", "canary", 0o640) }, credentials.FromFile, credentials.ReadableByOthers},
		{"others may read the stored file", func(s *credentials.Sources) {
			must(t, s.FileStorage.Save(t.Context(), s.Account, "canary"))
			files, _ := filepath.Glob(filepath.Join(s.FileStorage.Dir, "*"))
			must(t, systemtest.Share(files[0]))
			s.Storage = credentials.StorageFile
		}, credentials.FromFileStorage, credentials.ReadableByOthers},
		{"file is a directory", func(s *credentials.Sources) { s.File = directory }, credentials.FromFile, credentials.Unavailable},
		{"all may read the credential", func(s *credentials.Sources) {
			s.Getenv = environment(credentials.DirectoryVariable, directory)
		}, credentials.FromFile, credentials.ReadableByOthers},
		{"login is remembered, its entry is gone", func(s *credentials.Sources) { s.Storage = credentials.StorageKeyring }, credentials.FromKeyring, credentials.NotFound},
		{"login is remembered, its file is gone", func(s *credentials.Sources) { s.Storage = credentials.StorageFile }, credentials.FromFileStorage, credentials.NotFound},
	} {
		fakeSessionBus(t)
		s := credentials.Sources{Account: account(), Keyring: &credentials.Keyring{}, FileStorage: &credentials.FileStorage{Dir: t.TempDir()}}
		c.harm(&s)
		got, attempts, err := credentials.Resolve(t.Context(), s)
		if e, ok := errors.AsType[*credentials.Error](err); !ok || e.Source != c.source || e.Reason != c.why || got.Value != "" {
			t.Fatalf("%s: got %+v, %v; want %s %s", c.name, got, err, c.source, c.why)
		}
		if strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: the token is in the error: %v", c.name, err)
		}
		if strings.Count(err.Error(), c.why.Text()) != 1 {
			t.Errorf("%s: got %q, want the reason once", c.name, err)
		}
		if len(attempts) != 6 {
			t.Errorf("%s: got %d attempts, want one for each source", c.name, len(attempts))
		}
	}
}

func TestCredentialOfSystemdIsTaken(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no systemd")
	}
	// An ACL of systemd shows as permissions of the group.
	directory := filepath.Dir(secretFile(t, credentials.DirectoryFile, "t-systemd", 0o440))
	got, _, err := credentials.Resolve(t.Context(), credentials.Sources{Getenv: environment(credentials.DirectoryVariable, directory)})
	if err != nil || got.Value != "t-systemd" || got.Source != credentials.FromFile {
		t.Errorf("got %+v, %v", got, err)
	}
	_, attempts, _ := credentials.Resolve(t.Context(), credentials.Sources{Getenv: environment(credentials.DirectoryVariable, t.TempDir())})
	if got := attempts[3].Reason; got != credentials.NotFound {
		t.Errorf("another's directory: got %s, want %s", got, credentials.NotFound)
	}
}

// Interrupting a hanging command reports an interruption, not an unreadable token.
func TestARunningCommandSeesItsInterruption(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	begun := writerFunc(func(p []byte) (int, error) {
		cancel()
		return len(p), nil
	})
	_, _, err := credentials.Resolve(ctx, credentials.Sources{Command: "echo begun>&2 && " + hangs(), CommandErr: begun})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// A token that cannot be stored, as on a full disk, is not reported as unreadable.
func TestATokenThatCannotBeStoredIsAnErrorOfTheSystem(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	s := credentials.FileStorage{Dir: filepath.Join(file, "tokens")} // below a file
	err := s.Save(t.Context(), credentials.Account{Server: "https://a.example"}, "t")
	_, isPath := errors.AsType[*os.PathError](err)
	if _, isToken := errors.AsType[*credentials.Error](err); !isPath || isToken {
		t.Errorf("got %T: %v", err, err)
	}
}

var must = systemtest.Must
