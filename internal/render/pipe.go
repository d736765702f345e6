package render

import (
	"errors"
	"io"
	"runtime"
	"syscall"
)

// IsBrokenPipe tells that the reader of the output has gone away, as in
// `ativa … | head`: no failure, and nothing to tell anyone.
func IsBrokenPipe(err error) bool {
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) {
		return true
	}
	const windowsBrokenPipe, windowsNoData = syscall.Errno(109), syscall.Errno(232)
	return runtime.GOOS == "windows" && (errors.Is(err, windowsBrokenPipe) || errors.Is(err, windowsNoData))
}
