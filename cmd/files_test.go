//go:build unix

package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ativa/internal/cli"
)

// filesFixture is a user with a directory of files, at a server that implements only api.md.
type filesFixture struct {
	*user
	dir  string
	good string // a valid row
}

func newFilesFixture(t *testing.T) filesFixture {
	t.Helper()
	s, u := newPhoneBook(t)
	return filesFixture{u, t.TempDir(), s.document(7) + ";Ana;ana@example.com;+5511987654321;25\n"}
}

func (f filesFixture) write(name, text string, mode os.FileMode) (path string) {
	f.t.Helper()
	path = filepath.Join(f.dir, name)
	must(f.t, os.WriteFile(path, []byte(text), mode))
	return path
}

// want checks the text of a file.
func (f filesFixture) want(path, text string) {
	f.t.Helper()
	if got, err := os.ReadFile(path); err != nil || !strings.Contains(string(got), text) {
		f.t.Errorf("%s: got %q, %v, want %q", filepath.Base(path), got, err, text)
	}
}

const (
	invalidRow = "52998224726;Ana;ana@example.com;+5511987654321;25\n"
	goodHeader = "document;name;email;phone;products_ids\n"
)

// Files with personal data are readable only by their owner, despite links and modes of
// older files. A report never replaces anything but a file.
func TestReportsAndPlansTakeThePlaceOfLinksAndOldModes(t *testing.T) {
	f := newFilesFixture(t)
	file, wish := f.write("people.csv", goodHeader+invalidRow, 0o600), f.write("wish.csv", goodHeader+f.good, 0o600)
	report, rejected, plan := file+".report.csv", file+".rejected.csv", filepath.Join(f.dir, "plan.json")
	victim := f.write("victim", "precious", 0o644)
	for _, path := range []string{report, rejected} {
		must(t, os.Symlink(victim, path))
	}
	f.write("plan.json", "", 0o666)
	if got := f.run(nil, "subscribers", "import", file); got.exit != cli.ExitInvalidInput {
		t.Errorf("exit %d:\n%s", got.exit, got.stderr)
	}
	f.must("sync", wish, "--plan-file", plan)
	for _, path := range []string{report, rejected, plan} {
		if info, err := os.Lstat(path); err != nil || info.Mode() != 0o600 || info.Size() == 0 {
			t.Errorf("%s: got %v, %v, want a file of mode 0600", filepath.Base(path), info, err)
		}
	}
	f.want(victim, "precious")

	must(t, os.Remove(report))
	must(t, os.Mkdir(report, 0o700))
	got := f.run(nil, "subscribers", "import", file, "--lang", "pt")
	if info, err := os.Stat(report); got.exit != cli.ExitError || err != nil || !info.IsDir() || !strings.Contains(got.stderr, ".report.csv não é um arquivo") {
		t.Errorf("exit %d, %v, %v:\n%s", got.exit, info, err, got.stderr)
	}
	if left, err := filepath.Glob(filepath.Join(f.dir, ".ativa-*")); err != nil || len(left) > 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
}

// Refused rows edited by a person are never overwritten: the new file gets a number.
func TestAMendedFileOfRefusedRowsIsKept(t *testing.T) {
	f := newFilesFixture(t)
	file := f.write("people.csv", goodHeader+invalidRow, 0o600)
	rejected, second, third := file+".rejected.csv", file+".rejected-2.csv", file+".rejected-3.csv"
	refuse := func(wantSaid string) {
		t.Helper()
		if got := f.run(nil, "subscribers", "import", file); got.exit != cli.ExitInvalidInput || !strings.Contains(got.stderr, wantSaid) {
			t.Errorf("exit %d, want %q:\n%s", got.exit, wantSaid, got.stderr)
		}
	}
	refuse(rejected)
	f.want(rejected, "52998224726")
	refuse(rejected) // unchanged
	if _, err := os.Stat(second); err == nil {
		t.Error("an unchanged file is kept")
	}

	f.write(filepath.Base(rejected), "mended by Ana\n", 0o600)
	refuse("was changed since it was written and is kept; the refused rows are now in " + second)
	f.want(rejected, "mended by Ana")
	f.want(second, "52998224726")
	refuse(second) // unchanged
	f.write(filepath.Base(second), "mended by Bia\n", 0o600)
	refuse(third)
	f.want(second, "mended by Bia")

	f.write(filepath.Base(file), goodHeader+f.good, 0o600)
	f.must("subscribers", "import", file)
	f.want(rejected, "mended by Ana")
	f.want(second, "mended by Bia")
	if _, err := os.Stat(third); err == nil {
		t.Error("what is refused no longer is still there")
	}
}
