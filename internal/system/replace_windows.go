package system

import (
	"errors"
	"io/fs"
	"time"

	"golang.org/x/sys/windows"
)

// whenClosed repeats do for up to a second, until the file at path is closed everywhere. If a file to
// be replaced is open, Windows reports that access is denied, as for a forbidden one. It checks
// last which of the two applies, because the check opens the file too.
func whenClosed(path string, do func() error) error {
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		err := do()
		denied := errors.Is(err, windows.ERROR_ACCESS_DENIED)
		switch {
		case !denied && !IsFileInUse(err):
			return err
		case time.Since(began) <= time.Second:
		case denied && isHeld(path):
			return &fs.PathError{Op: "rename", Path: path, Err: errorInUse}
		default:
			return err
		}
	}
}

// isHeld reports whether a process has a file open without permitting its removal.
func isHeld(path string) bool {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return false
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	h, err := windows.CreateFile(name, windows.DELETE, share, nil, windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if err == nil {
		windows.CloseHandle(h)
	}
	return IsFileInUse(err)
}
