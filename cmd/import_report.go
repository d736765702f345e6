package cmd

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"ativa/internal/bulk"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/csvfile"
	"ativa/internal/failure"
	"ativa/internal/lang"
	"ativa/internal/system"
)

// reportFile is FILE.report.csv. Lines of rows that are not sent are held
// until the rows before them have their outcome, so that the report is in the
// order of the file. hold and write are called by different goroutines.
type reportFile struct {
	file    *os.File
	hash    hash.Hash // of what was written
	mu      sync.Mutex
	w       *csvfile.ReportWriter
	holdErr error // why a line could not be held; close returns it
}

// createReport begins a report, for Excel where --excel says so, and notes in the journal
// of the run, if it has one, where the report is.
func createReport(e *cli.Env, path string, j *bulk.Journal) (*reportFile, error) {
	f, err := cli.CreateFile(path)
	if err != nil {
		return nil, fmt.Errorf("the report (--report-dir chooses another place): %w", err)
	}
	if err := j.NoteReport(bulk.Report{Path: cli.AbsolutePath(path)}); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	r := &reportFile{file: f, hash: sha256.New()}
	r.w = csvfile.NewReportWriter(io.MultiWriter(f, r.hash))
	r.w.Excel = e.Global.Output.Excel
	return r, nil
}

// What a report says of a row without a result.
const (
	noAnswer = "no answer came; run the same command again"
	notSent  = "not sent; run the same command again"
)

func (r *reportFile) hold(l csvfile.ReportLine) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.holdErr = cmp.Or(r.holdErr, r.w.Hold(l))
}

func (r *reportFile) write(l csvfile.ReportLine) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.w.Write(l)
}

func (r *reportFile) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return errors.Join(r.holdErr, r.w.Close(), r.file.Close())
}

// end closes the report and notes in the journal how the run left it.
func (r *reportFile) end(j *bulk.Journal) error {
	if err := r.close(); err != nil {
		return err
	}
	return j.NoteReport(bulk.Report{Path: cli.AbsolutePath(r.file.Name()), SHA256: hex.EncodeToString(r.hash.Sum(nil))})
}

// writeCheckReport writes the report of a file of which nothing is sent, and gives
// its name.
func writeCheckReport(ctx context.Context, e *cli.Env, f *csvfile.File, path string) (string, error) {
	report, err := createReport(e, path, nil)
	if err != nil {
		return "", err
	}
	for row, err := range f.Rows(ctx) {
		if err == nil {
			err = report.write(row.Report(e.Lang))
		}
		if err != nil {
			return "", errors.Join(err, report.close())
		}
	}
	return report.file.Name(), report.close()
}

