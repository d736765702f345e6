//go:build linux

// Command launch runs a command and writes what it used, as JSON, to its third
// file. It is small: Linux counts the memory of the process that starts a
// program into the program's peak, and the benchmark itself is large.
package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"syscall"
	"time"
)

func main() {
	cmd := exec.Command(os.Args[1], os.Args[2:]...) //nolint:noctx // who started it ends both
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	began := time.Now()
	err := cmd.Run()
	wall := time.Since(began)
	if cmd.ProcessState == nil {
		os.Stderr.WriteString(err.Error())
		os.Exit(127)
	}
	usage, _ := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	used := map[string]int64{"Wall": int64(wall), "CPU": usage.Utime.Nano() + usage.Stime.Nano(), "Peak": usage.Maxrss * 1024}
	if err := json.NewEncoder(os.NewFile(3, "used")).Encode(used); err != nil {
		os.Stderr.WriteString(err.Error())
		os.Exit(126)
	}
	os.Exit(cmd.ProcessState.ExitCode())
}
