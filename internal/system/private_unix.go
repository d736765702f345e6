//go:build !windows

package system

import (
	"io/fs"
	"os"
)

func openPrivate(path string, flag int) (*os.File, error) { return os.OpenFile(path, flag, 0o600) }

func mkdirPrivate(dir string) error { return os.Mkdir(dir, 0o700) }

func isPrivate(path string, others fs.FileMode) (bool, error) {
	info, err := os.Stat(path)
	return err == nil && info.Mode().Perm()&others == 0, err
}

func isOpenPrivate(f *os.File, others fs.FileMode) (bool, error) {
	info, err := f.Stat()
	return err == nil && info.Mode().Perm()&others == 0, err
}

func privatise(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return "chmod -R go= " + ShellQuote(path)
	}
	return "chmod 600 " + ShellQuote(path)
}
