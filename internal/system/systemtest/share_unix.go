//go:build !windows

package systemtest

import "os"

// Share lets everybody read a file.
func Share(path string) error { return os.Chmod(path, 0o644) }

// Hold opens a file as a program that shares it with nobody; here all share.
func Hold(path string) (release func() error, err error) {
	f, err := os.Open(path)
	return f.Close, err
}
