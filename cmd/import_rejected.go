package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/csvfile"
	"ativa/internal/system"
)

// writeRejected writes the rows that were refused, here or by the server, as
// they stood in the file. Without any, a file of an earlier run is removed. One
// that was changed since it was written, or is open in Excel, is kept, and the new one
// is numbered.
func (i *importRun) writeRejected(ctx context.Context) error {
	own := cli.WrittenFiles{}
	if state, err := i.StateDir(); err == nil {
		own.Dir = filepath.Join(state, "rejected")
	}
	path, kept := i.reportPath(".rejected.csv"), cli.Message{}
	for n := 2; ; n++ {
		mine, err := own.Unchanged(path)
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

// replaceRejected writes the refused rows into a file, or removes it if there are none.
func (i *importRun) replaceRejected(ctx context.Context, own cli.WrittenFiles, path string) error {
	if i.summary.Invalid+i.summary.Failed == 0 {
		return own.Remove(path)
	}
	if err := cli.ReplaceFile(path, func(w io.Writer) error { return i.rejectedRows(ctx, w) }); err != nil {
		return err
	}
	i.summary.Rejected = path
	return own.Remember(path)
}

// rejectedRows writes the refused rows of the file.
func (i *importRun) rejectedRows(ctx context.Context, out io.Writer) (err error) {
	w := i.file.NewRejectedWriter(out)
	w.Language = i.Lang
	reported, end, err := i.reportedRows()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	for row, err := range i.file.Rows(ctx) {
		if err != nil {
			return err
		}
		why, err := reported(row.Line)
		switch {
		case err != nil:
		case why.Line == row.Line && why.Result == api.ResultFailed:
			err = w.Write(row, csvfile.Problem{Line: row.Line, Code: why.Code, Field: why.Field, Refusal: why.Detail})
		case len(row.Problems) > 0:
			err = w.Write(row)
		}
		if err != nil {
			return err
		}
	}
	return w.Flush()
}

// reportedRows finds, for rising lines, what the report says of a row; memory does not
// grow with the rows that the server refused. Without any the report is not read.
func (i *importRun) reportedRows() (of func(line int) (csvfile.ReportLine, error), end func() error, err error) {
	if i.summary.Failed == 0 {
		return func(int) (l csvfile.ReportLine, err error) { return l, nil }, func() error { return nil }, nil
	}
	report, err := os.Open(i.summary.Report)
	if err != nil {
		return nil, nil, err
	}
	next, stop := iter.Pull2(csvfile.ReadReport(report))
	var l csvfile.ReportLine
	of = func(line int) (csvfile.ReportLine, error) {
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
