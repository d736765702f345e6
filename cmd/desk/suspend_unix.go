//go:build unix

package desk

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
)

// handleSuspension gives the terminal back before the process stops, whether Ctrl-Z
// or another process stops it, and takes it again when it goes on. Stop ends that.
func handleSuspension(p *tea.Program) (stop func()) {
	stops, goes, done := make(chan os.Signal, 1), make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(stops, syscall.SIGTSTP)
	signal.Notify(goes, syscall.SIGCONT)
	go func() {
		for {
			select {
			case <-stops:
				signal.Reset(syscall.SIGTSTP) // the library stops the process by the same signal
				p.Send(tea.SuspendMsg{})
				// No process can stop where no shell could let it go on: then nothing
				// happens, and the library waits. If it did stop, this comes too late
				// to matter.
				time.AfterFunc(time.Second, func() { _ = syscall.Kill(os.Getpid(), syscall.SIGCONT) })
			case <-goes:
				signal.Notify(stops, syscall.SIGTSTP)
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(stops)
		signal.Stop(goes)
		close(done)
	}
}

// suspend stops the process as another process would.
func suspend() tea.Msg {
	_ = syscall.Kill(os.Getpid(), syscall.SIGTSTP) // to itself: it cannot fail
	return nil
}
