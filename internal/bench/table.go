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

// aim is what a line should reach. Share is floor divided by program, at least; most
// and least bound the program. The zero value is none: the line is for comparison.
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
	l := s.table[at]
	l.program = append(l.program, program)
	if floor > 0 {
		l.floor = append(l.floor, floor)
	}
}

// String returns the table as Markdown, engine by engine.
func (t table) String() string {
	var b strings.Builder
	b.WriteString("| work | engine | floor | program | floor/program | aim | |\n|---|---|---:|---:|---:|---|---|\n")
	slices.SortStableFunc(t, func(a, c *line) int { return strings.Compare(c.engine, a.engine) })
	for _, l := range t {
		program, floor, ratio := median(l.program), "–", "–"
		share := median(l.floor) / program
		if share > 0 {
			floor, ratio = l.unit(median(l.floor)), fmt.Sprintf("%.2f", share)
		}
		want, mark := l.aim.of(l.unit, share, program)
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |%s | %s |\n", l.work, l.engine, floor, l.unit(program), ratio, want, mark)
	}
	return b.String()
}

// of returns the aim in words and whether it is reached.
func (a aim) of(u unit, share, program float64) (want, mark string) {
	if a == (aim{}) {
		return "", ""
	}
	if a.share > 0 {
		want += fmt.Sprintf(" ≥ %.2f of the floor", a.share)
	}
	if a.most > 0 {
		want += " ≤ " + u(a.most)
	}
	if a.least > 0 {
		want += " ≥ " + u(a.least)
	}
	if share < a.share || a.most > 0 && program > a.most || program < a.least {
		return want, "**missed**"
	}
	return want, "reached"
}

func median(all []float64) float64 { return quantile(all, 50) }

// quantile returns the sample at a percentile from 0 to 100, or 0 without samples.
func quantile(all []float64, percent int) float64 {
	if len(all) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(all))[(len(all)*percent+99)/100-1]
}
