//go:build linux

package main

import (
	"slices"
	"time"
)

// Who was measured.
const (
	floor   = "floor"   // the database's own client, and grep
	program = "program" // Ativa
)

// figures gathers what was measured.
type figures struct {
	start *series
	all   map[place]*series
	order []place
}

// place is an engine, and the number of subscribers of the growth; 0: of the turns.
type place struct {
	engine string
	rows   int
}

func newFigures() *figures { return &figures{start: newSeries(), all: map[place]*series{}} }

// of returns the series of an engine, which is made when it is new.
func (f *figures) of(engine string, rows int) *series {
	at := place{engine, rows}
	s, ok := f.all[at]
	if !ok {
		s = newSeries()
		f.all[at] = s
		f.order = append(f.order, at)
	}
	return s
}

// series holds the samples of every work, in the order in which they came.
type series struct {
	works  []string
	times  map[string]map[string][]time.Duration // by work and who
	names  []string
	sizes  map[string][]int64 // bytes, by name
	prices []string
	costs  map[string]map[string][]time.Duration // processor time of one unit, by work and who
	rates  map[string][]float64                  // a second
}

func newSeries() *series {
	return &series{times: map[string]map[string][]time.Duration{}, sizes: map[string][]int64{},
		costs: map[string]map[string][]time.Duration{}, rates: map[string][]float64{}}
}

func (s *series) time(work, who string, d time.Duration) {
	if s.times[work] == nil {
		s.times[work] = map[string][]time.Duration{}
		s.works = append(s.works, work)
	}
	s.times[work][who] = append(s.times[work][who], d)
}

func (s *series) bytes(name string, n int64) {
	if s.sizes[name] == nil {
		s.names = append(s.names, name)
	}
	s.sizes[name] = append(s.sizes[name], n)
}

// cost notes the processor time that so many units took.
func (s *series) cost(work, who string, d time.Duration, units int) {
	if s.costs[work] == nil {
		s.costs[work] = map[string][]time.Duration{}
		s.prices = append(s.prices, work)
	}
	s.costs[work][who] = append(s.costs[work][who], d/time.Duration(units))
}

func (s *series) rate(work string, perSecond float64) {
	s.rates[work] = append(s.rates[work], perSecond)
}

// share is the median of the floor as a share of the program's: 1 is as fast,
// 0 not measured.
func (s *series) share(work string) float64 {
	at := s.times[work]
	if len(at[floor]) == 0 || len(at[program]) == 0 {
		return 0
	}
	return float64(median(at[floor])) / float64(median(at[program]))
}

type number interface {
	~int64 | ~float64
}

func median[T number](all []T) T { return quantile(all, 50) }

// quantile is the smallest sample that so many per cent of all do not exceed.
func quantile[T number](all []T, percent int) T {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	return sorted[(len(sorted)*percent+99)/100-1]
}
