//go:build linux

// Command resident runs a command and prints the most memory that it had, in
// bytes. Its exit code is the command's. It is small itself, because the system counts what a process had
// before it became the command.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

func main() {
	c := exec.Command(os.Args[1], os.Args[2:]...)
	err := c.Run()
	if c.ProcessState == nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if usage, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
		fmt.Println(usage.Maxrss << 10)
	}
	os.Exit(c.ProcessState.ExitCode())
}
