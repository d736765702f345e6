package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"ativa/internal/failure"
	"ativa/internal/lang"
	"ativa/internal/system"
)

// JournalDir is the directory of the journals of a user's runs. The files have
// mode 0600, the directory 0700.
type JournalDir struct {
	Path  string
	Clock func() time.Time // for the start of a run; nil is time.Now
}

// AlreadyRunning is the error of a second run of the same file or selection at the same time.
func AlreadyRunning(id string) error {
	return &failure.Failure{Exit: failure.ExitUnavailable, Code: "running", Message: lang.Msg("the run %s is under way already", id),
		Hint: lang.Msg("wait for it, or stop it; `ativa imports show %s` shows its progress", id)}
}

const (
	journalVersion = 1
	suffix         = ".jsonl"
	lockWait       = 200 * time.Millisecond // longer than isRunning holds the lock
	lockPause      = 10 * time.Millisecond
)

// Open resumes the interrupted run of the spec or begins a new one. args is the command line that
// resumes it. The error is that of [AlreadyRunning] if another process has the journal
// open.
func (d JournalDir) Open(spec Spec, args []string) (*Journal, error) {
	if err := system.MkdirPrivate(d.Path); err != nil {
		return nil, fmt.Errorf("the directory of the import journals: %w", err)
	}
	fingerprint := spec.fingerprint()
	return d.lockAndOpen(fingerprint, func() (*Journal, error) { return d.openLocked(fingerprint, spec, args) })
}

// Resume resumes the interrupted run with the id. It returns an error if the spec is not that of
// the run.
func (d JournalDir) Resume(id string, spec Spec) (*Journal, error) {
	info, err := d.Get(id)
	if err != nil {
		return nil, err
	}
	if part := info.differs(spec); !part.IsEmpty() {
		return nil, otherRun(id, part)
	}
	return d.lockAndOpen(fingerprintOf(id), func() (*Journal, error) {
		j, err := d.resume(d.journalPath(id), spec)
		if j == nil && err == nil { // finished since, or another journal has its place
			err = otherRun(id, lang.Msg("its saved data"))
		}
		return j, err
	})
}

// differs returns the first part in which a spec differs from that of the run, empty if
// none does.
func (s Spec) differs(from Spec) lang.Message {
	switch {
	case s.Server != from.Server:
		return lang.Msg("the server")
	case s.Context != from.Context:
		return lang.Msg("the context")
	case s.SHA256 != from.SHA256:
		return lang.Msg("the file")
	case s.identity() != from.identity():
		return lang.Msg("the options")
	}
	return lang.Message{}
}

// lockAndOpen opens a journal under the lock of the fingerprint and keeps the lock.
func (d JournalDir) lockAndOpen(fingerprint string, open func() (*Journal, error)) (*Journal, error) {
	lock, err := d.acquire(fingerprint)
	if err != nil {
		return nil, err
	}
	j, err := open()
	if err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	j.dir, j.lock = d, lock
	if other, err := d.otherRunOf(j); other != "" || err != nil {
		if err == nil {
			err = AlreadyRunning(other)
		}
		return nil, errors.Join(err, j.Leave())
	}
	return j, nil
}

// otherRunOf returns the id of a run that is running now over the same file with other options, "" for
// none.
func (d JournalDir) otherRunOf(j *Journal) (string, error) {
	return d.findRunning(j.ID, func(other Info) bool {
		return j.SHA256 != "" && other.SHA256 == j.SHA256 && other.Server == j.Server && other.Context == j.Context
	})
}

// CheckReport refuses a path at which another run is writing its report now. j is the journal of the run
// that wants to write, nil for none.
func (d JournalDir) CheckReport(path string, j *Journal) error {
	id := ""
	if j != nil {
		id = j.ID
	}
	other, err := d.findRunning(id, func(other Info) bool { return other.Report.Path == path })
	if other == "" || err != nil {
		return err
	}
	return &failure.Failure{Exit: failure.ExitUnavailable, Code: "running", Message: lang.Msg("the run %s is writing its report to %s", other, path),
		Hint: lang.Msg("wait for it, or choose another place with --report-dir")}
}

// findRunning returns the id of another run than id that is running now and for which is reports true,
// "" for none.
func (d JournalDir) findRunning(id string, is func(Info) bool) (string, error) {
	names, err := fs.Glob(os.DirFS(d.Path), "*"+suffix)
	for _, name := range names {
		found := strings.TrimSuffix(name, suffix)
		if fingerprintOf(found) == fingerprintOf(id) || !d.isRunning(found) {
			continue
		}
		other, err := d.readInfo(d.journalPath(found)) // `imports list` names a damaged journal
		if err == nil && other.State == StateRunning && is(other) {
			return found, nil
		}
	}
	return "", err
}

// identity is equal for two runs if one may resume the other.
func (s Spec) identity() string {
	return strings.Join([]string{s.Kind, s.SHA256, s.Server, s.Context, s.Options + s.Selection}, "\x00")
}

// fingerprint is a short hash of the identity. Two specs may share one, see resume.
func (s Spec) fingerprint() string {
	h := sha256.Sum256([]byte(s.identity()))
	return hex.EncodeToString(h[:4])
}

func fingerprintOf(id string) string {
	fingerprint, _, _ := strings.Cut(id, "-")
	return fingerprint
}

func (d JournalDir) journalPath(id string) string {
	return filepath.Join(d.Path, id+suffix)
}

func (d JournalDir) newLock(fingerprint string) (*flock.Flock, error) {
	return system.NewPrivateLock(filepath.Join(d.Path, fingerprint+".lock"))
}

