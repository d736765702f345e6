// Package tempfile keeps on disk what would not fit in memory: files without a name, lists of values,
// texts by number, and numbers to sort. It decides where and in which form. It refuses to know what
// they mean.
package tempfile

import (
	"errors"
	"io/fs"
	"os"

	"ativa/internal/failure"
	"ativa/internal/lang"
)

// Create returns a temporary file, to be closed with [Remove]. It may contain personal data, so
// its name is removed at once if the system permits that for an open file.
func Create() (*os.File, error) {
	file, err := os.CreateTemp("", "ativa-*")
	if err != nil {
		missing := &fs.PathError{Op: "create", Path: os.TempDir(), Err: errors.Unwrap(err)} // without the random name
		return nil, &failure.Failure{Exit: failure.ExitError, Code: "no_temporary_file", Err: missing,
			Message: lang.Msg("no temporary file can be created"),
			Hint:    lang.Msg("set TMPDIR, on Windows TMP, to a directory in which this user can create files")}
	}
	_ = os.Remove(file.Name())
	return file, nil
}

// Remove closes a temporary file and removes it if it still has a name.
func Remove(file *os.File) error {
	err := file.Close()
	if removed := os.Remove(file.Name()); removed != nil && !errors.Is(removed, os.ErrNotExist) {
		return errors.Join(err, removed)
	}
	return err
}
