package cli

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
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

// CreateFile begins a file in place of the one of that name, if there is one.
func CreateFile(path string) (*os.File, error) {
	if err := CheckReplaceable(path); err != nil {
		return nil, err
	}
	if err := system.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return system.OpenPrivate(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY)
}

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

// WrittenFiles remembers the files that people are going to edit as the program
// wrote them, so that an edited one is not overwritten. They stand in the
// directory by the hash of their path; without a directory nothing is remembered.
type WrittenFiles struct{ Dir string }

// Unchanged reports whether the file is still as it was written, or no file at all.
func (f WrittenFiles) Unchanged(path string) (bool, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil || info.Mode()&fs.ModeSymlink != 0 {
		return err == nil, err // the file that a link leads to is not touched
	}
	now, err := hashFile(path)
	if err != nil || f.Dir == "" {
		return false, err
	}
	written, err := os.ReadFile(f.hashPath(path))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return string(written) == now, err
}

// Remember notes how the file is now.
func (f WrittenFiles) Remember(path string) error {
	now, err := hashFile(path)
	if err != nil || f.Dir == "" {
		return err
	}
	if err := system.MkdirPrivate(f.Dir); err != nil {
		return err
	}
	return ReplaceFile(f.hashPath(path), func(w io.Writer) error {
		_, err := io.WriteString(w, now)
		return err
	})
}

// Remove removes the file and the note of it, if there are any.
func (f WrittenFiles) Remove(path string) error {
	for _, p := range []string{path, f.hashPath(path)} {
		if err := system.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// hashPath is the name of what is noted about a file.
func (f WrittenFiles) hashPath(path string) string {
	h := sha256.Sum256([]byte(AbsolutePath(path)))
	return filepath.Join(f.Dir, hex.EncodeToString(h[:16]))
}

func hashFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
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
