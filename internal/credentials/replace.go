//go:build !windows

package credentials

import "github.com/google/renameio/v2"

// replaceFile writes a file of mode 0600 so that a reader sees the old content
// or the new one. The mode of a file that is there already is not kept, which
// is what renameio.WriteFile would do.
func replaceFile(path string, content []byte) error {
	f, err := renameio.NewPendingFile(path, renameio.WithStaticPermissions(0o600))
	if err != nil {
		return err
	}
	defer f.Cleanup() //nolint:errcheck // after the replacement there is nothing to clean up
	if _, err := f.Write(content); err != nil {
		return err
	}
	return f.CloseAtomicallyReplace()
}
