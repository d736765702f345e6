//go:build unix

package store

import "syscall"

// identify returns the identity of the file that a name refers to.
func identify(name string) (fileID, error) {
	var s syscall.Stat_t
	err := syscall.Stat(name, &s)
	return fileID{uint64(s.Dev), uint64(s.Ino)}, err //nolint:unconvert // the types differ between systems
}
