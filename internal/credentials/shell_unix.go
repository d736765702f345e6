//go:build !windows

package credentials

import (
	"os/exec"
	"syscall"
)

// StopWithChildren makes the end of the command's context stop the programs that it
// has started, too. It cannot read from the terminal then.
func StopWithChildren(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGTERM) }
}
