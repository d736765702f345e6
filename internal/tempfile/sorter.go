package tempfile

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
)

// Record is an element of a [Sorter], sorted by the first number, then by the second.
type Record = [2]uint64

func compareRecords(a, b Record) int {
	return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
}

// inMemory is the number of records kept in memory, which take 4 MiB.
const inMemory = 1 << 18

// recordSize is the size of a record in bytes.
const recordSize = 16

// Sorter sorts any number of records in constant memory; many records are kept as sorted runs on
// disk.
type Sorter struct {
	Of   string // a name of the records for errors: "the documents of the file"
	all  []Record
	runs []int // the length of each run in file
	file *os.File
}

// Add adds a record.
func (s *Sorter) Add(r Record) error {
	s.all = append(s.all, r)
	if len(s.all) < inMemory {
		return nil
	}
	return s.spill()
}

// spill writes the records in memory as one sorted run.
func (s *Sorter) spill() error {
	if s.file == nil {
		file, err := Create()
		if err != nil {
			return fmt.Errorf("keeping %s: %w", s.Of, err)
		}
		s.file = file
	}
	slices.SortFunc(s.all, compareRecords)
	w := bufio.NewWriterSize(s.file, 64<<10)
	var b [recordSize]byte
	for _, r := range s.all {
		binary.LittleEndian.PutUint64(b[:], r[0])
		binary.LittleEndian.PutUint64(b[8:], r[1])
		if _, err := w.Write(b[:]); err != nil {
			return fmt.Errorf("keeping %s: %w", s.Of, err)
		}
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("keeping %s: %w", s.Of, err)
	}
	s.runs = append(s.runs, len(s.all))
	s.all = s.all[:0]
	return nil
}

// All yields the records in order. It may be called repeatedly; nothing may be added afterwards. An
// error ends the sequence.
func (s *Sorter) All() iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		if s.file != nil && len(s.all) > 0 {
			if err := s.spill(); err != nil {
				yield(Record{}, err)
				return
			}
			s.all = nil
		}
		slices.SortFunc(s.all, compareRecords)
		for _, r := range s.all {
			if !yield(r, nil) {
				return
			}
		}
		if err := mergeRuns(s.file, s.runs, func(r Record) bool { return yield(r, nil) }); err != nil {
			yield(Record{}, fmt.Errorf("reading %s: %w", s.Of, err))
		}
	}
}

// Close removes the data on disk.
func (s *Sorter) Close() error {
	if s.file == nil {
		return nil
	}
	return Remove(s.file)
}

// sortedRun reads a sorted run from disk.
type sortedRun struct {
	in   *bufio.Reader
	head Record // the next record
}

// next reads the next head. It returns [io.EOF] at the end of the run.
func (r *sortedRun) next() error {
	var b [recordSize]byte
	if _, err := io.ReadFull(r.in, b[:]); err != nil {
		return err
	}
	r.head = Record{binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:])}
	return nil
}

// mergeRuns calls yield with every record of the runs in order until it returns false. No run is
// empty.
func mergeRuns(file io.ReaderAt, lengths []int, yield func(Record) bool) error {
	var runs []*sortedRun
	var offset int64
	for _, n := range lengths {
		size := int64(n) * recordSize
		run := &sortedRun{in: bufio.NewReaderSize(io.NewSectionReader(file, offset, size), 64<<10)}
		if err := run.next(); err != nil {
			return err
		}
		runs = append(runs, run)
		offset += size
	}
	for len(runs) > 0 {
		least := slices.MinFunc(runs, func(a, b *sortedRun) int { return compareRecords(a.head, b.head) })
		if !yield(least.head) {
			return nil
		}
		err := least.next()
		if errors.Is(err, io.EOF) {
			runs = slices.DeleteFunc(runs, func(r *sortedRun) bool { return r == least })
		} else if err != nil {
			return err
		}
	}
	return nil
}
