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

// interrupt asks a process to end gracefully.
func interrupt(c *exec.Cmd) error { return c.Process.Signal(syscall.SIGTERM) }

// interruptions are the signals of a user and their exit codes.
var interruptions = map[string]interruption{
	"Ctrl-C":  {func(c *exec.Cmd) error { return c.Process.Signal(os.Interrupt) }, cli.ExitInterrupted},
	"SIGTERM": {interrupt, cli.ExitTerminated},
}
