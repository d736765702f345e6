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

// Error numbers of Windows, which never returns the standard library's ENOSPC and
// the like.
const (
	errorInUse          = syscall.Errno(32)
	errorLocked         = syscall.Errno(33)
	errorHandleDiskFull = syscall.Errno(39)
	errorBrokenPipe     = syscall.Errno(109)
	errorDiskFull       = syscall.Errno(112)
	errorNoData         = syscall.Errno(232)
	errorDiskQuota      = syscall.Errno(1295)
	wsaAddressInUse     = syscall.Errno(10048)
	wsaAccess           = syscall.Errno(10013) // another program has the address for itself
)

// ErrDiskFull is the error of a disk without room, for what only a library's own code
// tells.
var ErrDiskFull error = syscall.ENOSPC

// IsDiskFull reports whether there was no room on a disk.
func IsDiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || isOnWindows(err, errorDiskFull, errorHandleDiskFull, errorDiskQuota)
}

// IsFileInUse reports whether another program has a file open and shares it with nobody,
// as Excel does on Windows. Nothing of that kind happens elsewhere.
func IsFileInUse(err error) bool { return isOnWindows(err, errorInUse, errorLocked) }

// IsAddressInUse reports whether another program listens at an address.
func IsAddressInUse(err error) bool {
	return errors.Is(err, syscall.EADDRINUSE) || isOnWindows(err, wsaAddressInUse, wsaAccess)
}

// IsForbidden reports whether the system does not permit to read or write a file,
// also because its file system can only be read.
func IsForbidden(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// WithoutPath returns the cause of a path error whose path was printed already.
func WithoutPath(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// IsBrokenPipe reports whether the reader of a pipe has closed it. A connection that the
// server cut in the middle of a request has the same error of the system, and is none.
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
