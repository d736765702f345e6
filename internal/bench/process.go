//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// process is what /proc tells about one; proc(5).
type process struct {
	name   string
	parent int
	cpu    time.Duration // its own
	ended  time.Duration // that of its children that are gone
}

// tick is the unit of /proc: Linux counts in hundredths of a second.
const tick = 10 * time.Millisecond

func readProcess(pid int) (p process, ok bool) {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return p, false
	}
	open, end := strings.IndexByte(string(text), '('), strings.LastIndexByte(string(text), ')')
	if open < 0 || end < open {
		return p, false
	}
	fields := strings.Fields(string(text[end+1:]))
	if len(fields) < 15 {
		return p, false
	}
	p.name = string(text[open+1 : end])
	p.parent, _ = strconv.Atoi(fields[1])
	ticks := func(i int) time.Duration {
		n, _ := strconv.ParseInt(fields[i], 10, 64)
		return time.Duration(n) * tick
	}
	p.cpu, p.ended = ticks(11)+ticks(12), ticks(13)+ticks(14)
	return p, true
}

// familyCPU is the processor time of a process and its children, those that
// are gone included.
func familyCPU(pid int) time.Duration {
	head, ok := readProcess(pid)
	if !ok {
		return 0
	}
	total := head.cpu + head.ended
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return total
	}
	for _, dir := range all {
		child, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			continue
		}
		if p, ok := readProcess(child); ok && p.parent == pid {
			total += p.cpu
		}
	}
	return total
}
