package credentials

import (
	"os"
	"path/filepath"

	"ativa/internal/system"
)

// replaceFile writes a file so that a reader sees the old content or the new
// one. renameio leaves Windows out, whose Rename replaces but is not atomic at
// a crash; a torn file is read as no token.
func replaceFile(path string, content []byte) error {
	f, err := system.CreatePrivateTemp(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err := f.Write(content); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return system.Replace(f.Name(), path)
}
