package system

import (
	"errors"
	"io/fs"
	"os"
)

// Windows neither replaces nor removes an open file. Most files are open only for a moment, in another
// of our processes or in a virus scanner; these functions wait for that. If a file stays open,
// [IsFileInUse] reports true for the error.

// Replace renames a file and replaces an existing one of the new name. Its error contains the new
// name.
func Replace(from, to string) error {
	err := whenClosed(to, func() error { return os.Rename(from, to) })
	if failed, ok := errors.AsType[*os.LinkError](err); ok {
		return &fs.PathError{Op: "rename", Path: to, Err: failed.Err}
	}
	return err
}

// ReadFile is like [os.ReadFile], for a file that another process may be replacing.
func ReadFile(path string) (content []byte, err error) {
	err = whenClosed(path, func() (err error) {
		content, err = os.ReadFile(path)
		return err
	})
	return content, err
}

// Remove is like [os.Remove], for a file that another process may have open.
func Remove(path string) error {
	return whenClosed(path, func() error { return os.Remove(path) })
}
