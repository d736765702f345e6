package bulk

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// JournalDir is the directory of the journals of all runs of a user. Files are
// 0600, the directory 0700.
type JournalDir struct{ Path string }

// AlreadyRunningError is the error of a second run of the same work at the same time.
type AlreadyRunningError struct {
	ID    string
	PID   int
	Since time.Time
}

// Error names the first run.
func (r *AlreadyRunningError) Error() string {
	if r.PID == 0 {
		return fmt.Sprintf("import %s is running already", r.ID)
	}
	return fmt.Sprintf("import %s is running already, in process %d since %s", r.ID, r.PID, r.Since.Local().Format(time.DateTime))
}

const (
	journalVersion = 1
	suffix         = ".jsonl"
	// lockWait is longer than the look of another command at the lock.
	lockWait  = 200 * time.Millisecond
	lockPause = 10 * time.Millisecond
)

// Open goes on with the unfinished run of that work, or begins a new one. Its
// error is *Running when another process is at it.
func (s JournalDir) Open(w RunSpec, args []string) (*Journal, error) {
	if err := os.MkdirAll(s.Path, 0o700); err != nil {
		return nil, fmt.Errorf("the directory of the import journals: %w", err)
	}
	name := w.fingerprint()
	lock, err := s.acquire(name)
	if err != nil {
		return nil, err
	}
	j, err := s.open(name, w, args)
	if err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	j.lock = lock
	if err := sign(lock, holder{ID: j.header.ID, PID: os.Getpid(), Since: time.Now()}); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	return j, nil
}

// identity is what makes two runs the same work, wherever the file lies.
func (w RunSpec) identity() string {
	return strings.Join([]string{w.Kind, w.SHA256, w.Server, w.Context, w.Options}, "\x00")
}

// fingerprint is a short name of the work. Two works may share one, see resume.
func (w RunSpec) fingerprint() string {
	h := sha256.Sum256([]byte(w.identity()))
	return hex.EncodeToString(h[:4])
}

// holder stands in a lock file, for the message of a second run.
type holder struct {
	ID    string    `json:"id"`
	PID   int       `json:"pid"`
	Since time.Time `json:"since"`
}

func (s JournalDir) acquire(name string) (*flock.Flock, error) {
	lock := flock.New(filepath.Join(s.Path, name+".lock"), flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	got, err := lock.TryLockContext(ctx, lockPause)
	if got {
		return lock, nil
	}
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("the lock of the import: %w", err)
	}
	h := holder{ID: name}
	if data, err := os.ReadFile(lock.Path()); err == nil {
		_ = json.Unmarshal(data, &h) // without it the message says less
	}
	return nil, &AlreadyRunningError{ID: h.ID, PID: h.PID, Since: h.Since}
}

func sign(lock *flock.Flock, h holder) error {
	data, err := json.Marshal(h)
	if err != nil {
		return err
	}
	return os.WriteFile(lock.Path(), data, 0o600)
}

// open finds the last journal of the name, and goes on with it unless it is finished.
func (s JournalDir) open(name string, w RunSpec, args []string) (*Journal, error) {
	all, err := s.numbers(name)
	if err != nil {
		return nil, err
	}
	last := 0
	if len(all) > 0 {
		last = all[len(all)-1]
		j, err := s.resume(filepath.Join(s.Path, fmt.Sprintf("%s-%d%s", name, last, suffix)), w)
		if j != nil || err != nil {
			return j, err
		}
	}
	return s.create(fmt.Sprintf("%s-%d", name, last+1), w, args)
}

// numbers are those of the journals of the name, in rising order.
func (s JournalDir) numbers(name string) ([]int, error) {
	paths, err := filepath.Glob(filepath.Join(s.Path, name+"-*"+suffix))
	if err != nil {
		return nil, err
	}
	var all []int
	for _, p := range paths {
		n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(filepath.Base(p), name+"-"), suffix))
		if err == nil {
			all = append(all, n)
		}
	}
	slices.Sort(all)
	return all, nil
}

func (s JournalDir) create(id string, w RunSpec, args []string) (*Journal, error) {
	path := filepath.Join(s.Path, id+suffix)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("creating the journal: %w", err)
	}
	j := &Journal{path: path, file: f, header: Header{Version: journalVersion, ID: id, RunSpec: w, Args: args, Started: time.Now().UTC().Truncate(time.Second)}}
	if err := j.append(record{Header: &j.header}); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return j, syncDir(s.Path)
}

// resume opens an unfinished journal of the work; it is nil when the journal is
// finished, was cut before its first record was whole, or is of another work
// with the same fingerprint, whose rows must not be taken for done.
func (s JournalDir) resume(path string, w RunSpec) (*Journal, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	records, size, err := parseRecords(data)
	if err != nil {
		return nil, fmt.Errorf("journal %s is damaged (remove it to begin anew): %w", path, err)
	}
	if len(records) == 0 || records[0].Header == nil || records[len(records)-1].End != nil {
		return nil, nil
	}
	if v := records[0].Header.Version; v > journalVersion {
		return nil, fmt.Errorf("journal %s has version %d, written by a newer program: use that one", path, v)
	}
	if records[0].Header.RunSpec.identity() != w.identity() {
		return nil, nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Truncate(size); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	j := &Journal{path: path, file: f, header: *records[0].Header, size: size}
	j.readBatches(records)
	return j, nil
}

// readBatches makes the plan out of the records.
func (j *Journal) readBatches(records []record) {
	byNumber := map[int]*earlierBatch{}
	for _, r := range records {
		switch {
		case r.Cursor != "":
			j.cursor = r.Cursor
		case r.Begin != nil && len(r.Begin.Lines) > 0:
			byNumber[r.Begin.Batch] = &earlierBatch{batchBegun: *r.Begin}
			j.next = max(j.next, r.Begin.Batch)
		case r.Done != nil && byNumber[r.Done.Batch] != nil:
			byNumber[r.Done.Batch].results = r.Done.Results
		}
	}
	for _, p := range byNumber {
		j.earlier = append(j.earlier, p)
	}
	slices.SortFunc(j.earlier, func(a, b *earlierBatch) int { return cmp.Compare(a.first(), b.first()) })
}

// syncDir makes a new file's name survive a crash. Some systems cannot, and the
// journal is then as safe as they allow.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = d.Sync()
	return d.Close()
}
