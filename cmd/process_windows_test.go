package cmd

import (
	"errors"
	"fmt"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"

	"ativa/internal/cli"
)

// interruptible prepares a command for [interrupt]: Windows signals process groups.
func interruptible(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// interrupt asks a process to end gracefully.
func interrupt(c *exec.Cmd) error {
	return windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(c.Process.Pid))
}

// interruptions are the signals of a user and their exit codes.
var interruptions = map[string]interruption{
	"Ctrl-C":          {controlEvent(windows.CTRL_C_EVENT), cli.ExitInterrupted},
	"Ctrl-Break":      {controlEvent(windows.CTRL_BREAK_EVENT), cli.ExitInterrupted},
	"window closed":   {controlEvent(windows.CTRL_CLOSE_EVENT), cli.ExitTerminated},
	"user logged off": {controlEvent(windows.CTRL_LOGOFF_EVENT), cli.ExitTerminated},
}

// controlEvent returns a function that sends a console event to one process, as the
// console does: by a thread in it that runs CtrlRoutine of kernel32.
func controlEvent(event uintptr) func(*exec.Cmd) error {
	return func(c *exec.Cmd) error {
		routine := windows.NewLazySystemDLL("kernel32.dll").NewProc("CtrlRoutine")
		start := windows.NewLazySystemDLL("kernel32.dll").NewProc("CreateRemoteThread")
		if err := errors.Join(routine.Find(), start.Find()); err != nil {
			return err
		}
		const toRunThreads = windows.PROCESS_CREATE_THREAD | windows.PROCESS_QUERY_INFORMATION |
			windows.PROCESS_VM_OPERATION | windows.PROCESS_VM_WRITE | windows.PROCESS_VM_READ
		process, err := windows.OpenProcess(toRunThreads, false, uint32(c.Process.Pid))
		if err != nil {
			return fmt.Errorf("opening the process: %w", err)
		}
		defer windows.CloseHandle(process)
		thread, _, err := start.Call(uintptr(process), 0, 0, routine.Addr(), event, 0, 0)
		if thread == 0 {
			return fmt.Errorf("starting a thread in the process: %w", err)
		}
		return windows.CloseHandle(windows.Handle(thread))
	}
}
