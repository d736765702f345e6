//go:build unix

package desk

import (
	tea "charm.land/bubbletea/v2"
	"golang.org/x/sys/unix"
)

// suspend stops the process if a shell can continue it. None can for a session leader's
// group, as after `ssh -t HOST ativa desk`.
func suspend() tea.Msg {
	if session, err := unix.Getsid(0); err != nil || session == unix.Getpgrp() {
		return nil
	}
	return tea.Suspend()
}
