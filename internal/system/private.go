// Package system decides what differs between operating systems: files that only their owner may read,
// system errors, the shell, the colours of a console, the user's language. It refuses to know how
// they are used.
package system

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// Files and directories are private if only their owner, the system and its administrators may
// read or write them: by mode (0600, 0700) on Unix, by access list on Windows, where modes mean
// nothing.

// OpenPrivate is like [os.OpenFile] for a private file. A file that it creates is private from the
// start; an existing one keeps its permissions.
func OpenPrivate(path string, flag int) (*os.File, error) { return openPrivate(path, flag) }

// CreatePrivateTemp creates a private file with a new name in the directory, which begins with the
// prefix.
func CreatePrivateTemp(dir, prefix string) (*os.File, error) {
	f, err := OpenPrivate(filepath.Join(dir, prefix+rand.Text()), os.O_RDWR|os.O_CREATE|os.O_EXCL)
	if wrong, ok := errors.AsType[*fs.PathError](err); ok {
		wrong.Path = dir // users do not know the temporary name
	}
	return f, err
}

// Replacement is a private file that replaces another once it is complete.
type Replacement struct {
	*os.File
	path string
}

// NewReplacement creates a Replacement for the file at path, in the same directory.
func NewReplacement(path string) (*Replacement, error) {
	f, err := CreatePrivateTemp(filepath.Dir(path), ".ativa-")
	return &Replacement{f, path}, err
}

// End replaces the file. If err is not nil, it removes the replacement instead and leaves the file
// unchanged.
func (r *Replacement) End(err error) error {
	if err == nil {
		err = r.Sync()
	}
	if err = errors.Join(r.named(err), r.named(r.Close())); err == nil {
		err = Replace(r.Name(), r.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(r.Name()))
	}
	return nil
}

// Write implements [io.Writer].
func (r *Replacement) Write(b []byte) (int, error) {
	n, err := r.File.Write(b)
	return n, r.named(err)
}

// named returns err with the name of the replaced file, because users do not know the temporary
// one.
func (r *Replacement) named(err error) error {
	if wrong, ok := errors.AsType[*fs.PathError](err); ok && wrong.Path == r.Name() {
		wrong.Path = r.path
	}
	return err
}

// Discard removes the replacement and leaves the file unchanged.
func (r *Replacement) Discard() error { return errors.Join(r.Close(), os.Remove(r.Name())) }

// WritePrivate atomically replaces a file with a private one, and creates its directory, also
// private.
func WritePrivate(path string, content []byte) error {
	if err := MkdirPrivate(filepath.Dir(path)); err != nil {
		return err
	}
	r, err := NewReplacement(path)
	if err != nil {
		return err
	}
	_, err = r.Write(content)
	return r.End(err)
}

// MkdirPrivate creates a private directory and its missing parents. An existing one keeps its
// permissions.
func MkdirPrivate(dir string) error {
	switch info, err := os.Stat(dir); {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		return &fs.PathError{Op: "mkdir", Path: dir, Err: syscall.ENOTDIR}
	}
	if parent := filepath.Dir(dir); parent != dir {
		if err := os.MkdirAll(parent, 0o700); err != nil {
			return err
		}
	}
	if err := mkdirPrivate(dir); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// NewPrivateLock returns a lock on a separate private file, because on Windows no other handle can
// read or write a locked file.
func NewPrivateLock(path string) (*flock.Flock, error) {
	f, err := OpenPrivate(path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	return flock.New(path, flock.SetPermissions(0o600)), f.Close()
}

// LockFile locks the file at path across processes, so that one at a time can read, change and
// replace it. It waits up to the given time, and leaves an empty lock file next to the file. The
// error is [context.DeadlineExceeded] if another process holds the lock. unlock is never nil.
func LockFile(ctx context.Context, path string, wait time.Duration) (unlock func(), err error) {
	if err := MkdirPrivate(filepath.Dir(path)); err != nil {
		return func() {}, err
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	l, err := NewPrivateLock(path + ".lock")
	if err != nil {
		return func() {}, err
	}
	got, err := l.TryLock() // even on a machine so busy that ctx has ended
	if !got && err == nil {
		_, err = l.TryLockContext(ctx, 20*time.Millisecond)
	}
	if err != nil {
		return func() {}, fmt.Errorf("lock: %w", err)
	}
	return func() {
		_ = l.Close() // the end of the process releases the lock too
	}, nil
}

// SyncDir makes the name of a new file survive a crash. If the system cannot do that, the error is
// ignored.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = d.Sync()
	return d.Close()
}

// IsPrivate reports whether a file or directory is private.
func IsPrivate(path string) (bool, error) { return IsPrivateTo(path, 0o077) }

// IsPrivateTo is like [IsPrivate], but checks only the given permissions of others, such as 0o007
// for everybody outside the group. On Windows it checks all.
func IsPrivateTo(path string, others fs.FileMode) (bool, error) { return isPrivate(path, others) }

// IsOpenPrivate is like [IsPrivateTo], for an open file.
func IsOpenPrivate(f *os.File, others fs.FileMode) (bool, error) { return isOpenPrivate(f, others) }

// Privatise returns the shell command that makes a file, or a directory with everything in it,
// private.
func Privatise(path string) string { return privatise(path) }
