//go:build !windows

package credentials

import "github.com/google/renameio/v2"

// replaceFile writes a file of mode 0600 so that a reader sees the old content
// or the new one.
func replaceFile(path string, content []byte) error {
	return renameio.WriteFile(path, content, 0o600, renameio.WithStaticPermissions(0o600))
}
