//go:build linux

package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// unit is what the numbers of a line are.
type unit func(float64) string

func seconds(v float64) string {
	d := time.Duration(v * float64(time.Second))
	digits := time.Nanosecond
	for digits*1000 < d {
		digits *= 10
	}
	return d.Round(digits).String()
}

func bytes(v float64) string {
	if v < 100_000 {
		return fmt.Sprintf("%.0f B", v)
	}
	return fmt.Sprintf("%.1f MB", v/1e6)
}

func number(v float64) string  { return fmt.Sprintf("%.0f", v) }
func percent(v float64) string { return fmt.Sprintf("%.2f %%", 100*v) }

// line is one row of the table: what is measured, and what it should reach.
// Share is floor divided by program, at least; most and least bound the program.
type line struct {
	work               string
	unit               unit
	share, most, least float64
	engine             string
	floor, program     []float64
}

// aims are the lines of the table; one without an aim is shown for comparison.
var aims = []line{ //nolint:gochecknoglobals // a constant
	{work: "start: version, processor time", unit: seconds, share: 0.40},
	{work: "start: help in Portuguese, processor time", unit: seconds, share: 0.40},
	{work: "start: completion, processor time", unit: seconds, share: 0.40},
	{work: "binary", unit: bytes, most: 35e6},
	{work: "import", unit: seconds, share: 0.45},
	{work: "import: memory of the server", unit: bytes, most: 250e6},
	{work: "plain list", unit: seconds, share: 0.90},
	{work: "page of 500, the last", unit: seconds, most: 0.010},
	{work: "search as one types, 95 % below", unit: seconds, share: 1, most: 0.150},
	{work: "reads a second, 16 clients", unit: number, least: 6000},
	{work: "registrations a second, 16 clients", unit: number, least: 1900},
	{work: "suspend a list", unit: seconds},
	{work: "usage of a month, 200,000 services", unit: seconds, most: 1},
	{work: "usage of a year, 200,000 services", unit: seconds, most: 1},
	{work: "idle server: share of a core", unit: percent, most: 0.002},
	{work: "idle server: bytes written a second", unit: bytes, most: 1},
	{work: "small write beside an import of the same provider, 99 % below", unit: seconds, most: 0.050},
	{work: "small write beside an import of another provider, 99 % below", unit: seconds, most: 0.050},
	{work: "import beside small writes (floor: alone)", unit: seconds, share: 0.90},
	{work: "import while e-mails go out (floor: alone)", unit: seconds, share: 0.90},
	{work: "partner down, 4,000 wait: row writes a minute", unit: number, most: 100},
	{work: "partner down, 4,000 wait: bytes written a minute", unit: bytes},
	{work: "partner down, 4,000 wait: share of a core", unit: percent, most: 0.01},
	{work: "partner down, 4,000 wait: callback of another (floor: before)", unit: seconds},
	{work: "sync of 20,000 changes over a link of 50 ms", unit: seconds, most: 60},
}

type table []*line

// add notes one sample of a work. Floor is 0 where there is none.
func (t *table) add(engine, work string, floor, program float64) {
	at := slices.IndexFunc(*t, func(l *line) bool { return l.work == work && l.engine == engine })
	if at < 0 {
		l := aims[slices.IndexFunc(aims, func(l line) bool { return l.work == work })]
		l.engine = engine
		at = len(*t)
		*t = append(*t, &l)
	}
	l := (*t)[at]
	l.program = append(l.program, program)
	if floor > 0 {
		l.floor = append(l.floor, floor)
	}
}

// String is the table as Markdown, engine by engine.
func (t table) String() string {
	var b strings.Builder
	b.WriteString("| work | engine | floor | program | floor/program | aim | |\n|---|---|---:|---:|---:|---|---|\n")
	sorted := slices.Clone(t)
	slices.SortStableFunc(sorted, func(a, c *line) int { return strings.Compare(c.engine, a.engine) })
	for _, l := range sorted {
		program, floor, ratio, want := median(l.program), "–", "–", ""
		reached := true
		if len(l.floor) > 0 {
			share := median(l.floor) / program
			floor, ratio = l.unit(median(l.floor)), fmt.Sprintf("%.2f", share)
			if l.share > 0 {
				want += fmt.Sprintf(" ≥ %.2f of the floor", l.share)
				reached = share >= l.share
			}
		}
		if l.most > 0 {
			want += " ≤ " + l.unit(l.most)
			reached = reached && program <= l.most
		}
		if l.least > 0 {
			want += " ≥ " + l.unit(l.least)
			reached = reached && program >= l.least
		}
		mark := ""
		if want != "" {
			mark = map[bool]string{true: "reached", false: "**missed**"}[reached]
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |%s | %s |\n", l.work, l.engine, floor, l.unit(program), ratio, want, mark)
	}
	return b.String()
}

func median(all []float64) float64 { return quantile(all, 50) }

// quantile returns the sample at a percentile, from 0 to 100; 0 without samples.
func quantile(all []float64, percent int) float64 {
	if len(all) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(all))[(len(all)*percent+99)/100-1]
}
