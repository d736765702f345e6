// Package system decides what operating systems do differently: files that only
// their owner may read, the errors of the system, the shell, the colours of a
// console, the language of its user. It refuses to know what for.
package system

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Files and directories are private when nobody but their owner, and the system and
// its administrators, may read or write them: by their mode (0600, 0700) on Unix, by
// their access list on Windows, where modes mean nothing.

// OpenPrivate is [os.OpenFile] for a private file. One that it creates is private
// before anything can be written into it; one that is there keeps its permissions.
func OpenPrivate(path string, flag int) (*os.File, error) { return openPrivate(path, flag) }

// CreatePrivateTemp begins a private file of a new name in the directory.
func CreatePrivateTemp(dir string) (*os.File, error) {
	f, err := OpenPrivate(filepath.Join(dir, ".ativa-"+rand.Text()), os.O_RDWR|os.O_CREATE|os.O_EXCL)
	if wrong, ok := errors.AsType[*fs.PathError](err); ok {
		wrong.Path = dir // nobody knows the name
	}
	return f, err
}

// Replacement is a private file that takes the place of another when it is whole.
type Replacement struct {
	*os.File
	path string
}

// NewReplacement begins one. It is made in the directory of the file that it replaces.
func NewReplacement(path string) (*Replacement, error) {
	f, err := CreatePrivateTemp(filepath.Dir(path))
	return &Replacement{f, path}, err
}

// End puts the file in its place, or with an error removes it and leaves the
// other as it is.
func (r *Replacement) End(err error) error {
	if err = errors.Join(err, r.Sync(), r.Close()); err == nil {
		err = Replace(r.Name(), r.path)
	}
	if err != nil {
		return errors.Join(r.named(err), os.Remove(r.Name()))
	}
	return nil
}

// Write implements [io.Writer].
func (r *Replacement) Write(b []byte) (int, error) {
	n, err := r.File.Write(b)
	return n, r.named(err)
}

// named is an error with the name of the file that is replaced: nobody knows the other.
func (r *Replacement) named(err error) error {
	if wrong, ok := errors.AsType[*fs.PathError](err); ok && wrong.Path == r.Name() {
		wrong.Path = r.path
	}
	return err
}

// Discard removes the file and leaves the other as it is.
func (r *Replacement) Discard() error { return errors.Join(r.Close(), os.Remove(r.Name())) }

// WritePrivate replaces a file atomically, privately, and creates its directory so.
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

// MkdirPrivate makes a private directory, and those above it that are missing. One
// that is there keeps its permissions.
func MkdirPrivate(dir string) error {
	info, err := os.Stat(dir)
	if err == nil && info.IsDir() {
		return nil
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

// NewPrivateLock is a lock on a private file of its own: on Windows nobody can read or
// write a locked file through another handle.
func NewPrivateLock(path string) (*flock.Flock, error) {
	f, err := OpenPrivate(path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	return flock.New(path, flock.SetPermissions(0o600)), f.Close()
}

// LockFile locks the file at path among processes, so that one at a time can
// read, change and replace it. It waits up to the given time, and leaves an empty
// lock file beside the file. The error is [context.DeadlineExceeded] if another
// process holds the lock. unlock is never nil.
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
	got, err := l.TryLock() // also on a machine so busy that ctx has ended
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

// IsPrivate reports whether a file or directory is private.
func IsPrivate(path string) (bool, error) { return IsPrivateTo(path, 0o077) }

// IsPrivateTo is [IsPrivate] where only some permissions of others are looked for, as
// 0o007 are those of strangers. On Windows all of them are.
func IsPrivateTo(path string, others fs.FileMode) (bool, error) { return isPrivate(path, others) }

// IsOpenPrivate is [IsPrivateTo] for an open file.
func IsOpenPrivate(f *os.File, others fs.FileMode) (bool, error) { return isOpenPrivate(f, others) }

// Privatise is the command that makes a file, or a directory with all that is in it,
// private, as it is typed into the shell of the system.
func Privatise(path string) string { return privatise(path) }
