package csvfile

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"ativa/internal/cpf"
)

// entry is what is remembered of a row with a valid document, sixteen bytes:
//
//	document 37 bits | wrong 1 bit | product set 26 bits
//	line     32 bits | fingerprint 32 bits
type entry struct{ document, place uint64 }

const (
	setBits = 26
	maxSets = 1 << setBits
	maxLine = 1<<32 - 1
)

func newEntry(d cpf.Document, wrong bool, set uint32, line int, fingerprint uint32) entry {
	e := entry{d.Number()<<(setBits+1) | uint64(set), uint64(line)<<32 | uint64(fingerprint)}
	if wrong {
		e.document |= 1 << setBits
	}
	return e
}

func (e entry) number() uint64      { return e.document >> (setBits + 1) }
func (e entry) wrong() bool         { return e.document>>setBits&1 == 1 }
func (e entry) set() uint32         { return uint32(e.document & (maxSets - 1)) }
func (e entry) line() int           { return int(e.place >> 32) }
func (e entry) fingerprint() uint32 { return uint32(e.place) }

func compareEntries(a, b entry) int {
	return cmp.Or(cmp.Compare(a.number(), b.number()), cmp.Compare(a.line(), b.line()))
}

// runLength is how many entries are kept in memory: 4 MiB of them.
const runLength = 1 << 18

// index sorts the entries of a file by document and line, in runs on disk when
// there are many, so that memory does not grow with the file.
type index struct {
	runLength int
	entries   []entry
	runs      []int // the length of each run in file
	file      *os.File
}

func (x *index) add(e entry) error {
	x.entries = append(x.entries, e)
	if len(x.entries) < x.runLength {
		return nil
	}
	return x.spill()
}

// spill writes the entries in memory as one sorted run.
func (x *index) spill() error {
	if x.file == nil {
		file, err := scratch()
		if err != nil {
			return fmt.Errorf("keeping the documents of the file: %w", err)
		}
		x.file = file
	}
	slices.SortFunc(x.entries, compareEntries)
	w := bufio.NewWriterSize(x.file, 64<<10)
	var b [16]byte
	for _, e := range x.entries {
		binary.LittleEndian.PutUint64(b[:8], e.document)
		binary.LittleEndian.PutUint64(b[8:], e.place)
		if _, err := w.Write(b[:]); err != nil {
			return fmt.Errorf("keeping the documents of the file: %w", err)
		}
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("keeping the documents of the file: %w", err)
	}
	x.runs = append(x.runs, len(x.entries))
	x.entries = x.entries[:0]
	return nil
}

// groups calls f with the entries of every document that stands in more than
// one line, in order of line. The slice is valid during the call only. The
// index is empty afterwards.
func (x *index) groups(f func([]entry)) error {
	next, err := x.sorted()
	if err != nil {
		return err
	}
	var group []entry
	for {
		e, err := next()
		if err == nil && (len(group) == 0 || group[0].number() == e.number()) {
			group = append(group, e)
			continue
		}
		if len(group) > 1 {
			f(group)
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("reading the documents of the file: %w", err)
		}
		group = append(group[:0], e)
	}
}

// sorted gives all entries in order, one by one, and then io.EOF.
func (x *index) sorted() (func() (entry, error), error) {
	if x.file == nil {
		slices.SortFunc(x.entries, compareEntries)
		return func() (entry, error) {
			if len(x.entries) == 0 {
				return entry{}, io.EOF
			}
			e := x.entries[0]
			x.entries = x.entries[1:]
			return e, nil
		}, nil
	}
	if err := x.spill(); err != nil {
		return nil, err
	}
	x.entries = nil
	return newMerge(x.file, x.runs)
}

func (x *index) close() error {
	if x.file == nil {
		return nil
	}
	return discard(x.file)
}
