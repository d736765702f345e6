package cli_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"ativa/internal/cli"
	"ativa/internal/failure"
	"ativa/internal/sheet"
)

func TestAReportIsBesideItsFileOrInTheGivenDirectory(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("uses paths of Unix")
	}
	long := strings.Repeat("ã", 122) // 244 bytes
	for _, c := range []struct{ file, dir, want string }{
		{"/home/ana/people.csv", "", "/home/ana/people.csv.report.csv"},
		{"/home/ana/people.csv", "out", "out/people.csv.report.csv"},
		{"-", "out", "out/stdin.report.csv"},
		{"/dev/stdin", "", "stdin.report.csv"},
		{"/proc/self/fd/0", "", "stdin.report.csv"},
		{"/dev/null", "", "null.report.csv"},
	} {
		if got := cli.ReportPath(c.file, c.dir, ".report.csv"); got != c.want {
			t.Errorf("%s in %q: got %s, want %s", c.file, c.dir, got, c.want)
		}
	}
	for _, suffix := range []string{".report.csv", ".rejected.csv", ".rejected-12.csv"} {
		got := filepath.Base(cli.ReportPath("/home/ana/"+long, "", suffix))
		if len(got) > 255 || !strings.HasSuffix(got, "ã"+suffix) || !utf8.ValidString(got) {
			t.Errorf("a long name with %s: got %d bytes, %q", suffix, len(got), got)
		}
	}
}

// Root could replace /dev/stdout, a link, by a file with personal data.
func TestOnlyFilesAndLinksToFilesAreReplaced(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("uses paths of Unix")
	}
	link := func(to string) string {
		path := filepath.Join(t.TempDir(), "link")
		must(t, os.Symlink(to, path))
		return path
	}
	for path, want := range map[string]bool{
		"-": false, "/dev/stdout": false, "/dev/fd/1": false, "/proc/self/fd/1": false, "/dev/null": false, t.TempDir(): false,
		link("/dev/null"): false, link(t.TempDir()): false, link("/missing"): true, link(os.Args[0]): true, "/missing": true, "files_test.go": true,
	} {
		if err := cli.CheckReplaceable(path); (err == nil) != want {
			t.Errorf("%s: got %v, want it replaced: %t", path, err, want)
		}
	}
}

func TestAFileThatCannotBeReadIsAUsageError(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing.csv")
	for file, want := range map[string]string{dir: dir + " is a directory, not a file", missing: "file " + missing + " does not exist"} {
		_, read := cli.ReadFile(t.Context(), file)
		_, opened := (&cli.Env{}).OpenSpreadsheet(t.Context(), file, sheet.Options{})
		for _, err := range []error{read, opened} {
			if exit := failure.OutcomeOf(err).Exit; exit != cli.ExitUsage || err.Error() != want {
				t.Errorf("got %v, exit code %d, want %q and %d", err, exit, want, cli.ExitUsage)
			}
		}
	}
}

func TestAnEndlessInputIsRefused(t *testing.T) {
	if _, err := cli.ReadStream(endless{}); err == nil || err.Error() != "the input is larger than 64 MiB" {
		t.Errorf("got %v, want the limit", err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }
