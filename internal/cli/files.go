package cli

import (
	"bufio"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"ativa/internal/csvfile"
	"ativa/internal/settings"
	"ativa/internal/system"
)

// Files for people are written so that a link that stands in their place is not
// followed and the mode of an older file is not kept: they hold personal data
// and are for their owner alone.

// ReplaceFile writes a file, whole or not at all.
func ReplaceFile(path string, write func(io.Writer) error) error {
	r, err := newReplacement(path)
	if err != nil {
		return err
	}
	return r.End(write(r))
}

func newReplacement(path string) (*system.Replacement, error) {
	if err := CheckReplaceable(path); err != nil {
		return nil, err
	}
	return system.NewReplacement(path)
}

// CheckReportDir refuses a --report-dir that is no directory, before anything is done.
func CheckReportDir(f *pflag.FlagSet) error {
	dir := f.Lookup("report-dir")
	if dir == nil || dir.Value.String() == "" {
		return nil
	}
	if info, err := os.Stat(dir.Value.String()); err != nil || !info.IsDir() {
		return Usage("--report-dir: %s is no directory that exists", dir.Value)
	}
	return nil
}

// CheckReplaceable refuses what is neither a file nor a link, such as a directory or
// a device.
func CheckReplaceable(path string) error {
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0 {
		return &Failure{Exit: ExitError, Code: "error", Message: Msg("%s is not a file", path), Hint: Msg("move it away, or choose another place")}
	}
	return nil // creating it says what else is wrong with the path
}

// AbsolutePath makes a path that is good from any directory. What this process alone can
// open is [StandardInput]: a later one has to be given the same again.
func AbsolutePath(path string) string {
	for _, own := range []string{"/dev/stdin", "/dev/fd/", "/proc/self/fd/"} {
		if strings.HasPrefix(path, own) {
			return StandardInput
		}
	}
	if path == StandardInput {
		return path
	}
	return settings.WholePath(path)
}

// StandardInput stands for it in place of a file's name.
const StandardInput = "-"

// ReportPath is where a report about a file goes: beside it, or in a directory; about what
// is no file, as a pipe, in the working directory. The name is cut short where the file
// system would not take it.
func ReportPath(file, dir, suffix string) string {
	const longest = 255 - len(".rejected-99.csv") // bytes
	beside, name := filepath.Split(file)
	info, err := os.Stat(file)
	switch {
	case AbsolutePath(file) == StandardInput:
		beside, name = "", "stdin"
	case err == nil && !info.Mode().IsRegular():
		beside = ""
	}
	if dir != "" {
		beside = dir
	}
	if len(name) > longest {
		name = strings.ToValidUTF8(name[:longest], "")
	}
	return filepath.Join(beside, name+suffix)
}

// ParseDocument checks a CPF before anything is sent.
func ParseDocument(s string) (string, error) {
	d, err := csvfile.Document(s)
	if err != nil {
		return "", Usage("document %q: %s", s, err)
	}
	return string(d), nil
}

// OpenSpreadsheet opens a spreadsheet, or standard input for "-".
func (e *Env) OpenSpreadsheet(file string, o csvfile.Options) (*csvfile.File, error) {
	if file == StandardInput || file == "/dev/stdin" {
		return csvfile.OpenReader(bufio.NewReader(e.In), o)
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return nil, Usage("%s is a directory, not a file", file)
	}
	f, err := csvfile.Open(file, o)
	if os.IsNotExist(err) {
		return nil, Usage("file %s does not exist", file)
	}
	return f, err
}
