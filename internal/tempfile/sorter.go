package tempfile

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// Pair is what a [Sorter] sorts: sixteen bytes, by the first number and then by
// the second.
type Pair = [2]uint64

func comparePairs(a, b Pair) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) }

// inMemory is how many pairs are kept in memory: 4 MiB of them.
const inMemory = 1 << 18

// Sorter sorts any number of pairs, in runs on disk when there are many, so
// that memory does not grow with the file.
type Sorter struct {
	Of    string // what the pairs are, for errors: "the documents of the file"
	pairs []Pair
	runs  []int // the length of each run in file
	file  *os.File
}

// Add adds a pair.
func (s *Sorter) Add(p Pair) error {
	s.pairs = append(s.pairs, p)
	if len(s.pairs) < inMemory {
		return nil
	}
	return s.spill()
}

// spill writes the pairs in memory as one sorted run.
func (s *Sorter) spill() error {
	if s.file == nil {
		file, err := Create()
		if err != nil {
			return fmt.Errorf("keeping %s: %w", s.Of, err)
		}
		s.file = file
	}
	slices.SortFunc(s.pairs, comparePairs)
	w := bufio.NewWriterSize(s.file, 64<<10)
	var b [16]byte
	for _, p := range s.pairs {
		binary.LittleEndian.PutUint64(b[:8], p[0])
		binary.LittleEndian.PutUint64(b[8:], p[1])
		if _, err := w.Write(b[:]); err != nil {
			return fmt.Errorf("keeping %s: %w", s.Of, err)
		}
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("keeping %s: %w", s.Of, err)
	}
	s.runs = append(s.runs, len(s.pairs))
	s.pairs = s.pairs[:0]
	return nil
}

// Sorted returns all pairs in order, one by one, and then io.EOF. It may be used
// as often as wanted; nothing is added afterwards.
func (s *Sorter) Sorted() (func() (Pair, error), error) {
	if s.file != nil {
		if len(s.pairs) > 0 {
			if err := s.spill(); err != nil {
				return nil, err
			}
		}
		s.pairs = nil
		return mergeRuns(s.file, s.runs)
	}
	slices.SortFunc(s.pairs, comparePairs)
	at := 0
	return func() (Pair, error) {
		if at == len(s.pairs) {
			return Pair{}, io.EOF
		}
		at++
		return s.pairs[at-1], nil
	}, nil
}

// Close removes what is on disk.
func (s *Sorter) Close() error {
	if s.file == nil {
		return nil
	}
	return Remove(s.file)
}

// runMerger reads sorted runs side by side.
type runMerger struct {
	runs  []*bufio.Reader
	heads []Pair
}

func mergeRuns(file io.ReaderAt, lengths []int) (func() (Pair, error), error) {
	m := &runMerger{}
	var offset int64
	for _, n := range lengths {
		size := int64(n) * 16
		m.runs = append(m.runs, bufio.NewReaderSize(io.NewSectionReader(file, offset, size), 64<<10))
		m.heads = append(m.heads, Pair{})
		offset += size
		if err := m.advance(len(m.runs) - 1); err != nil {
			return nil, err
		}
	}
	return m.next, nil
}

// advance reads the next head of a run, or drops the run at its end.
func (m *runMerger) advance(i int) error {
	var b [16]byte
	switch _, err := io.ReadFull(m.runs[i], b[:]); {
	case errors.Is(err, io.EOF):
		m.runs = slices.Delete(m.runs, i, i+1)
		m.heads = slices.Delete(m.heads, i, i+1)
	case err != nil:
		return err
	default:
		m.heads[i] = Pair{binary.LittleEndian.Uint64(b[:8]), binary.LittleEndian.Uint64(b[8:])}
	}
	return nil
}

func (m *runMerger) next() (Pair, error) {
	if len(m.heads) == 0 {
		return Pair{}, io.EOF
	}
	least := 0
	for i := range m.heads {
		if comparePairs(m.heads[i], m.heads[least]) < 0 {
			least = i
		}
	}
	e := m.heads[least]
	return e, m.advance(least)
}
