//go:build linux

package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// unit formats the numbers of a line.
type unit func(float64) string

func megabytes(v float64) string { return fmt.Sprintf("%.1f MB", v/1e6) }
func number(v float64) string    { return fmt.Sprintf("%.0f", v) }
func percent(v float64) string   { return fmt.Sprintf("%.2f %%", 100*v) }

// seconds formats a time with three digits.
func seconds(v float64) string {
	d, precision := time.Duration(v*1e9), time.Nanosecond
	for precision*1000 < d {
		precision *= 10
	}
	return d.Round(precision).String()
}

// aim is the goal of a line: floor divided by program at least share, or the program at most most,
// or at least least. The zero value means none: the line is for comparison.
type aim struct{ share, most, least float64 }

// line is one row of the table.
type line struct {
	work, engine   string
	unit           unit
	aim            aim
	floor, program []float64
}

type table []*line

// add records one sample of a work. floor is 0 if there is none.
func (s *site) add(work string, unit unit, aim aim, floor, program float64) {
	at := slices.IndexFunc(s.table, func(l *line) bool { return l.work == work && l.engine == s.name() })
	if at < 0 {
		at = len(s.table)
		s.table = append(s.table, &line{work: work, engine: s.name(), unit: unit, aim: aim})
	}
	s.table[at].floor = append(s.table[at].floor, floor)
	s.table[at].program = append(s.table[at].program, program)
}

// String returns the table as Markdown, engine by engine.
func (t table) String() string {
	text := "| work | engine | floor | program | floor/program | aim | |\n|---|---|---:|---:|---:|---|---|\n"
	slices.SortStableFunc(t, func(a, b *line) int { return strings.Compare(b.engine, a.engine) })
	for _, l := range t {
		floor, program, share := "–", quantile(l.program, 50), "–"
		ratio := quantile(l.floor, 50) / program
		if ratio > 0 {
			floor, share = l.unit(quantile(l.floor, 50)), fmt.Sprintf("%.2f", ratio)
		}
		text += fmt.Sprintf("| %s | %s | %s | %s | %s | %s |\n", l.work, l.engine, floor, l.unit(program), share, l.aim.check(l.unit, ratio, program))
	}
	return text
}

// check returns the last two columns: the aim, and whether it is reached.
func (a aim) check(u unit, share, program float64) (columns string) {
	var reached bool
	switch {
	case a.share > 0:
		columns, reached = fmt.Sprintf("≥ %.2f of the floor", a.share), share >= a.share
	case a.most > 0:
		columns, reached = "≤ "+u(a.most), program <= a.most
	case a.least > 0:
		columns, reached = "≥ "+u(a.least), program >= a.least
	default:
		return "| "
	}
	return columns + map[bool]string{true: " | reached", false: " | **missed**"}[reached]
}

// quantile returns the sample at a percentile from 0 to 100, or 0 without samples.
func quantile(samples []float64, percent int) float64 {
	if len(samples) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(samples))[(len(samples)*percent+99)/100-1]
}
