package run

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ativa/internal/api"
	"ativa/internal/failure"
)

// States of a run. The same command resumes an interrupted run.
const (
	StateRunning     = "running"
	StateInterrupted = "interrupted"
	StateFinished    = "finished"
)

// Info describes a run as its journal shows it.
type Info struct {
	Header
	State   string    `json:"state"`   // one of the State constants
	Updated time.Time `json:"updated"` // when the journal was last written
	// Done rows have a result; Failed of them were refused. Unanswered rows were sent and have no
	// result.
	Done       int `json:"done"`
	Failed     int `json:"failed"`
	Unanswered int `json:"unanswered"`
	// Report is the file with the outcome of each row, as the run left it; empty if there is none.
	Report Report `json:"report,omitzero"`
	// Due is the time for which the run scheduled something; zero for none.
	Due time.Time `json:"-"`
}

// List returns all runs, the latest first. The error joins those of unreadable journals; the other
// runs are returned with it.
func (d JournalDir) List() ([]Info, error) {
	entries, err := os.ReadDir(d.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var all []Info
	var errs []error
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) != suffix {
			continue
		}
		info, err := d.readInfo(filepath.Join(d.Path, entry.Name()))
		switch {
		case errors.Is(err, fs.ErrNotExist): // removed since
		case err != nil:
			errs = append(errs, err)
		default:
			all = append(all, info)
		}
	}
	slices.SortFunc(all, func(a, b Info) int {
		return cmp.Or(b.Started.Compare(a.Started), strings.Compare(a.ID, b.ID))
	})
	return all, errors.Join(errs...)
}

// Get returns one run. An unknown id is an error.
func (d JournalDir) Get(id string) (Info, error) {
	if id == filepath.Base(id) {
		info, err := d.readInfo(d.journalPath(id))
		if !errors.Is(err, fs.ErrNotExist) {
			return info, err
		}
	}
	return Info{}, failure.NotFound("there is no import %q", id).WithHint("see `ativa imports list`")
}

// Remove deletes the journal of a run, unless it is running: see [AlreadyRunning].
func (d JournalDir) Remove(id string) error {
	lock, err := d.acquire(fingerprintOf(id))
	if err == nil {
		return d.removeRun(id, lock)
	}
	if info, unreadable := d.Get(id); unreadable == nil && info.State == StateFinished { // a later run of the same work has the lock
		return d.removeFiles(id)
	}
	return err
}

// readInfo reads a journal. One without a whole record is [fs.ErrNotExist]: its run sent nothing.
func (d JournalDir) readInfo(path string) (Info, error) {
	records, _, err := readJournal(path)
	if err == nil && len(records) == 0 {
		err = fs.ErrNotExist
	}
	if err != nil {
		return Info{}, err
	}
	info := Info{Header: *records[0].Header, State: StateInterrupted}
	if file, err := os.Stat(path); err == nil {
		info.Updated = file.ModTime().UTC().Truncate(time.Second)
	}
	info.add(readContents(records))
	if info.State != StateFinished && d.isRunning(info.ID) {
		info.State = StateRunning
	}
	return info, nil
}

// add adds the contents of a journal.
func (i *Info) add(c contents) {
	i.Due, i.Report = c.due, c.report
	if c.ended {
		i.State = StateFinished
	}
	for _, b := range c.earlier {
		if !b.isDone() {
			i.Unanswered += b.Lines.count() - b.unsent.count()
		}
		for _, r := range b.results {
			if i.Done += r.Lines.count(); b.partial {
				i.Unanswered -= r.Lines.count()
			}
			if r.Kind == api.ResultFailed {
				i.Failed += r.Lines.count()
			}
		}
	}
}
