//go:build unix

package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ativa/internal/cli"
	"ativa/internal/processtest"
)

// exit runs a command and returns its exit code and output.
func (w *processFixture) exit(args ...string) (int, string) {
	w.Helper()
	c := w.Command(args...)
	said, _ := c.CombinedOutput() // the exit code is looked at
	return c.ProcessState.ExitCode(), string(said)
}

func (w *processFixture) write(name, text string, mode os.FileMode) (path string) {
	w.Helper()
	path = filepath.Join(w.Dir, name)
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		w.Fatal(err)
	}
	return path
}

// want wants that the file holds the text.
func (w *processFixture) want(path, text string) {
	w.Helper()
	if got, err := os.ReadFile(path); err != nil || !strings.Contains(string(got), text) {
		w.Errorf("%s: got %q, %v, want %q", filepath.Base(path), got, err, text)
	}
}

const (
	invalidRow = "52998224726;Ana;ana@example.com;+5511987654321;1\n"
	goodHeader = "document;name;email;phone;products_ids\n"
)

// Files with personal data are for their owner alone, wherever a link leads and
// whatever mode an older file had.
func TestReportsAndPlansTakeThePlaceOfLinksAndOldModes(t *testing.T) {
	_, w := newServerWithoutIdempotency(t)
	file := w.write("people.csv", goodHeader+invalidRow, 0o600)
	wish := w.write("wish.csv", goodHeader+processtest.Document(1)+";Ana;ana@example.com;+5511987654321;1\n", 0o600)
	victim := w.write("victim", "precious", 0o644)
	plan := filepath.Join(w.Dir, "plan.json")
	for name, prepare := range map[string]func(path string) error{
		"a link":      func(path string) error { return os.Symlink(victim, path) },
		"an old mode": func(path string) error { return os.WriteFile(path, nil, 0o666) },
	} {
		t.Run(name, func(t *testing.T) {
			paths := []string{file + ".report.csv", plan}
			if name == "a link" {
				paths = append(paths, file+".rejected.csv")
			}
			for _, path := range paths {
				_ = os.Remove(path)
				if err := prepare(path); err != nil {
					t.Fatal(err)
				}
			}
			if code, said := w.exit("subscribers", "import", file); code != cli.ExitInvalidInput {
				t.Errorf("exit %d:\n%s", code, said)
			}
			if code, said := w.exit("sync", wish, "--plan-file", plan); code != cli.ExitOK {
				t.Errorf("exit %d:\n%s", code, said)
			}
			for _, path := range paths {
				if info, err := os.Lstat(path); err != nil || info.Mode() != 0o600 || info.Size() == 0 {
					t.Errorf("%s: got %v, %v, want a file of mode 0600", filepath.Base(path), info, err)
				}
			}
			w.want(victim, "precious")
		})
	}
	if left, err := filepath.Glob(filepath.Join(w.Dir, ".ativa-*")); err != nil || len(left) > 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
}

// A report never takes the place of what is no file.
func TestAReportDoesNotReplaceADirectory(t *testing.T) {
	_, w := newServerWithoutIdempotency(t)
	file := w.write("people.csv", goodHeader+invalidRow, 0o600)
	if err := os.Mkdir(file+".report.csv", 0o700); err != nil {
		t.Fatal(err)
	}
	code, said := w.exit("subscribers", "import", file, "--lang", "pt")
	if info, err := os.Stat(file + ".report.csv"); code != cli.ExitError || err != nil || !info.IsDir() || !strings.Contains(said, ".report.csv não é um arquivo") {
		t.Errorf("exit %d, %v, %v:\n%s", code, info, err, said)
	}
}

// The refused rows that a person has mended are never overwritten: the new ones
// get a number.
func TestAMendedFileOfRefusedRowsIsKept(t *testing.T) {
	_, w := newServerWithoutIdempotency(t)
	file := w.write("people.csv", goodHeader+invalidRow, 0o600)
	rejected, second, third := file+".rejected.csv", file+".rejected-2.csv", file+".rejected-3.csv"
	refuse := func(wantSaid string) {
		t.Helper()
		if code, said := w.exit("subscribers", "import", file); code != cli.ExitInvalidInput || !strings.Contains(said, wantSaid) {
			t.Errorf("exit %d, want %q:\n%s", code, wantSaid, said)
		}
	}
	refuse(rejected)
	w.want(rejected, "52998224726")
	refuse(rejected) // nobody has changed it
	if _, err := os.Stat(second); err == nil {
		t.Error("an unchanged file is kept")
	}

	w.write(filepath.Base(rejected), "mended by Ana\n", 0o600)
	refuse("was changed since it was written and is kept; the refused rows are now in " + second)
	w.want(rejected, "mended by Ana")
	w.want(second, "52998224726")
	refuse(second) // which nobody has changed
	w.write(filepath.Base(second), "mended by Bia\n", 0o600)
	refuse(third)
	w.want(second, "mended by Bia")

	w.write(filepath.Base(file), goodHeader+processtest.Document(1)+";Ana;ana@example.com;+5511987654321;1\n", 0o600)
	if code, said := w.exit("subscribers", "import", file); code != cli.ExitOK {
		t.Errorf("exit %d:\n%s", code, said)
	}
	w.want(rejected, "mended by Ana")
	w.want(second, "mended by Bia")
	if _, err := os.Stat(third); err == nil {
		t.Error("what is refused no longer is still there")
	}
}
