//go:build !windows

package system

import (
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// HideAfterStop hides what is typed at a terminal each time the process continues after a stop, such
// as Ctrl-Z and fg, which leaves the echo on. stop ends that.
func HideAfterStop(fd int) (stop func()) {
	continued, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(continued, unix.SIGCONT)
	go func() {
		defer close(done)
		for range continued {
			if mode, err := unix.IoctlGetTermios(fd, getTermios); err == nil {
				mode.Lflag &^= unix.ECHO
				_ = unix.IoctlSetTermios(fd, setTermios, mode) // the read that follows reports a lost terminal
			}
		}
	}()
	return func() {
		signal.Stop(continued)
		close(continued)
		<-done
	}
}
