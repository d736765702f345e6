package cli

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"ativa/internal/settings"
	"ativa/internal/sheet"
	"ativa/internal/system"
)

// Reports and other output files hold personal data, so only their owner may read them: writing one
// neither follows a link nor keeps the mode of an older file.

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

// CheckReportDir returns a usage error if --report-dir is not a directory.
func CheckReportDir(f *pflag.FlagSet) error {
	dir := f.Lookup("report-dir")
	if dir == nil || dir.Value.String() == "" {
		return nil
	}
	if info, err := os.Stat(dir.Value.String()); err != nil || !info.IsDir() {
		return Usage("--report-dir: %s is not an existing directory", dir.Value)
	}
	return nil
}

// CheckReplaceable refuses a path that is neither a file nor a link to one, such as a directory, a
// device or /dev/stdout, a link that root could replace for the whole machine.
func CheckReplaceable(path string) error {
	info, err := os.Stat(path)
	if AbsolutePath(path) == StandardInput || err == nil && !info.Mode().IsRegular() {
		return &Failure{Exit: ExitError, Code: "error", Message: Msg("%s is not a file", path), Hint: Msg("move it away, or choose another place")}
	}
	return nil // creating it reports other problems of the path
}

// AbsolutePath returns a path that is valid from any directory. A path that only this process can
// open becomes [StandardInput]: a later process needs the same input again.
func AbsolutePath(path string) string {
	for _, own := range []string{"/dev/std", "/dev/fd/", "/proc/self/fd/"} {
		if strings.HasPrefix(path, own) {
			return StandardInput
		}
	}
	if path == StandardInput {
		return path
	}
	return settings.WholePath(path)
}

// StandardInput is the file name that means standard input, and is none for output.
const StandardInput = "-"

// ReportPath returns the path of a report about a file: in dir, else next to the file, or in the
// working directory if the file is not regular, such as a pipe. It cuts a name too long for the
// file system.
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

// ParseDocument parses a CPF and returns its digits. An invalid one is a usage error.
func ParseDocument(s string) (string, error) {
	d, err := sheet.Document(s)
	if err != nil {
		return "", Usage("document %q: %s", s, err)
	}
	return string(d), nil
}

// InputFile returns standard input for a command that reads its data there. It is a usage error if
// the access token comes from there, too.
func (e *Env) InputFile() (io.Reader, error) {
	if e.Global.TokenStdin {
		return nil, Usage("--token-stdin and - both read standard input").WithHint("give the name of a file, or the access token with --token-file")
	}
	return e.In, nil
}

// OpenSpreadsheet opens a spreadsheet, or standard input for "-". It waits for the writer of a pipe
// no longer than ctx.
func (e *Env) OpenSpreadsheet(ctx context.Context, file string, o sheet.Options) (*sheet.File, error) {
	if file == StandardInput || file == "/dev/stdin" {
		in, err := e.InputFile()
		if err != nil {
			return nil, err
		}
		return sheet.OpenReader(bufio.NewReader(in), o)
	}
	f, err := Await(ctx, func() (*sheet.File, error) { return sheet.Open(file, o) })
	return f, inputError(file, err)
}

// ReadFile returns the content of a small file that the user named. It waits for the writer of a
// pipe no longer than ctx.
func ReadFile(ctx context.Context, file string) ([]byte, error) {
	content, err := Await(ctx, func() ([]byte, error) {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return io.ReadAll(f)
		}
		return ReadStream(f)
	})
	return content, inputError(file, err)
}

// maxStream is the maximum number of bytes read into memory from a pipe or another stream without a size.
const maxStream = 64 << 20

// ReadStream reads all of a stream into memory. It refuses one that may never end.
func ReadStream(r io.Reader) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(r, maxStream+1))
	if err == nil && len(content) > maxStream {
		return nil, Usage("the input is larger than %d MiB", maxStream>>20)
	}
	return content, err
}

// inputError returns a usage error for a file that cannot be opened, and any other error unchanged.
func inputError(file string, err error) error {
	fault, ok := errors.AsType[*fs.PathError](err)
	if !ok || fault.Path != file {
		return err
	}
	info, statErr := os.Stat(file)
	switch {
	case statErr == nil && info.IsDir():
		return Usage("%s is a directory, not a file", file)
	case fault.Op != "open", errors.Is(err, fs.ErrPermission):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return Usage("file %s does not exist", file)
	}
	return Usage("file %s: %s", file, fault.Err)
}
