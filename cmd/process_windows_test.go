package cmd

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// interruptible prepares a command for [interrupt]: Windows sends to groups of processes.
func interruptible(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// interrupt asks a process to end in good order.
func interrupt(c *exec.Cmd) error {
	return windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(c.Process.Pid))
}
