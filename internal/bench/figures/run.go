// Package figures turns what was measured into the tables of the
// documentation: medians, shares of the floor, and whether an aim was reached.
// It decides how samples are summed up and shown; it refuses to know how they
// were taken.
package figures

// Run gathers what one run of the benchmark measured.
type Run struct {
	Start *Series // of commands that do nothing but start
	all   map[place]*Series
	order []place
}

// place is an engine, and the number of subscribers of the growth; 0: of the turns.
type place struct {
	engine string
	rows   int
}

// NewRun returns a run that has measured nothing.
func NewRun() *Run { return &Run{Start: newSeries(), all: map[place]*Series{}} }

// Of returns the series of an engine, which is made when it is new. Rows is the
// number of subscribers of the growth, 0 stands for the turns at the usual size.
func (r *Run) Of(engine string, rows int) *Series {
	at := place{engine, rows}
	s, ok := r.all[at]
	if !ok {
		s = newSeries()
		r.all[at] = s
		r.order = append(r.order, at)
	}
	return s
}
