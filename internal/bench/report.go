//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"
)

// report prints medians and ratios as a Markdown table.
func (b *bench) report() error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "`go run ./internal/bench -rows %d -turns %d` on %s, %s, %s with %d cores.\n\n",
		b.rows, b.turns, time.Now().UTC().Format(time.DateOnly), runtime.Version(), runtime.GOARCH, runtime.NumCPU())
	fmt.Fprintln(&out, "| work | floor, median | program, median | program, slowest | share of the floor |")
	fmt.Fprintln(&out, "|---|---:|---:|---:|---:|")
	for _, what := range b.figures.order {
		floor, program := b.figures.times[what]["floor"], b.figures.times[what]["program"]
		share := "–"
		if len(floor) > 0 && len(program) > 0 {
			share = fmt.Sprintf("%.0f %%", 100*float64(median(floor))/float64(median(program)))
		}
		fmt.Fprintf(&out, "| %s | %s | %s | %s | %s |\n", what, show(floor, median[time.Duration]), show(program, median[time.Duration]), show(program, slowest), share)
	}
	fmt.Fprintln(&out, "\n| memory, peak | median |")
	fmt.Fprintln(&out, "|---|---:|")
	for _, what := range b.figures.names {
		fmt.Fprintf(&out, "| %s | %.1f MB |\n", what, float64(median(b.figures.peaks[what]))/1e6)
	}
	if size, err := os.Stat(b.program.binary); err == nil {
		fmt.Fprintf(&out, "| binary, stripped (size) | %.1f MB |\n", float64(size.Size())/1e6)
	}
	if _, err := os.Stdout.Write(out.Bytes()); err != nil {
		return err
	}
	if b.write == "" {
		return nil
	}
	return os.WriteFile(b.write, append([]byte("# Performance\n\n<!-- Written by internal/bench. -->\n\nRatios hold from machine to machine; absolute times do not.\n\n"), out.Bytes()...), 0o644)
}

func slowest(all []time.Duration) time.Duration { return slices.Max(all) }

func show(all []time.Duration, which func([]time.Duration) time.Duration) string {
	if len(all) == 0 {
		return "–"
	}
	return which(all).Round(10 * time.Microsecond).String()
}
