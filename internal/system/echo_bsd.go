//go:build !linux && !windows

package system

import "golang.org/x/sys/unix"

const getTermios, setTermios = unix.TIOCGETA, unix.TIOCSETA

// DiscardInput discards what was typed at a terminal and not read yet.
func DiscardInput(fd int) error { return unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, 1) } // FREAD
