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
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/lang"
	"ativa/internal/run"
	"ativa/internal/sheet"
	"ativa/internal/system"
)

// reportFile is FILE.report.csv. On a nil reportFile write and end do nothing.
type reportFile struct {
	file *os.File
	hash hash.Hash // of what was written
	w    *sheet.ReportWriter
}

// createReport creates a report, for Excel with --excel, and records its path in the run's
// journal. Without one it reports what a run would do, and replaces no report of a run.
func createReport(e *cli.Env, path string, j *run.Journal) (*reportFile, error) {
	if j == nil && isNeeded(e, path) {
		path = strings.TrimSuffix(path, ".report.csv") + ".check.csv"
	}
	journals, err := journalDir(e)
	if err == nil {
		err = j.NoteReport(run.Report{Path: cli.AbsolutePath(path)})
	}
	if err == nil { // of two runs that begin at once, one sees the note of the other
		err = journals.CheckReport(cli.AbsolutePath(path), j)
	}
	if err != nil {
		return nil, err
	}
	f, err := createFile(path)
	if err != nil {
		return nil, fmt.Errorf("the report (--report-dir chooses another place): %w", err)
	}
	r := &reportFile{file: f, hash: sha256.New()}
	r.w = sheet.NewReportWriter(io.MultiWriter(f, r.hash))
	r.w.Excel = e.Global.Output.Excel
	return r, nil
}

// isNeeded reports whether a path has the report of a run that is under way, or that `ativa imports undo`
// can undo.
func isNeeded(e *cli.Env, path string) bool {
	all, err := journalDir(e)
	if err != nil {
		return false
	}
	runs, _ := all.List() // what a damaged journal describes cannot be undone
	return slices.ContainsFunc(runs, func(r run.Info) bool {
		return r.Report.Path == cli.AbsolutePath(path) && (r.State == run.StateRunning || isUndoable(r))
	})
}

// createFile begins a file that replaces any file with its name.
func createFile(path string) (*os.File, error) {
	if err := cli.CheckReplaceable(path); err != nil {
		return nil, err
	}
	if err := system.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return system.OpenPrivate(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY)
}

func (r *reportFile) write(l sheet.ReportLine) error {
	if r == nil {
		return nil
	}
	return r.w.Write(l)
}

func (r *reportFile) close() error { return errors.Join(r.w.Flush(), r.file.Close()) }

// end closes the report and records its hash in the journal.
func (r *reportFile) end(j *run.Journal) error {
	if r == nil {
		return nil
	}
	if err := r.close(); err != nil {
		return err
	}
	return j.NoteReport(run.Report{Path: cli.AbsolutePath(r.file.Name()), SHA256: hex.EncodeToString(r.hash.Sum(nil))})
}

// writeCheckReport writes the report of a checked file, and returns its path.
func writeCheckReport(ctx context.Context, e *cli.Env, f *sheet.File, path string) (string, error) {
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

// datedReport returns the path for the report of a run without a file: that of the interrupted run,
// else a new one.
func datedReport(e *cli.Env, j *run.Journal, command, dir string) (string, error) {
	if earlier := j.Report().Path; earlier != "" {
		return earlier, nil
	}
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

// Details in the report for rows without a result.
const (
	noAnswer = "no answer came; run the same command again"
	notSent  = "not sent; run the same command again"
)

// record counts the outcome of a row, and completes and writes its report line.
func (r *rowRun) record(line sheet.ReportLine, o run.RowResult) error {
	line.Result = o.Kind
	switch {
	case o.IsNotSent():
		line.Result, line.Detail = sheet.ResultNotSent, r.Text(notSent)
		return r.report.write(line)
	case o.Kind == sheet.ResultWaiting: // the line has the reason
		return r.report.write(line)
	case o.Err != nil:
		line.Result, line.Detail = sheet.ResultUnknown, r.Text(noAnswer)
	case o.Kind == api.ResultExisting && o.Updated:
		line.Detail = r.Text("updated: %s", strings.Join(o.Differs, " "))
	case o.Kind == api.ResultExisting:
		line.Detail = strings.Join(o.Differs, " ")
	default:
		line.Code, line.Field, line.Detail = o.Code, o.Field, lang.Refusal{Code: o.Code, Detail: cmp.Or(o.Detail, o.Code)}.Text(r.Lang)
	}
	r.results[line.Result]++
	if o.Replayed {
		r.resumed++
	}
	r.progress.Add(1)
	for _, s := range o.Services {
		if waitsInQueue(s) {
			r.queued++
		}
		if r.waiter != nil && o.Kind != api.ResultFailed {
			r.waiter.add(line.Document, s)
		}
	}
	addServices(&line, o.Services)
	return r.report.write(line)
}

// addServices adds the services of a row and their statuses to a line of the report.
func addServices(line *sheet.ReportLine, all []run.Service) {
	var texts []string
	for _, s := range all {
		text := number(s.ProductID)
		if s.Previous != "" {
			text += " " + s.Previous + " →"
		}
		if s.Status != "" {
			text += " " + s.Status
		}
		texts = append(texts, text)
	}
	line.Services = strings.Join(texts, ", ")
	if len(all) == 1 {
		s := all[0]
		line.ProductID, line.PreviousStatus, line.Status, line.OperationID = number(s.ProductID), cmp.Or(s.Previous, line.PreviousStatus), s.Status, s.OperationID
	}
}
