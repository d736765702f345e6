package system_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"ativa/internal/system"
	"ativa/internal/system/systemtest"
)

func TestPrivateFilesArePrivateUntilShared(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "above", "private")
	must(t, system.MkdirPrivate(dir))
	for name, make := range map[string]func(path string) error{
		"opened": func(path string) error {
			f, err := system.OpenPrivate(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
			return errors.Join(err, f.Close())
		},
		"written": func(path string) error { return system.WritePrivate(path, []byte("x")) },
		"lock": func(path string) error {
			lock, err := system.NewPrivateLock(path)
			if err != nil {
				return err
			}
			got, err := lock.TryLock()
			if !got {
				t.Errorf("locking failed: %v", err)
			}
			return lock.Unlock()
		},
		"temporary": func(path string) error {
			f, err := system.CreatePrivateTemp(dir, ".ativa-")
			if err != nil {
				return err
			}
			return errors.Join(f.Close(), os.Rename(f.Name(), path))
		},
	} {
		path := filepath.Join(dir, name)
		if err := make(path); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if private, err := system.IsPrivate(path); err != nil || !private {
			t.Errorf("%s: got %v, %v, want it private", name, private, err)
		}
		must(t, systemtest.Share(path))
		if private, err := system.IsPrivate(path); err != nil || private {
			t.Errorf("%s, shared: got %v, %v, want it seen", name, private, err)
		}
		f, err := os.Open(path)
		must(t, err)
		if private, err := system.IsOpenPrivate(f, 0o077); err != nil || private {
			t.Errorf("%s, shared and open: got %v, %v, want it seen", name, private, err)
		}
		f.Close()
	}
	if private, err := system.IsPrivate(dir); err != nil || !private {
		t.Errorf("the directory: got %v, %v", private, err)
	}
	if _, err := system.IsPrivate(filepath.Join(dir, "none")); err == nil {
		t.Error("a file that is not there has no permissions")
	}
}

// An existing file is kept unless it is to be replaced; the replacement is
// private.
func TestAnExistingFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(path, []byte("old"), 0o600))
	must(t, systemtest.Share(path))
	if _, err := system.OpenPrivate(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL); !errors.Is(err, os.ErrExist) {
		t.Errorf("got %v, want that it exists", err)
	}
	f, err := system.OpenPrivate(path, os.O_RDWR|os.O_CREATE)
	must(t, err)
	if old, err := io.ReadAll(f); err != nil || string(old) != "old" {
		t.Errorf("got %q, %v, want it as it was", old, err)
	}
	f.Close()
	must(t, system.WritePrivate(path, []byte("new")))
	private, err := system.IsPrivate(path)
	if text, _ := os.ReadFile(path); err != nil || !private || string(text) != "new" {
		t.Errorf("got %q, private %v, %v", text, private, err)
	}
}

// A server that disappears during a write is no reader that has closed the pipe: a command that it
// stops has not succeeded.
func TestSystemErrorsAreRecognised(t *testing.T) {
	cut := &net.OpError{Op: "write", Net: "tcp", Err: os.NewSyscallError("write", syscall.EPIPE)}
	meanings := map[string]error{"in use": syscall.EADDRINUSE, "full": syscall.ENOSPC, "closed": syscall.EPIPE}
	if runtime.GOOS == "windows" {
		meanings = map[string]error{"in use": syscall.Errno(10048), "full": syscall.Errno(112), "closed": syscall.Errno(232), "open": syscall.Errno(32)}
	}
	for name, is := range map[string]func(error) bool{"in use": system.IsAddressInUse, "open": system.IsFileInUse, "full": system.IsDiskFull, "closed": system.IsBrokenPipe} {
		for meant, err := range meanings {
			if got := is(fmt.Errorf("wrapped: %w", &os.PathError{Err: err})); got != (name == meant) {
				t.Errorf("%s for %v: got %v", name, err, got)
			}
		}
		if is(nil) || is(errors.New("other")) || is(fmt.Errorf("connection broken: %w", cut)) {
			t.Errorf("%s: something else is taken for it", name)
		}
	}
}

