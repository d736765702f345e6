//go:build !windows

package system

import (
	"context"
	"os/exec"
	"strings"
	"syscall"
)

// Shell runs a command line as the user would type it.
func Shell(ctx context.Context, line string) *exec.Cmd {
	return exec.CommandContext(ctx, "sh", "-c", line)
}

// StopWithChildren makes the end of the command's context also stop the programs that it has
// started. The command then cannot read from the terminal.
func StopWithChildren(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGTERM) }
}

// unquoted are the characters, besides letters and digits, that mean nothing to a shell.
const unquoted = "-_.:/@"

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
