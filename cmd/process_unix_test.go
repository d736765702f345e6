//go:build unix

package cmd

import (
	"os"
	"os/exec"
	"syscall"

	"ativa/internal/cli"
)

// interruptible prepares a command for [interrupt].
func interruptible(*exec.Cmd) {}

// interrupt asks a process to end in good order.
func interrupt(c *exec.Cmd) error { return c.Process.Signal(syscall.SIGTERM) }

// interruptions are the ways in which a user ends a program, and its exit code then.
var interruptions = map[string]interruption{
	"Ctrl-C":  {func(c *exec.Cmd) error { return c.Process.Signal(os.Interrupt) }, cli.ExitInterrupted},
	"SIGTERM": {interrupt, cli.ExitTerminated},
}
