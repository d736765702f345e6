package credentials_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"ativa/internal/credentials"
)

// helpRealKeyring stores, reads and deletes a token.
func helpRealKeyring() {
	ctx := context.Background()
	fresh := func() *credentials.Keyring {
		return &credentials.Keyring{Timeout: time.Minute}
	}
	other := account()
	other.Server = "https://other.example.com"
	fmt.Println("probe", fresh().Probe(ctx, account()))
	fmt.Println("save", fresh().Save(ctx, account(), "first"), fresh().Save(ctx, account(), "second"))
	token, err := fresh().Load(ctx, account())
	fmt.Println("load", token, err)
	_, err = fresh().Load(ctx, other)
	fmt.Println("other", reasonOf(err))
	fmt.Println("delete", fresh().Delete(ctx, account()), fresh().Delete(ctx, account()))
	_, err = fresh().Load(ctx, account())
	fmt.Println("deleted", reasonOf(err))
	if runtime.GOOS == "windows" {
		fmt.Println("too long", reasonOf(fresh().Save(ctx, account(), strings.Repeat("x", 3000))))
	}
}

// The Credential Manager keeps a token per server and refuses one longer than Windows
// allows.
func TestTheCredentialManagerOfWindows(t *testing.T) {
	if runtime.GOOS != "windows" {
		t.Skip("Windows has it")
	}
	c := exec.CommandContext(t.Context(), os.Args[0])
	c.Env = append(os.Environ(), helperVariable+"=real keyring")
	out, err := c.CombinedOutput()
	want := "probe <nil>\nsave <nil> <nil>\nload second <nil>\nother not_found\ndelete <nil> <nil>\ndeleted not_found\ntoo long unavailable\n"
	if err != nil || string(out) != want {
		t.Errorf("got %q, %v, want %q", out, err, want)
	}
}

// TestRealKeyring uses gnome-keyring on its own session bus.
func TestRealKeyring(t *testing.T) {
	onlyWhereDBus(t)
	for _, name := range []string{"dbus-run-session", "gnome-keyring-daemon"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(name + " is not installed: the real keyring is not tested")
		}
	}
	home := t.TempDir()
	runtimeDir := filepath.Join(home, "run")
	must(t, os.MkdirAll(runtimeDir, 0o700))
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, "dbus-run-session", "--", "sh", "-c",
		`printf password | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1; exec "$0"`, os.Args[0])
	c.WaitDelay = time.Minute // until the session's processes have ended
	c.Env = []string{helperVariable + "=real keyring", "GORACE=atexit_sleep_ms=0", "PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_RUNTIME_DIR=" + runtimeDir}
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		t.Fatalf("%v: %s%s", err, out.String(), errs.String())
	}
	want := "probe <nil>\nsave <nil> <nil>\nload second <nil>\nother not_found\ndelete <nil> <nil>\ndeleted not_found\n"
	if out.String() != want {
		t.Errorf("got %q, want %q; %s", out.String(), want, errs.String())
	}
}
