// Package tempfile keeps on disk what would not fit in memory: files without a name,
// and numbers to sort. It refuses to know what they mean.
package tempfile

import (
	"errors"
	"os"
)

// Create returns a temporary file for [Remove]. It may hold personal data, so it
// loses its name at once where the system allows that for an open file.
func Create() (*os.File, error) {
	file, err := os.CreateTemp("", "ativa-*")
	if err != nil {
		return nil, err
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
