//go:build unix

package run_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"ativa/internal/run"
)

// Journals whose directory cannot be read are not "none".
func TestAListThatCannotBeReadIsAnError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state")
	must(t, os.WriteFile(file, nil, 0o600))
	d := run.JournalDir{Path: filepath.Join(file, "ativa", "imports")}
	if all, err := d.List(); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("got %v, %v, want %v", all, err, syscall.ENOTDIR)
	}
	d.Path = filepath.Join(t.TempDir(), "ativa", "imports")
	if all, err := d.List(); len(all) > 0 || err != nil {
		t.Errorf("before the first run: got %v, %v, want none", all, err)
	}
}
