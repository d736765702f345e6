package sheet

import (
	"cmp"
	"slices"
	"strings"
)

// KeptProblems is the number of problems that a [Summary] keeps.
const KeptProblems = 20

// Count is a number of occurrences.
type Count struct {
	Field string
	Code  string
	N     int
}

// KeptValues is the number of different values that a [Summary] counts.
const KeptValues = 1000

// Value is a value that is wrong in every row, such as an unknown
// product.
type Value struct {
	Rows  int     // number of rows with it
	First Problem // its first problem, whose arguments name it

	last int // the last counted line
}

// Summary is the result of checking the whole file.
type Summary struct {
	// Rows are the records after the header, without blank ones. Each is one of Valid, Merged and
	// Invalid.
	Rows, Valid, Merged, Invalid int
	// Hidden counts the rows that a workbook hides, for example by a filter. They are read like
	// all others.
	Hidden int
	// SharedEmails counts the addresses that several subscribers share.
	SharedEmails int
	// Nameless counts the rows with a value in a column without a name. That value is
	// ignored.
	Nameless int
	Products int // products of the valid rows, which will be activated
	// Problems are counted by field and code, the most frequent first. A row
	// may have several.
	Problems []Count
	Repairs  []Count // counted likewise
	// Values are the values that a value mapping can correct, each once, the most frequent first.
	// Only the first [KeptValues] of the file are counted.
	Values []Value
	First  []Problem // the first [KeptProblems] problems in order of line
}

type tally struct {
	Summary
	problems, repairs map[Count]int
	values            map[string]*Value // by field, code and value
}

func (t *tally) row(r *Row) {
	t.Rows++
	if r.nameless {
		t.Nameless++
	}
	if r.source.hidden {
		t.Hidden++
	}
	for _, m := range r.Repairs {
		t.repairs[Count{Field: m.Field, Code: m.Code}]++
	}
	for _, p := range r.Problems {
		t.problem(p)
	}
	if len(r.Problems) > 0 {
		t.Invalid++
		return
	}
	t.Valid++
	t.Products += len(r.ProductsIDs)
}

func (t *tally) problem(p Problem) {
	t.problems[Count{Field: p.Field, Code: p.Code}]++
	if value := p.Args["value"]; value != "" {
		t.value(p.Field+" "+p.Code+" "+strings.ToLower(value), p)
	}
	if len(t.First) < KeptProblems || p.Line < t.First[len(t.First)-1].Line {
		t.First = append(t.First, p)
		slices.SortStableFunc(t.First, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
		t.First = t.First[:min(len(t.First), KeptProblems)]
	}
}

// value counts a row with a problem whose value may occur in other rows, too.
func (t *tally) value(key string, p Problem) {
	v := t.values[key]
	switch {
	case v == nil && len(t.values) == KeptValues:
		return
	case v == nil:
		v = &Value{First: p}
		t.values[key] = v
	case v.last == p.Line:
		return
	}
	v.Rows++
	v.last = p.Line
}

func (t *tally) summary() *Summary {
	for _, v := range t.values {
		t.Values = append(t.Values, *v)
	}
	slices.SortFunc(t.Values, func(a, b Value) int {
		return cmp.Or(cmp.Compare(b.Rows, a.Rows), cmp.Compare(a.First.Line, b.First.Line), cmp.Compare(a.First.Column, b.First.Column))
	})
	t.Problems, t.Repairs = counted(t.problems), counted(t.repairs)
	return &t.Summary
}

func counted(counts map[Count]int) []Count {
	list := make([]Count, 0, len(counts))
	for c, n := range counts {
		c.N = n
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Field, b.Field))
	})
	return list
}
