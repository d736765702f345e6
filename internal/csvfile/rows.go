package csvfile

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"ativa/internal/api"
	"ativa/internal/cpf"
)

// checked is what a check of the whole file leaves for reading it again.
type checked struct {
	checker *checker
	fates   []fate // by line
}

// Check reads and checks the whole file against the catalogue. Its error is a
// *Problem when nothing of the file can be used, swapped columns included;
// otherwise what is wrong stands in the summary and in each row.
func (f *File) Check(ctx context.Context, c Catalog) (*Summary, error) {
	f.catalog = c
	k, err := newChecker(f)
	if err != nil {
		return nil, err
	}
	index := &index{runLength: runLength}
	t, fates, err := f.survey(ctx, k, index)
	if err = errors.Join(err, index.close()); err != nil {
		return nil, err
	}
	sortFates(fates)
	f.checked = &checked{k, fates}
	return t.summary(), nil
}

// survey counts every row and finds the rows that belong together.
func (f *File) survey(ctx context.Context, k *checker, x *index) (*tally, []fate, error) {
	t, swaps := newTally(), newSwapped(f.Columns)
	for row, err := range f.each(ctx) {
		if err != nil {
			return nil, nil, err
		}
		t.row(row)
		if len(row.Problems) > 0 {
			swaps.row(split(f.Dialect.Encoding.toUTF8(nil, row.text), f.Dialect.Delimiter))
		}
		if row.document == "" {
			continue
		}
		if row.Line > maxLine {
			return nil, nil, fmt.Errorf("the file has more than %d lines", uint32(maxLine))
		}
		set := k.sets.intern(row.ProductsIDs)
		if err := x.add(newEntry(row.document, len(row.Problems) > 0, set, row.Line, row.fingerprint(k.seed))); err != nil {
			return nil, nil, err
		}
	}
	if t.Rows == 0 {
		return nil, nil, &Problem{Code: CodeNoRows}
	}
	if p := swaps.found(t.Rows); p != nil {
		return nil, nil, p
	}
	fates, err := f.settle(t, k, x)
	return t, fates, errors.Join(err, k.sets.err)
}

// settle decides about the rows that share a document and corrects the tally.
func (f *File) settle(t *tally, k *checker, x *index) ([]fate, error) {
	var fates []fate
	err := x.groups(func(group []entry) {
		products := map[int]int{}
		for _, e := range group {
			products[e.line()] = len(k.sets.lists[e.set()])
		}
		for _, ft := range k.sets.decide(group) {
			fates = append(fates, ft)
			switch ft.kind {
			case leads:
				t.Products += len(k.sets.lists[ft.set]) - products[ft.line]
				continue
			case merged:
				t.Merged++
			default:
				t.Invalid++
				t.problem(k.fateProblem(ft, group[0].number()))
			}
			t.Valid--
			t.Products -= products[ft.line]
		}
	})
	return fates, err
}

// fateProblem is what another line makes wrong about a row.
func (k *checker) fateProblem(ft fate, document uint64) Problem {
	c := k.places[api.FieldDocument]
	code := CodeDuplicate
	if ft.kind == heldBack {
		code = CodeHeldBack
	}
	return Problem{Line: ft.line, Column: c.Number, Name: c.Name, Field: api.FieldDocument, Code: code,
		Value: string(cpf.FromNumber(document)), Args: map[string]string{"line": number(ft.cited)}}
}

// Rows gives every row in order of line, those with problems and those merged
// into others included. It may be used as often as wanted, after
// [File.Check]. An error ends it.
func (f *File) Rows(ctx context.Context) iter.Seq2[*Row, error] {
	if f.checked == nil {
		return func(yield func(*Row, error) bool) { yield(nil, errors.New("the file has not been checked yet")) }
	}
	return func(yield func(*Row, error) bool) {
		k, fates := f.checked.checker, f.checked.fates
		for row, err := range f.each(ctx) {
			if err == nil && len(fates) > 0 && fates[0].line == row.Line {
				k.meet(row, fates[0])
				fates = fates[1:]
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

// meet applies a fate to its row.
func (k *checker) meet(row *Row, ft fate) {
	switch ft.kind {
	case leads:
		row.Lines, row.ProductsIDs = ft.lines, k.sets.lists[ft.set]
	case merged:
		row.MergedInto = ft.cited
	default:
		row.Problems = append(row.Problems, k.fateProblem(ft, row.document.Number()))
	}
}
