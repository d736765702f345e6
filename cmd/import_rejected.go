package cmd

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/sheet"
	"ativa/internal/system"
)

// writeRejected writes the rows refused here or by the server, unchanged. If there are none, it
// removes the file of an earlier run. A file that was edited since, or is open in Excel, is kept,
// and the new one is numbered.
func (i *importRun) writeRejected(ctx context.Context) error {
	state, err := i.StateDir()
	if err != nil {
		return err
	}
	own := writtenFiles{filepath.Join(state, "rejected")}
	path, kept := i.reportPath(".rejected.csv"), cli.Message{}
	for n := 2; ; n++ {
		mine, err := own.unchanged(path)
		if err == nil && mine {
			if err = i.replaceRejected(ctx, own, path); err == nil {
				break
			}
		}
		if err != nil && !system.IsFileInUse(err) {
			return err
		}
		next := i.reportPath(fmt.Sprintf(".rejected-%d.csv", n))
		if kept = cli.Msg("%s was changed since it was written and is kept; the refused rows are now in %s", path, next); mine {
			kept = cli.Msg("%s is open in another program and is kept; the refused rows are now in %s", path, next)
		}
		path = next
	}
	if i.summary.Rejected != "" && !kept.IsEmpty() {
		i.Notice("%s", kept)
	}
	return nil
}

// replaceRejected writes the refused rows to path, or removes the file if there are none.
func (i *importRun) replaceRejected(ctx context.Context, own writtenFiles, path string) error {
	if i.summary.Invalid+i.summary.Failed == 0 {
		return own.remove(path)
	}
	if err := cli.ReplaceFile(path, func(w io.Writer) error { return i.rejectedRows(ctx, w) }); err != nil {
		return err
	}
	i.summary.Rejected = path
	own.remember(path)
	return nil
}

// rejectedRows writes the refused rows of the file to out.
func (i *importRun) rejectedRows(ctx context.Context, out io.Writer) (err error) {
	w := i.file.NewRejectedWriter(out)
	w.Language = i.Lang
	reported, end, err := i.reportedRows()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	refused := map[int]bool{} // lines into which others are merged
	for row, err := range i.file.Rows(ctx) {
		if err != nil {
			return err
		}
		why, err := reported(row.Line)
		switch {
		case err != nil:
		case refused[row.MergedInto]: // both must be imported together
			err = w.Write(row, sheet.Problem{Line: row.Line, Field: api.FieldDocument, Code: sheet.CodeHeldBack, Args: map[string]string{"line": strconv.Itoa(row.MergedInto)}})
		case why.Line == row.Line && why.Result == api.ResultFailed:
			if row.Merged {
				refused[row.Line] = true
			}
			err = w.Write(row, sheet.Problem{Line: row.Line, Code: why.Code, Field: why.Field, Refusal: why.Detail})
		case len(row.Problems) > 0:
			err = w.Write(row)
		}
		if err != nil {
			return err
		}
	}
	return w.Flush()
}

// reportedRows returns of, which finds the report's line for ascending rows, and end, which closes
// the report. Memory does not grow with the number of refused rows. If no row failed, the report
// is not opened.
func (i *importRun) reportedRows() (of func(line int) (sheet.ReportLine, error), end func() error, err error) {
	if i.summary.Failed == 0 {
		return func(int) (l sheet.ReportLine, err error) { return l, nil }, func() error { return nil }, nil
	}
	report, err := os.Open(i.summary.Report)
	if err != nil {
		return nil, nil, err
	}
	next, stop := iter.Pull2(sheet.ReadReport(report))
	var l sheet.ReportLine
	of = func(line int) (sheet.ReportLine, error) {
		for l.Line < line {
			var err error
			var more bool
			if l, err, more = next(); err != nil {
				return l, err
			}
			if !more {
				l.Line = math.MaxInt
			}
		}
		return l, nil
	}
	return of, func() error { stop(); return report.Close() }, nil
}

// writtenFiles records hashes of files for people to edit, so that an edited one is not
// overwritten. The records are in the directory by the hash of the path.
type writtenFiles struct{ dir string }

// unchanged reports whether the file is as written, or missing.
func (f writtenFiles) unchanged(path string) (bool, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil || info.Mode()&fs.ModeSymlink != 0 {
		return err == nil, err // the target of a link is not changed
	}
	now, err := hashFile(path)
	if err != nil {
		return false, err
	}
	written, err := os.ReadFile(f.hashPath(path))
	return err == nil && string(written) == now, nil
}

// remember records the file's current hash. If it cannot, the next run keeps the file.
func (f writtenFiles) remember(path string) {
	if now, err := hashFile(path); err == nil {
		_ = system.WritePrivate(f.hashPath(path), []byte(now))
	}
}

// remove removes the file, if it exists, and its record, if it can.
func (f writtenFiles) remove(path string) error {
	if err := system.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	_ = system.Remove(f.hashPath(path))
	return nil
}

// hashPath returns the path of a file's record.
func (f writtenFiles) hashPath(path string) string {
	h := sha256.Sum256([]byte(cli.AbsolutePath(path)))
	return filepath.Join(f.dir, hex.EncodeToString(h[:16]))
}

func hashFile(path string) (string, error) {
	f, hash, err := system.OpenHashed(path)
	if err != nil {
		return "", err
	}
	return hash, f.Close()
}
