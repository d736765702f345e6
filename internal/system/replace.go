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

// Remove is [os.Remove].
func Remove(path string) error {
	return whenClosed(path, func() error { return os.Remove(path) })
}
