package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"ativa/internal/csvfile"
)

// reportFile is FILE.report.csv. Lines of rows that are not sent are held
// until the rows before them have their outcome, so that the report is in the
// order of the file. hold and write are called by different goroutines.
type reportFile struct {
	file *os.File
	mu   sync.Mutex
	w    *csvfile.ReportWriter
	lost error // why a line could not be held; close returns it
}

// createReport begins a report, for Excel where --excel says so.
func (e *env) createReport(path string) (*reportFile, error) {
	f, err := createFile(path)
	if err != nil {
		return nil, fmt.Errorf("the report (--report-dir chooses another place): %w", err)
	}
	w := csvfile.NewReportWriter(f)
	w.Excel = e.global.output.excel
	return &reportFile{file: f, w: w}, nil
}

// runAgain is what a report says of a row without an answer.
const runAgain = "no answer came; run the same command again"

func (r *reportFile) hold(l csvfile.ReportLine) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lost = cmp.Or(r.lost, r.w.Hold(l))
}

func (r *reportFile) write(l csvfile.ReportLine) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.w.Write(l)
}

func (r *reportFile) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return errors.Join(r.lost, r.w.Close(), r.file.Close())
}

// writeCheck writes the report of a file of which nothing is sent, and gives
// its name.
func (e *env) writeCheck(ctx context.Context, f *csvfile.File, path string) (string, error) {
	report, err := e.createReport(path)
	if err != nil {
		return "", err
	}
	for row, err := range f.Rows(ctx) {
		if err == nil {
			err = report.write(row.Report(e.problem))
		}
		if err != nil {
			return "", errors.Join(err, report.close())
		}
	}
	return report.file.Name(), report.close()
}

// problem is what is wrong with a row, in the user's language.
func (e *env) problem(p *csvfile.Problem) string { return problemText(e.lang, p) }

// reportPlace is where a report about a file goes: beside it, or in a directory.
func reportPlace(file, dir, suffix string) string {
	if file == "-" {
		file = "stdin"
	}
	if dir != "" {
		file = filepath.Join(dir, filepath.Base(file))
	}
	return file + suffix
}

func (i *importRun) place(suffix string) string {
	return reportPlace(i.importOptions.file, i.reportDir, suffix)
}

// writeRejected writes the rows that were refused, here or by the server, as
// they stood in the file. Without any, a file of an earlier run is removed. One
// that was changed since it was written is kept, and the new one is numbered.
func (i *importRun) writeRejected(ctx context.Context) error {
	own := ownFiles{}
	if state, err := i.stateDir(); err == nil {
		own.dir = filepath.Join(state, "rejected")
	}
	path, kept := i.place(".rejected.csv"), ""
	for n := 2; ; n++ {
		mine, err := own.isOwn(path)
		if err != nil {
			return err
		}
		if mine {
			break
		}
		kept, path = path, i.place(fmt.Sprintf(".rejected-%d.csv", n))
	}
	if i.summary.Invalid+len(i.failed) == 0 {
		return own.remove(path)
	}
	if err := replaceFile(path, func(w io.Writer) error { return i.rejectedRows(ctx, w) }); err != nil {
		return err
	}
	if kept != "" {
		i.remark("%s was changed since it was written and is kept; the refused rows are now in %s", kept, path)
	}
	i.summary.Rejected = path
	return own.wrote(path)
}

// rejectedRows writes the refused rows of the file.
func (i *importRun) rejectedRows(ctx context.Context, out io.Writer) error {
	w := i.file.NewRejectedWriter(out)
	w.Message = i.problem
	for row, err := range i.file.Rows(ctx) {
		if err != nil {
			return err
		}
		why, refused := i.failed[row.Line]
		switch {
		case refused:
			err = w.Write(row, csvfile.Problem{Line: row.Line, Code: why.Code, Field: why.Field, Args: map[string]string{"detail": why.Detail}})
		case len(row.Problems) > 0:
			err = w.Write(row)
		}
		if err != nil {
			return err
		}
	}
	return w.Flush()
}

// tell sums up on standard error.
func (i *importRun) tell() {
	s := i.summary
	counted := []struct {
		n    int
		what phrase
	}{
		{s.Existing, say("%d existed already", s.Existing)}, {s.Updated, say("%d of them updated", s.Updated)},
		{s.Activated, say("%d [service|services] of theirs activated", s.Activated)}, {s.Duplicate, say("%d duplicate", s.Duplicate)},
		{s.Sent, say("%d sent", s.Sent)}, {s.Failed, say("%d refused by the server", s.Failed)}, {s.Invalid, say("%d invalid", s.Invalid)},
		{s.Unknown, say("%d without an answer", s.Unknown)}, {s.NotSent, say("%d not sent", s.NotSent)},
	}
	if s.Resumed > 0 {
		i.remark("%d [row was|rows were] done by an earlier run", s.Resumed)
	}
	parts := []string{i.text("%d created", s.Created)}
	for _, c := range counted {
		if c.n > 0 {
			parts = append(parts, c.what.in(i.lang))
		}
	}
	if s.DryRun {
		i.remark("would be imported: %s", strings.Join(parts, ", "))
	} else {
		i.remark("imported: %s", strings.Join(parts, ", "))
	}
	if s.Queued > 0 {
		i.remark("%d [service waits|services wait] in the queue: the provider's limit of active services is reached", s.Queued)
	}
	i.remark("report: %s", s.Report)
	if s.Rejected != "" {
		i.remark("refused rows: %s (mend them, then: %s)", s.Rejected, i.mended())
	}
}

// mended is the command that imports the refused rows once they are mended.
func (i *importRun) mended() string {
	return "ativa subscribers import " + shellWord(i.summary.Rejected)
}

// next is the command to run next, "" when all is done.
func (i *importRun) next(sent error) string {
	switch {
	case sent != nil && i.summary.Import != "":
		return "ativa imports resume " + i.summary.Import
	case i.summary.Rejected != "":
		return i.mended()
	}
	return ""
}

// outcome is the exit of an import that was sent.
func (i *importRun) outcome(sent error) error {
	if _, ok := errors.AsType[*failure](sent); ok { // from waiting
		return sent
	}
	s := i.summary
	switch {
	case sent != nil:
		hint := say("run the same command again, or: ativa imports resume %s", s.Import)
		if s.Import == "" {
			hint = say("run the same command again")
		}
		return &failure{exit: exitOf(sent), code: "incomplete", message: say("the import is not complete: %d [row|rows] without an answer, %d not sent", s.Unknown, s.NotSent), hint: hint, err: sent}
	case s.Failed > 0 && s.Failed == s.answered():
		return &failure{exit: exitRefused, code: "batch_failed", message: say("%d [row was|rows were] refused, and none done", s.Failed), hint: say("see %s", s.Rejected)}
	case s.Failed+s.Invalid > 0:
		return &done{exitPartial}
	case i.strict && !s.DryRun && s.Queued > 0:
		return queuedFailure(say("%d [service is|services are] queued: the provider reached its limit of active services", s.Queued))
	}
	return nil
}

// answered is how many rows the server has told about.
func (s importSummary) answered() int {
	return s.Created + s.Existing + s.Duplicate + s.Sent + s.Failed
}

func exitOf(err error) int { return explain(err).exit }
