package csvfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"ativa/internal/tempfile"
)

// sorter sorts entries and outcomes.
type sorter = tempfile.Sorter[[2]uint64]

// checked is what a check of the whole file leaves for reading it again.
type checked struct {
	checker  *checker
	outcomes *sorter // of the rows that share a document, by line
}

func (c *checked) close() error {
	if c == nil {
		return nil
	}
	return c.outcomes.Close()
}

// Check reads and checks the whole file against the catalogue. Its error is a
// *Problem when nothing of the file can be used, swapped columns included;
// otherwise what is wrong stands in the summary and in each row.
func (f *File) Check(ctx context.Context, c Catalog) (*Summary, error) {
	f.catalog = c
	columns, notices, err := f.layout.resolve(newProducts(c.Products, f.options.Profile))
	if err != nil {
		return nil, err
	}
	f.Columns, f.Notices = columns, slices.Concat(f.openingNotices, notices)
	k, err := newChecker(f)
	if err != nil {
		return nil, err
	}
	const what = "the documents of the file"
	entries, outcomes := &sorter{Of: what}, &sorter{Of: what}
	t, err := f.checkRows(ctx, k, entries, outcomes)
	if err = errors.Join(err, entries.Close()); err != nil {
		return nil, errors.Join(err, outcomes.Close())
	}
	err = f.checked.close()
	f.checked = &checked{k, outcomes}
	return t.summary(), err
}

// checkRows counts every row and finds the rows that belong together.
func (f *File) checkRows(ctx context.Context, k *checker, entries, outcomes *sorter) (*tally, error) {
	t, swaps := newTally(), newSwappedColumns(f.Columns)
	for row, err := range f.checkRecords(ctx) {
		if err != nil {
			return nil, err
		}
		t.row(row)
		if len(row.Problems) > 0 {
			swaps.add(k.splitter.split(row.text, row.ends))
		}
		if row.document == "" || f.options.Profile == Invoice {
			continue
		}
		if row.Line > maxLine {
			return nil, fmt.Errorf("the file has more than %d lines", uint32(maxLine))
		}
		set := k.sets.intern(row.ProductsIDs)
		if err := entries.Add([2]uint64(newEntry(row.document, len(row.Problems) > 0, set, row.Line, row.fingerprint(k.seed)))); err != nil {
			return nil, err
		}
	}
	if t.Rows == 0 {
		return nil, &Problem{Code: CodeNoRows}
	}
	if p := swaps.problem(t.Rows); p != nil {
		return nil, p
	}
	err := f.decideDuplicates(t, k, entries, outcomes)
	return t, errors.Join(err, k.sets.err)
}

// Rows returns every row in order of line, those with problems and those merged
// into others included. It may be used as often as wanted, after
// [File.Check]. An error ends it.
func (f *File) Rows(ctx context.Context) iter.Seq2[*Row, error] {
	if f.checked == nil {
		return func(yield func(*Row, error) bool) { yield(nil, errors.New("the file has not been checked yet")) }
	}
	return func(yield func(*Row, error) bool) {
		k := f.checked.checker
		outcomes, err := f.checked.outcomes.Sorted()
		if err != nil {
			yield(nil, err)
			return
		}
		next, missing := outcomes()
		for row, err := range f.checkRecords(ctx) {
			if err == nil && missing == nil && outcome(next).line() == row.Line {
				k.apply(row, outcome(next))
				next, missing = outcomes()
			}
			if missing != nil && !errors.Is(missing, io.EOF) {
				yield(nil, fmt.Errorf("reading the documents of the file: %w", missing))
				return
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

// decideDuplicates decides about the rows that share a document, corrects the
// tally and notes the outcomes.
func (f *File) decideDuplicates(t *tally, k *checker, entries, outcomes *sorter) error {
	next, err := entries.Sorted()
	if err != nil {
		return err
	}
	products := func(set uint32) int { return len(k.sets.lists[set]) }
	d := &duplicates{sets: k.sets, decided: func(o outcome, e entry) error {
		switch o.kind() {
		case mergeTarget:
			t.Products += products(o.set()) - products(e.set())
			return outcomes.Add([2]uint64(o))
		case merged:
			t.Merged++
		default:
			t.Invalid++
			t.problem(k.duplicateProblem(o, e.number()))
		}
		t.Valid--
		t.Products -= products(e.set())
		return outcomes.Add([2]uint64(o))
	}}
	return d.decideAll(next)
}
