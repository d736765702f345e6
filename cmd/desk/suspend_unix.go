//go:build unix

package desk

import (
	"os"
	"os/signal"
	"syscall"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/sys/unix"
)

// handleSuspension releases the terminal before the process stops, by Ctrl-Z or by another
// process, and takes it again when the process continues. stop ends that. The library's own
// handling works only if nobody else waits for the signal.
func handleSuspension(p *tea.Program) (stop func()) {
	stops, goes, done := make(chan os.Signal, 1), make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(stops, syscall.SIGTSTP)
	go func() {
		for {
			select {
			case <-stops:
				if canGoOn() && p.ReleaseTerminal() == nil {
					signal.Notify(goes, syscall.SIGCONT)
					_ = syscall.Kill(0, syscall.SIGSTOP) // to its own group: it cannot fail
					<-goes                               // this thread may run on for a moment before it stops
					signal.Stop(goes)
					_ = p.RestoreTerminal() // else the next drawing fails
				}
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(stops)
		close(done)
	}
}

// canGoOn reports whether a shell can continue the process after it stops. None can for the first
// processes of a session, as after `ssh -t HOST ativa desk`.
func canGoOn() bool {
	session, err := unix.Getsid(0)
	return err == nil && session != unix.Getpgrp()
}

// suspend stops the process as another process would.
func suspend() tea.Msg {
	_ = syscall.Kill(os.Getpid(), syscall.SIGTSTP) // to itself: it cannot fail
	return nil
}
