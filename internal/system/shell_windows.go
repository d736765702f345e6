package system

import (
	"context"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// Shell runs a command line as the user would type it. cmd has its own rules for quotes: with /S
// it removes the outer pair and leaves the line unchanged.
func Shell(ctx context.Context, line string) *exec.Cmd {
	c := exec.CommandContext(ctx, "cmd")
	c.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd /D /S /C "` + line + `"`}
	return c
}

// StopWithChildren makes the end of the command's context also stop the programs that it has
// started.
func StopWithChildren(c *exec.Cmd) {
	c.Cancel = func() error { return exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(c.Process.Pid)).Run() }
}

// unquoted are the characters, besides letters and digits, that mean nothing to a shell.
const unquoted = `-_.:/@\`

// quote works for cmd and PowerShell. It doubles trailing backslashes, because a program takes \
// before a quote as an escape.
func quote(s string) string {
	if path := strings.TrimRight(s, `\`); path != s {
		s += s[len(path):]
	}
	return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"`
}