// sentRows are the rows of a file that are sent. The others go into the report, if there
// is one.
func sentRows(ctx context.Context, f *csvfile.File, report *reportFile, words lang.Language) iter.Seq2[*csvfile.Row, error] {
	return func(yield func(*csvfile.Row, error) bool) {
		for row, err := range f.Rows(ctx) {
			if err == nil && !row.OK() {
				if report != nil {
					report.hold(row.Report(words))
				}
				continue
			}
			if err == nil {
				row.Trim()
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

// datedReport is a path that does not exist yet, for the report of a run without a file.
func datedReport(e *cli.Env, command, dir string) (string, error) {
	name := "ativa-" + strings.ReplaceAll(command, " ", "-") + "-" + e.Now().Format(time.DateOnly)
	for n := 1; ; n++ {
		path := filepath.Join(dir, name+".report.csv")
		if n > 1 {
			path = filepath.Join(dir, name+"-"+strconv.Itoa(n)+".report.csv")
		}
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return path, nil
		} else if err != nil {
			return "", err
		}
	}
}

func (i *importRun) reportPath(suffix string) string {
	return cli.ReportPath(i.importOptions.file, i.reportDir, suffix)
}

// noticeSummary sums up on standard error.
func (i *importRun) noticeSummary() {
	s := i.summary
	counted := []struct {
		n    int
		what cli.Message
	}{
		{s.Existing, cli.Msg("%d existed already", s.Existing)}, {s.Updated, cli.Msg("%d of them updated", s.Updated)},
		{s.Activated, cli.Msg("%d [service|services] of theirs activated", s.Activated)}, {s.Duplicate, cli.Msg("%d duplicate", s.Duplicate)},
		{s.Sent, cli.Msg("%d sent", s.Sent)}, {s.Failed, cli.Msg("%d refused by the server", s.Failed)}, {s.Invalid, cli.Msg("%d invalid", s.Invalid)},
		{s.Unknown, cli.Msg("%d without an answer", s.Unknown)}, {s.NotSent, cli.Msg("%d not sent", s.NotSent)},
	}
	if s.Resumed > 0 {
		i.Notice("%d [row was|rows were] done by an earlier run", s.Resumed)
	}
	parts := []string{i.Text("%d created", s.Created)}
	for _, c := range counted {
		if c.n > 0 {
			parts = append(parts, c.what.Text(i.Lang))
		}
	}
	if s.DryRun {
		i.Notice("would be imported: %s", strings.Join(parts, ", "))
	} else {
		i.Notice("imported: %s", strings.Join(parts, ", "))
	}
	if s.Queued > 0 {
		i.Notice("%d [service waits|services wait] in the queue: the provider's limit of active services is reached", s.Queued)
	}
	i.Notice("report: %s", s.Report)
	if s.Rejected != "" {
		i.Notice("refused rows: %s (fix them, then: %s)", s.Rejected, i.reimportCommand())
	}
}

// reimportCommand is the command that imports the refused rows once they are fixed.
func (i *importRun) reimportCommand() string {
	return "ativa subscribers import " + system.ShellQuote(i.summary.Rejected)
}

// nextCommand is the command to run next, "" when all is done.
func (i *importRun) nextCommand(sent error) string {
	switch {
	case sent != nil && i.summary.Import != "":
		return "ativa imports resume " + i.summary.Import
	case i.summary.Rejected != "":
		return i.reimportCommand()
	}
	return ""
}

// exitError is the exit of an import that was sent.
func (i *importRun) exitError(sent error) error {
	s := i.summary
	switch {
	case sent != nil:
		hint := cli.Msg("run the same command again, or: ativa imports resume %s", s.Import)
		if s.Import == "" {
			hint = cli.Msg("run the same command again")
		}
		return &cli.Failure{Exit: exitOf(sent), Code: "incomplete", Message: cli.Msg("the import is not complete: %d [row|rows] without an answer, %d not sent", s.Unknown, s.NotSent), Hint: client.HintOfStop(sent, hint), Err: sent}
	case s.Failed > 0 && s.Failed == s.answered():
		return &cli.Failure{Exit: cli.ExitRefused, Code: "batch_failed", Message: cli.Msg("%d [row was|rows were] refused, and none done", s.Failed), Hint: cli.Msg("see %s", s.Rejected)}
	case s.Invalid > 0 && i.unsaid != nil:
		return leftOutError(s.Invalid, i.unsaid, cli.Msg("see %s", s.Rejected))
	case s.Failed+s.Invalid > 0:
		return &cli.SilentExit{Code: cli.ExitPartial}
	case i.strict && !s.DryRun && s.Queued > 0:
		return queuedFailure(cli.Msg("%d [service is|services are] queued: the provider reached its limit of active services", s.Queued))
	}
	return nil
}

// answered is how many rows the server has told about.
func (s importSummary) answered() int {
	return s.Created + s.Existing + s.Duplicate + s.Sent + s.Failed
}

// done is how many rows the server has now as the file has them, or may have.
func (s importSummary) done() int {
	if s.DryRun {
		return 0
	}
	return s.answered() - s.Failed + s.Unknown
}

func exitOf(err error) int { return failure.OutcomeOf(err).Exit }