// acquire locks the fingerprint. It drops a lock whose file another process has removed meanwhile: a
// third process could lock the new file.
func (d JournalDir) acquire(fingerprint string) (*flock.Flock, error) {
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	for {
		lock, err := d.newLock(fingerprint)
		if err != nil {
			return nil, fmt.Errorf("the lock of the import: %w", err)
		}
		got, err := lock.TryLock() // even on a machine so busy that ctx has ended
		if !got && err == nil {
			got, err = lock.TryLockContext(ctx, lockPause)
		}
		switch {
		case got && isCurrent(lock):
			return lock, nil
		case got:
			_ = lock.Unlock()
			continue
		case err != nil && !errors.Is(err, context.DeadlineExceeded):
			return nil, fmt.Errorf("the lock of the import: %w", err)
		}
		last, err := d.lastNumber(fingerprint)
		return nil, errors.Join(err, AlreadyRunning(fmt.Sprintf("%s-%d", fingerprint, max(last, 1))))
	}
}

// isCurrent reports whether the locked file still has its name.
func isCurrent(lock *flock.Flock) bool {
	held, err := lock.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(lock.Path())
	return err == nil && os.SameFile(held, named)
}

// removeRun deletes the files of a run whose lock is held, and releases the lock. It deletes the
// lock, too, unless another run uses it.
func (d JournalDir) removeRun(id string, lock *flock.Flock) error {
	fingerprint := fingerprintOf(id)
	err := d.removeFiles(id)
	if last, failed := d.lastNumber(fingerprint); last > 0 || failed != nil {
		return errors.Join(err, failed, lock.Unlock())
	}
	removed := os.Remove(lock.Path())
	err = errors.Join(err, lock.Unlock())
	if removed != nil { // Windows removes no open file
		_ = os.Remove(lock.Path()) // another run has it now
	}
	return err
}

func (d JournalDir) removeFiles(id string) error {
	return errors.Join(os.RemoveAll(d.journalPath(id)), os.RemoveAll(d.keptPath(id))) // another purge may have been faster
}

// isRunning reports whether another process holds the lock.
func (d JournalDir) isRunning(id string) bool {
	lock, err := d.newLock(fingerprintOf(id))
	if err != nil {
		return false
	}
	got, err := lock.TryRLock()
	if got {
		_ = lock.Unlock()
	}
	return err == nil && !got
}

// openLocked opens the last journal with the fingerprint, or creates the next one.
func (d JournalDir) openLocked(fingerprint string, spec Spec, args []string) (*Journal, error) {
	last, err := d.lastNumber(fingerprint)
	if err != nil {
		return nil, err
	}
	if last > 0 {
		j, err := d.resume(d.journalPath(fmt.Sprintf("%s-%d", fingerprint, last)), spec)
		if j != nil || err != nil {
			return j, err
		}
	}
	return d.create(fmt.Sprintf("%s-%d", fingerprint, last+1), spec, args)
}

// lastNumber returns the highest number of a journal with the fingerprint, 0 if there is none.
// Numbers count from 1.
func (d JournalDir) lastNumber(fingerprint string) (int, error) {
	names, err := fs.Glob(os.DirFS(d.Path), fingerprint+"-*"+suffix)
	last := 0
	for _, name := range names {
		if n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(name, fingerprint+"-"), suffix)); err == nil {
			last = max(last, n)
		}
	}
	return last, err
}

func (d JournalDir) now() time.Time {
	if d.Clock != nil {
		return d.Clock()
	}
	return time.Now()
}

func (d JournalDir) create(id string, spec Spec, args []string) (*Journal, error) {
	f, err := system.OpenPrivate(d.journalPath(id), os.O_CREATE|os.O_EXCL|os.O_WRONLY)
	if err != nil {
		return nil, fmt.Errorf("creating the journal: %w", err)
	}
	j := &Journal{file: f, keptPath: d.keptPath(id), Header: Header{Version: journalVersion, ID: id, Spec: spec, Args: args, Started: d.now().UTC()}}
	if err := j.append(record{Header: &j.Header}); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return j, system.SyncDir(d.Path)
}

// resume opens the journal of an interrupted run. It returns nil if the run is finished, if a crash
// cut the journal short within its first record, and if the journal belongs to another spec with the
// same fingerprint.
func (d JournalDir) resume(path string, spec Spec) (*Journal, error) {
	records, whole, err := readJournal(path)
	if err != nil || len(records) == 0 {
		return nil, err
	}
	header := *records[0].Header
	kept := d.keptPath(header.ID)
	if records[len(records)-1].End {
		return nil, os.RemoveAll(kept) // of a run that was killed just before it removed them
	}
	if header.Version > journalVersion {
		return nil, fmt.Errorf("journal %s has version %d, written by a newer program: use that one", path, header.Version)
	}
	if header.identity() != spec.identity() {
		return nil, nil
	}
	f, err := system.OpenPrivate(path, os.O_WRONLY)
	if err != nil {
		return nil, err
	}
	j := &Journal{file: f, keptPath: kept, Header: header, contents: readContents(records), size: int64(len(whole))}
	if err := j.rewrite(whole); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return j, nil
}

// readJournal reads the records of the journal at path, and their bytes. It returns none if the first
// one was cut short.
func readJournal(path string) (records []record, whole []byte, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	records, size, err := parseRecords(data)
	if err == nil && len(records) > 0 && (records[0].Header == nil || records[0].Header.ID+suffix != filepath.Base(path)) {
		err = errors.New("record 1 does not name the journal")
	}
	if err != nil {
		return nil, nil, fmt.Errorf("journal %s is damaged (remove it to begin anew): %w", path, err)
	}
	return records, data[:size], nil
}