// The shell gets the line unchanged, with its quotes.
func TestTheShellGetsTheLineUnchanged(t *testing.T) {
	line, want := `echo "a  b" 'c' && exit 3`, "a  b c"
	if runtime.GOOS == "windows" {
		line, want = `echo "a  b" 'c'&& exit 3`, `"a  b" 'c'`
	}
	out, err := system.Shell(context.Background(), line).Output()
	if got := strings.TrimSpace(string(out)); got != want || err == nil || !strings.Contains(err.Error(), "3") {
		t.Errorf("got %q, %v, want %q and exit 3", got, err, want)
	}
}

func TestPrivatiseNamesThePath(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Join(dir, "with blank")} {
		if got := system.Privatise(path); !strings.Contains(got, path) {
			t.Errorf("got %q, which does not name %s", got, path)
		}
	}
}

// A replacement waits while a reader has the file open. If the system keeps open files, the error
// names a file that stays open, and the file is unchanged.
func TestAFileIsReplacedWhenItIsClosed(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	write := func(path, text string) {
		must(t, os.WriteFile(path, []byte(text), 0o600))
	}
	for name, change := range map[string]func() error{
		"replaced": func() error { return system.Replace(from, to) },
		"removed":  func() error { return system.Remove(to) },
	} {
		write(to, "old")
		write(from, "new")
		release, err := systemtest.Hold(to)
		must(t, err)
		if runtime.GOOS == "windows" {
			err := change()
			path, _ := errors.AsType[*os.PathError](err)
			if text, _ := os.ReadFile(to); !system.IsFileInUse(err) || path == nil || path.Path != to || string(text) != "old" {
				t.Errorf("%s while it is open: got %v, and %q in the file", name, err, text)
			}
		}
		go func() {
			time.Sleep(50 * time.Millisecond)
			_ = release()
		}()
		if err := change(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAWordIsQuotedForTheShell(t *testing.T) {
	words := map[string]string{"a.csv": "a.csv", "": "''", "João": "'João'", "it's": `'it'\''s'`, `C:\new list\`: `'C:\new list\'`}
	if runtime.GOOS == "windows" {
		words = map[string]string{`C:\new\a.csv`: `C:\new\a.csv`, "": `""`, "a&b": `"a&b"`, `say "x"`: `"say \"x\""`, `C:\new list\`: `"C:\new list\\"`}
	}
	for word, want := range words {
		if got := system.ShellQuote(word); got != want {
			t.Errorf("%s: got %s, want %s", word, got, want)
		}
		out, err := system.Shell(t.Context(), "printf %s "+system.ShellQuote(word)).Output()
		if got := string(out); runtime.GOOS != "windows" && (err != nil || got != word) {
			t.Errorf("the shell takes %s for %q, %v", system.ShellQuote(word), got, err)
		}
	}
}

func TestAFileInPlaceOfADirectoryIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mail")
	must(t, os.WriteFile(path, nil, 0o600))
	if err := system.MkdirPrivate(path); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("got %v, want %v", err, syscall.ENOTDIR)
	}
}

// A write that fails, for example on a full disk, replaces nothing, and its error names the file and
// not the temporary one, whose name means nothing to a person.
func TestAFailedWriteNamesTheFileThatIsReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "list.csv")
	r, err := system.NewReplacement(path)
	must(t, err)
	must(t, r.Close())
	_, failed := r.Write([]byte("x"))
	for name, err := range map[string]error{"write": failed, "end": r.End(failed)} {
		if wrong, ok := errors.AsType[*fs.PathError](err); !ok || wrong.Path != path || strings.Contains(err.Error(), ".ativa-") {
			t.Errorf("%s: got %v, want it to name %s alone", name, err, path)
		}
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file was replaced: %v", err)
	}
}

var must = systemtest.Must
