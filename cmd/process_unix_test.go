//go:build unix

package cmd

import (
	"os/exec"
	"syscall"
)

// interruptible prepares a command for [interrupt].
func interruptible(*exec.Cmd) {}

// interrupt asks a process to end in good order.
func interrupt(c *exec.Cmd) error { return c.Process.Signal(syscall.SIGTERM) }
