package system

import (
	"errors"
	"io/fs"
	"os"
)

// Windows neither replaces nor removes a file that somebody has open. Most have it open
// for a moment only, as another of our processes that reads it, or a virus scanner: that
// is waited for. Of a file that stays open the error is one of [IsFileInUse].

// Replace renames a file; one of the new name is replaced. Its error names that one.
func Replace(from, to string) error {
	err := whenClosed(to, func() error { return os.Rename(from, to) })
	if failed, ok := errors.AsType[*os.LinkError](err); ok {
		return &fs.PathError{Op: "rename", Path: to, Err: failed.Err}
	}
	return err
}

// ReadFile is [os.ReadFile] of a file that another process may be replacing.
func ReadFile(path string) (content []byte, err error) {
	err = whenClosed(path, func() (err error) {
		content, err = os.ReadFile(path)
		return err
	})
	return content, err
}

// Remove is [os.Remove].
func Remove(path string) error {
	return whenClosed(path, func() error { return os.Remove(path) })
}
