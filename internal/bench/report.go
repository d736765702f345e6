//go:build linux

package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// The figures stand between these lines of the page; the text around them is
// written by hand and stays.
const (
	begin = "<!-- figures: written by go run ./internal/bench -->\n"
	end   = "<!-- end of the figures -->\n"
)

// report prints the tables, and puts them into the page.
func (b *bench) report() error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "\n`go run ./internal/bench%s` on %s: %d subscribers, %d turns, %s, %s with %d cores, in %s.\n",
		b.flags(), time.Now().UTC().Format(time.DateOnly), b.rows, b.turns, runtime.Version(), runtime.GOARCH, runtime.NumCPU(),
		time.Since(b.began).Round(time.Second))
	for _, line := range b.without {
		fmt.Fprintf(&out, "\n%s.\n", line)
	}
	if info, err := os.Stat(b.program.path); err == nil {
		b.figures.start.bytes("binary", info.Size())
	}
	section(&out, "Start-up", "", b.figures.start)
	for _, e := range b.engines {
		section(&out, e.name(), e.name(), b.figures.of(e.name(), 0))
	}
	for _, e := range b.engines {
		b.growthTable(&out, e.name())
	}
	out.WriteString("\n")
	if _, err := os.Stdout.Write(out.Bytes()); err != nil || b.write == "" {
		return err
	}
	return b.writeInto(out.String())
}

// flags repeats what was given on the command line.
func (b *bench) flags() (text string) {
	values := map[string]any{"rows": b.rows, "turns": b.turns, "growth": b.growth, "only": b.only, "engine": b.engine}
	for _, name := range b.chosen {
		if v, ok := values[name]; ok {
			text += fmt.Sprintf(" -%s %v", name, v)
		}
	}
	return text
}

// writeInto replaces what stands between the two lines.
func (b *bench) writeInto(text string) error {
	page, err := os.ReadFile(b.write)
	if os.IsNotExist(err) {
		page, err = []byte("# Performance\n\n"+begin+end), nil
	}
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(page), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return fmt.Errorf("%s has no lines %q and %q to write between", b.write, strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return os.WriteFile(b.write, []byte(before+begin+text+end+after), 0o644)
}

// section prints the tables of one series.
func section(out *bytes.Buffer, title, engine string, s *series) {
	if len(s.works) == 0 {
		return
	}
	fmt.Fprintf(out, "\n## %s\n\n| work | floor | program | 95 %% below | share of the floor | aim | |\n|---|---:|---:|---:|---:|---|---|\n", title)
	for _, work := range s.works {
		at := s.times[work]
		share, want, mark := "–", "", ""
		if v := s.share(work); v > 0 {
			share = fmt.Sprintf("%.0f %%", 100*v)
		}
		if a, ok := aimOf(engine, work); ok {
			want, mark = a.String(), verdict(a.reached(s, work))
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s | %s | %s | %s |\n", work, show(median(at[floor])), show(median(at[program])),
			show(quantile(at[program], 95)), share, want, mark)
	}
	for _, work := range slices.Sorted(maps.Keys(s.rates)) {
		rate := median(s.rates[work])
		want, mark := "", ""
		if least, ok := leastRate[work]; ok {
			want, mark = fmt.Sprintf("≥ %.0f", least), verdict(rate >= least)
		}
		fmt.Fprintf(out, "| %s | – | %.0f | – | – | %s | %s |\n", work, rate, want, mark)
	}
	memory(out, s)
	costs(out, s)
}

// memory prints the largest resident memory, and other sizes.
func memory(out *bytes.Buffer, s *series) {
	if len(s.names) == 0 {
		return
	}
	fmt.Fprintf(out, "\n| memory, at most; sizes | median | aim | |\n|---|---:|---|---|\n")
	for _, name := range s.names {
		want, mark := "", ""
		size := median(s.sizes[name])
		if most, ok := mostBytes[name]; ok {
			want, mark = "≤ "+megabytes(most), verdict(size <= most)
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s |\n", name, megabytes(size), want, mark)
	}
}

// costs prints the processor time of one unit of each work.
func costs(out *bytes.Buffer, s *series) {
	if len(s.prices) == 0 {
		return
	}
	fmt.Fprintf(out, "\n| processor time of one subscriber, call or delivery | server | database | command line |\n|---|---:|---:|---:|\n")
	for _, work := range s.prices {
		at := s.costs[work]
		fmt.Fprintf(out, "| %s | %s | %s | %s |\n", work, show(median(at["server"])), show(median(at["database"])), show(median(at["command line"])))
	}
}

func verdict(reached bool) string {
	if reached {
		return "reached"
	}
	return "**missed**"
}

func megabytes(n int64) string {
	if n < 10_000 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// show rounds to three digits; nothing was measured at 0.
func show(d time.Duration) string {
	if d == 0 {
		return "–"
	}
	unit := time.Nanosecond
	for unit*1000 < d {
		unit *= 10
	}
	return d.Round(unit).String()
}
