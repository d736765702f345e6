package credentials_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// realKeyring is set in a test binary that uses the keyring of the system instead of the library's mock.
const realKeyring = "ATIVA_TEST_REAL_KEYRING"

// The keyring of the system passes the test of the storages: gnome-keyring on a session bus of its own,
// or the Credential Manager of Windows.
func TestRealKeyring(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	home := t.TempDir()
	run := []string{os.Args[0], "-test.v", "-test.run=^TestStoragesKeepATokenPerServerAndContext$/^keyring$"}
	if runtime.GOOS != "windows" {
		run = slices.Concat(inSession(t), run)
	}
	c := exec.CommandContext(ctx, run[0], run[1:]...)
	c.WaitDelay = time.Minute // until the session's processes have ended
	c.Env = append(os.Environ(), realKeyring+"=1", "HOME="+home, "XDG_RUNTIME_DIR="+filepath.Join(home, "run"))
	must(t, os.Mkdir(filepath.Join(home, "run"), 0o700))
	out, err := c.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestStoragesKeepATokenPerServerAndContext/keyring") {
		t.Errorf("got %v:\n%s", err, out)
	}
}

// inSession returns the beginning of a command that runs another where gnome-keyring is unlocked.
func inSession(t *testing.T) []string {
	t.Helper()
	onlyWhereDBus(t)
	for _, name := range []string{"dbus-run-session", "gnome-keyring-daemon"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(name + " is not installed: the real keyring is not tested")
		}
	}
	return []string{"dbus-run-session", "--", "sh", "-c",
		`printf password | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1; exec "$@"`, "sh"}
}
