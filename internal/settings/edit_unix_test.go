//go:build unix

package settings_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ativa/internal/failure"
	"ativa/internal/settings"
)

// A link to a file, whether it exists yet or not, stays, and its target is written.
func TestAnEditFollowsALink(t *testing.T) {
	for name, exists := range map[string]bool{"live": true, "dangling": false} {
		dir := t.TempDir()
		link, middle, target := filepath.Join(dir, "config.yaml"), filepath.Join(dir, "middle.yaml"), filepath.Join(dir, "target.yaml")
		must(t, os.Symlink("middle.yaml", link))
		must(t, os.Symlink(target, middle))
		if exists {
			must(t, os.WriteFile(target, nil, 0o600))
		}
		f, err := settings.Open(options(link))
		must(t, err)
		must(t, f.Set("output", "", "json"))
		to, err := os.Readlink(link)
		must(t, err)
		text, err := os.ReadFile(target)
		must(t, err)
		if to != "middle.yaml" || string(text) != "output: json\n" {
			t.Errorf("%s: the link leads to %q, and the target has %q", name, to, text)
		}
	}
}

// A named pipe in place of the file is refused, and does not block.
func TestANamedPipeIsNoConfigurationFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	must(t, syscall.Mkfifo(path, 0o600))
	_, err := settings.Open(options(path))
	if failure.OutcomeOf(err).Exit != failure.ExitUsage || !strings.Contains(err.Error(), path+": it is a named pipe") {
		t.Errorf("got %v, want a refusal", err)
	}
}
