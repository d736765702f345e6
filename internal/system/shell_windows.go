package system

import (
	"context"
	"os/exec"
	"syscall"
)

// Shell runs a command line as the user would type it. cmd has rules of its own for
// quotes: with /S it takes off the outer pair and leaves the line as it is.
func Shell(ctx context.Context, line string) *exec.Cmd {
	c := exec.CommandContext(ctx, "cmd")
	c.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd /D /S /C "` + line + `"`}
	return c
}
