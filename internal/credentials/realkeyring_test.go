package credentials_test

import (
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

// The keyring of the system keeps a token per server: gnome-keyring on a session bus of its own, or
// the Credential Manager of Windows, which also refuses a token that is too long for it.
func TestRealKeyring(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, os.Args[0])
	c.Env = os.Environ()
	want := "probe <nil>\nsave <nil> <nil>\nload second <nil>\nother not_found\ndelete <nil> <nil>\ndeleted not_found\n"
	if runtime.GOOS == "windows" {
		want += "too long unavailable\n"
	} else {
		c = inSession(ctx, t)
	}
	c.Env = append(c.Env, helperVariable+"=real keyring")
	out, err := c.Output()
	if err != nil || string(out) != want {
		t.Errorf("got %q, %v, want %q", out, err, want)
	}
}

// inSession returns a command that runs the test binary where gnome-keyring is unlocked.
func inSession(ctx context.Context, t *testing.T) *exec.Cmd {
	t.Helper()
	onlyWhereDBus(t)
	for _, name := range []string{"dbus-run-session", "gnome-keyring-daemon"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(name + " is not installed: the real keyring is not tested")
		}
	}
	home := t.TempDir()
	runtimeDir := filepath.Join(home, "run")
	must(t, os.MkdirAll(runtimeDir, 0o700))
	c := exec.CommandContext(ctx, "dbus-run-session", "--", "sh", "-c",
		`printf password | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1; exec "$0"`, os.Args[0])
	c.WaitDelay = time.Minute // until the session's processes have ended
	c.Env = []string{"GORACE=atexit_sleep_ms=0", "PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_RUNTIME_DIR=" + runtimeDir}
	return c
}
