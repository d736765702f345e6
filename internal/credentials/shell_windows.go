package credentials

import (
	"os/exec"
	"strconv"
)

// StopWithChildren makes the end of the command's context stop the programs that it
// has started, too.
func StopWithChildren(c *exec.Cmd) {
	c.Cancel = func() error { return exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(c.Process.Pid)).Run() }
}
