package sheet

import (
	"context"
	"iter"

	"ativa/internal/api"
	"ativa/internal/cpf"
	"ativa/internal/tempfile"
)

// entry is the stored data of a row with a valid document. In sort order the wrong rows of a
// document come before its right ones, each by line:
//
//	document 37 bits | right 1 bit | line 26 bits
//	line 6 bits | product set 26 bits | fingerprint 32 bits
type entry tempfile.Record

const (
	setBits = 26
	maxSets = 1 << setBits
	maxLine = 1<<32 - 1
)

func newEntry(d cpf.Document, wrong bool, set uint32, line int, fingerprint uint32) entry {
	e := entry{d.Number()<<27 | uint64(line)>>6, uint64(line)<<58 | uint64(set)<<32 | uint64(fingerprint)}
	if !wrong {
		e[0] |= 1 << 26
	}
	return e
}

func (e entry) number() uint64      { return e[0] >> 27 }
func (e entry) wrong() bool         { return e[0]>>26&1 == 0 }
func (e entry) line() int           { return int(e[0]&(1<<26-1)<<6 | e[1]>>58) }
func (e entry) set() uint32         { return uint32(e[1] >> 32 & (maxSets - 1)) }
func (e entry) fingerprint() uint32 { return uint32(e[1]) }

// knownRows yields the rows of the file and, after an error of the file, what the check knows of the
// rows that could not be read again.
func (f *File) knownRows(ctx context.Context) iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		last := 0
		for row, err := range f.checker.rows(ctx) {
			if !yield(row, err) {
				return
			}
			if err == nil {
				last = row.Line
			} else if ctx.Err() == nil {
				f.unread(last, yield)
			}
		}
	}
}

// unread yields the checked rows after a line, without their cells.
func (f *File) unread(line int, yield func(*Row, error) bool) {
	byLine := tempfile.Sorter{Of: documents}
	defer byLine.Close()
	for r, err := range f.entries.All() {
		if e := entry(r); err == nil && e.line() > line {
			err = byLine.Add(tempfile.Record{uint64(e.line()), e[0]})
		}
		if err != nil {
			yield(nil, err)
			return
		}
	}
	for r, err := range byLine.All() {
		if err != nil {
			yield(nil, err)
			return
		}
		row, e := &Row{Line: int(r[0])}, entry{r[1]}
		if n := e.number(); n > 0 {
			row.Document = string(cpf.FromNumber(n))
		}
		if e.wrong() {
			row.Problems = []Problem{{Line: row.Line, Code: CodeUnread}}
		}
		if !yield(row, nil) {
			return
		}
	}
}

// outcome is what other rows with the same document mean for a row:
//
//	line 32 bits | cited line 32 bits
//	kind | product set 26 bits
//
// The cited line is the origin of the outcome. The set of a mergeTarget
// is the union of all merged products.
type outcome tempfile.Record

type outcomeKind uint8

const (
	mergeTarget outcomeKind = iota + 1 // other rows were merged into this one
	merged                             // equal to the row of the cited line except for the products
	duplicate                          // differs from the row of the cited line
	// heldBack: the row of the cited line has the same document and is wrong.
	// Both must be imported together, because products of a subscriber that
	// exists already are not activated (api.md, Subscribers, rule 1).
	heldBack
)

func newOutcome(line int, kind outcomeKind, cited int, set uint32) outcome {
	return outcome{uint64(line)<<32 | uint64(cited), uint64(kind)<<setBits | uint64(set)}
}

func (o outcome) line() int         { return int(o[0] >> 32) }
func (o outcome) cited() int        { return int(o[0] & maxLine) }
func (o outcome) kind() outcomeKind { return outcomeKind(o[1] >> setBits) }
func (o outcome) set() uint32       { return uint32(o[1] & (maxSets - 1)) }

// decideDuplicates decides the outcomes of rows that share a document, stores them and corrects the
// tally.
func (f *File) decideDuplicates(t *tally) error {
	d := &duplicates{file: f, tally: t}
	for r, err := range f.entries.All() {
		if err == nil {
			err = d.next(entry(r))
		}
		if err != nil {
			return err
		}
	}
	return d.end()
}

// duplicates reads the entries of a file in order and keeps only the first of a document.
type duplicates struct {
	file   *File
	tally  *tally
	first  entry
	union  uint32 // the products of first and of the rows merged into it
	merges bool
}

// next decides the outcome of a row, unless it is the first of its document.
func (d *duplicates) next(e entry) error {
	cited := d.first.line()
	switch {
	case e.number() != d.first.number():
		err := d.end()
		d.first, d.union = e, e.set()
		return err
	case e.wrong(): // it has its own problems
		return nil
	case d.first.wrong():
		return d.decide(e, newOutcome(e.line(), heldBack, cited, 0))
	case e.fingerprint() != d.first.fingerprint():
		return d.decide(e, newOutcome(e.line(), duplicate, cited, 0))
	}
	d.merges, d.union = true, d.file.checker.sets.union(d.union, e.set())
	return d.decide(e, newOutcome(e.line(), merged, cited, 0))
}

// end decides the outcome of the first row of a document, after its last.
func (d *duplicates) end() error {
	if !d.merges {
		return nil
	}
	d.merges = false
	return d.decide(d.first, newOutcome(d.first.line(), mergeTarget, 0, d.union))
}

func (d *duplicates) decide(e entry, o outcome) error {
	k, t := d.file.checker, d.tally
	t.Products += len(k.sets.lists[o.set()]) - len(k.sets.lists[e.set()])
	switch o.kind() {
	case mergeTarget:
	case merged:
		t.Valid--
		t.Merged++
	default:
		t.Valid--
		t.Invalid++
		t.problem(k.duplicateProblem(o, e.number()))
	}
	return d.file.outcomes.Add(tempfile.Record(o))
}

func (k *checker) duplicateProblem(o outcome, document uint64) Problem {
	c := k.column(api.FieldDocument)
	code := CodeDuplicate
	if o.kind() == heldBack {
		code = CodeHeldBack
	}
	return Problem{Line: o.line(), Column: c.Number, Name: c.Name, Field: api.FieldDocument, Code: code,
		Value: string(cpf.FromNumber(document)), Args: map[string]string{"line": number(o.cited())}}
}

func (k *checker) apply(row *Row, o outcome) {
	switch o.kind() {
	case mergeTarget:
		row.ProductsIDs, row.Merged = k.sets.lists[o.set()], true
	case merged:
		row.MergedInto = o.cited()
	default:
		row.Problems = append(row.Problems, k.duplicateProblem(o, cpf.Document(row.Document).Number()))
	}
}
