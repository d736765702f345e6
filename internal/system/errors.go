package system

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"runtime"
	"slices"
	"syscall"
)

// Error numbers of Windows, which never returns ENOSPC and the other errors of the standard
// library.
const (
	errorInUse          = syscall.Errno(32)
	errorLocked         = syscall.Errno(33)
	errorHandleDiskFull = syscall.Errno(39)
	errorBrokenPipe     = syscall.Errno(109)
	errorDiskFull       = syscall.Errno(112)
	errorNoData         = syscall.Errno(232)
	errorDiskQuota      = syscall.Errno(1295)
	wsaAddressInUse     = syscall.Errno(10048)
	wsaAccess           = syscall.Errno(10013) // another program uses the address exclusively
)

// ErrDiskFull and ErrDirectory are the system's errors for a full disk and for a directory in place of a
// file. Callers wrap them where a library reports only its own code.
var (
	ErrDiskFull  error = syscall.ENOSPC
	ErrDirectory error = syscall.EISDIR
)

// IsDiskFull reports whether a disk was full.
func IsDiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || isOnWindows(err, errorDiskFull, errorHandleDiskFull, errorDiskQuota)
}

// IsFileInUse reports whether another program has a file open without sharing it, as Excel does on
// Windows. It is always false on other systems.
func IsFileInUse(err error) bool { return isOnWindows(err, errorInUse, errorLocked) }

// IsAddressInUse reports whether another program listens at an address.
func IsAddressInUse(err error) bool {
	return errors.Is(err, syscall.EADDRINUSE) || isOnWindows(err, wsaAddressInUse, wsaAccess)
}

// IsMissing reports whether a file does not exist, nor can, because its directory is none, as below
// the home /dev/null.
func IsMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// IsForbidden reports whether the system refuses to read or write a file, including because its
// file system is read-only or its directory is none.
func IsForbidden(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.ENOTDIR)
}

// WithoutPath returns the cause of a path error whose path has already been printed.
func WithoutPath(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// IsBrokenPipe reports whether the reader of a pipe has closed it. It returns false for a
// connection that the server cut in the middle of a request, although the system's error is the
// same.
func IsBrokenPipe(err error) bool {
	if _, ok := errors.AsType[*net.OpError](err); ok {
		return false
	}
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) || isOnWindows(err, errorBrokenPipe, errorNoData)
}

func isOnWindows(err error, numbers ...syscall.Errno) bool {
	number, ok := errors.AsType[syscall.Errno](err)
	return ok && runtime.GOOS == "windows" && slices.Contains(numbers, number)
}
