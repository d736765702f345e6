package cmd

import (
	"errors"
	"os"
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
	held []csvfile.ReportLine
}

func (i *importRun) createReport() (*reportFile, error) {
	path := i.place(".report.csv")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	i.summary.Report = path
	return &reportFile{file: f, w: csvfile.NewReportWriter(f)}, nil
}

func (r *reportFile) hold(l csvfile.ReportLine) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held = append(r.held, l)
}

func (r *reportFile) write(l csvfile.ReportLine) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.release(l.Line); err != nil {
		return err
	}
	return r.w.Write(l)
}

// release writes what was held of the lines before the given one.
func (r *reportFile) release(before int) error {
	for len(r.held) > 0 && r.held[0].Line < before {
		if err := r.w.Write(r.held[0]); err != nil {
			return err
		}
		r.held = r.held[1:]
	}
	return nil
}

func (r *reportFile) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	const end = int(^uint(0) >> 1)
	return errors.Join(r.release(end), r.w.Flush(), r.file.Close())
}
