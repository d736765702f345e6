package bulk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"ativa/internal/api"
)

// States of a run.
const (
	StateRunning     = "running"
	StateInterrupted = "interrupted"
	StateFinished    = "finished"
)

// RunInfo is a run as its journal tells it.
type RunInfo struct {
	Header
	// State is running, interrupted (the same command goes on with it) or finished.
	State string `json:"state"`
	// Updated is when it last wrote something down.
	Updated time.Time `json:"updated"`
	// Done rows have a result, Failed of them were refused. Unanswered ones were
	// sent and have none.
	Done       int `json:"done"`
	Failed     int `json:"failed"`
	Unanswered int `json:"unanswered"`
}

// NoSuchRunError is the error for an id that no journal has.
type NoSuchRunError struct{ ID string }

// Error names the id.
func (e *NoSuchRunError) Error() string { return fmt.Sprintf("there is no import %q", e.ID) }

// List tells of all runs, the latest first. A journal that cannot be read is
// left out and its error returned beside the others.
func (s JournalDir) List() ([]RunInfo, error) {
	paths, err := filepath.Glob(filepath.Join(s.Path, "*"+suffix))
	if err != nil {
		return nil, err
	}
	var all []RunInfo
	var errs []error
	for _, path := range paths {
		e, err := s.entry(path)
		switch {
		case errors.Is(err, fs.ErrNotExist): // purged meanwhile
		case err != nil:
			errs = append(errs, err)
		case e.ID != "":
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b RunInfo) int {
		if c := b.Started.Compare(a.Started); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return all, errors.Join(errs...)
}

// Get tells of one run. Its error is *NoSuchRun when there is none of that id.
func (s JournalDir) Get(id string) (RunInfo, error) {
	if id != filepath.Base(id) {
		return RunInfo{}, &NoSuchRunError{id}
	}
	e, err := s.entry(s.path(id))
	if errors.Is(err, fs.ErrNotExist) || err == nil && e.ID == "" {
		return RunInfo{}, &NoSuchRunError{id}
	}
	return e, err
}

// Remove forgets a run. One that is running cannot be forgotten.
func (s JournalDir) Remove(id string) error {
	lock, err := s.acquire(fingerprintOf(id))
	if err != nil {
		return err
	}
	return errors.Join(os.Remove(s.path(id)), lock.Unlock())
}

func (s JournalDir) path(id string) string { return filepath.Join(s.Path, id+suffix) }

func fingerprintOf(id string) string {
	name, _, _ := strings.Cut(id, "-")
	return name
}

func (s JournalDir) entry(path string) (RunInfo, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return RunInfo{}, err
	}
	records, _, err := parseRecords(data)
	if err != nil {
		return RunInfo{}, fmt.Errorf("journal %s is damaged: %w", path, err)
	}
	if len(records) == 0 || records[0].Header == nil {
		return RunInfo{}, nil
	}
	e := RunInfo{Header: *records[0].Header, State: StateInterrupted}
	if info, err := os.Stat(path); err == nil {
		e.Updated = info.ModTime().UTC().Truncate(time.Second)
	}
	e.count(records)
	if e.State != StateFinished && s.isRunning(e.ID) {
		e.State = StateRunning
	}
	return e, nil
}

func (e *RunInfo) count(records []record) {
	open := map[int]int{}
	for _, r := range records {
		switch {
		case r.Begin != nil:
			open[r.Begin.Batch] = r.Begin.Lines.count()
		case r.Done != nil:
			delete(open, r.Done.Batch)
			for _, g := range r.Done.Results {
				e.Done += g.Lines.count()
				if g.Kind == api.ResultFailed {
					e.Failed += g.Lines.count()
				}
			}
		case r.End != nil:
			e.State = StateFinished
		}
	}
	for _, n := range open {
		e.Unanswered += n
	}
}

// isRunning looks whether another process holds the lock.
func (s JournalDir) isRunning(id string) bool {
	lock := flock.New(filepath.Join(s.Path, fingerprintOf(id)+".lock"), flock.SetPermissions(0o600))
	got, err := lock.TryRLock()
	if got {
		_ = lock.Unlock()
	}
	return err == nil && !got
}
