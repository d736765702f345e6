//go:build !windows

package systemtest

import "os"

// Share lets everybody read a file.
func Share(path string) error { return os.Chmod(path, 0o644) }

// Hold opens a file like a program that does not share it; on Unix every file is shared.
func Hold(path string) (release func() error, err error) {
	f, err := os.Open(path)
	return f.Close, err
}
