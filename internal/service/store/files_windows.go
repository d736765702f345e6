package store

import "os"

// identify only checks that the file exists, because Windows does not let anybody delete, rename
// or replace an open file.
func identify(name string) (fileID, error) {
	_, err := os.Stat(name)
	return fileID{}, err
}
