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

// StopWithChildren makes the end of the command's context stop the programs that it
// has started, too. It cannot read from the terminal then.
func StopWithChildren(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGTERM) }
}

// unquoted are the signs that mean nothing to a shell, beside letters and digits.
const unquoted = "-_.:/@"

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
