package system

import (
	"context"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// Shell runs a command line as the user would type it. cmd has rules of its own for
// quotes: with /S it takes off the outer pair and leaves the line as it is.
func Shell(ctx context.Context, line string) *exec.Cmd {
	c := exec.CommandContext(ctx, "cmd")
	c.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd /D /S /C "` + line + `"`}
	return c
}

// StopWithChildren makes the end of the command's context stop the programs that it
// has started, too.
func StopWithChildren(c *exec.Cmd) {
	c.Cancel = func() error { return exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(c.Process.Pid)).Run() }
}

// unquoted are the signs that mean nothing to a shell, beside letters and digits.
const unquoted = `-_.:/@\`

// quote is good for cmd and for PowerShell. A program takes \ before a quote for a sign
// that makes it one of the word.
func quote(s string) string {
	if path := strings.TrimRight(s, `\`); path != s {
		s += s[len(path):]
	}
	return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"`
}
