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

// Record is what a [Sorter] sorts: numbers, by the first and then by the second.
type Record interface{ [2]uint64 | [4]uint64 }

func compareRecords[R Record](a, b R) int {
	return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
}

// inMemory is how many records are kept in memory: 4 or 8 MiB of them.
const inMemory = 1 << 18

// Sorter sorts any number of records, in runs on disk when there are many, so
// that memory does not grow with them.
type Sorter[R Record] struct {
	Of   string // what the records are, for errors: "the documents of the file"
	all  []R
	runs []int // the length of each run in file
	file *os.File
}

// Add adds a record.
func (s *Sorter[R]) Add(r R) error {
	s.all = append(s.all, r)
	if len(s.all) < inMemory {
		return nil
	}
	return s.spill()
}

// maxRecord is the size of the longest record in bytes.
const maxRecord = 32

// spill writes the records in memory as one sorted run.
func (s *Sorter[R]) spill() error {
	if s.file == nil {
		file, err := Create()
		if err != nil {
			return fmt.Errorf("keeping %s: %w", s.Of, err)
		}
		s.file = file
	}
	slices.SortFunc(s.all, compareRecords[R])
	w := bufio.NewWriterSize(s.file, 64<<10)
	var b [maxRecord]byte
	for _, r := range s.all {
		for i := 0; i < len(r); i++ {
			binary.LittleEndian.PutUint64(b[8*i:], r[i])
		}
		if _, err := w.Write(b[:8*len(r)]); err != nil {
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

// Sorted returns all records in order, one by one, and then io.EOF. It may be used
// as often as wanted; nothing is added afterwards.
func (s *Sorter[R]) Sorted() (func() (R, error), error) {
	if s.file != nil {
		if len(s.all) > 0 {
			if err := s.spill(); err != nil {
				return nil, err
			}
		}
		s.all = nil
		return mergeRuns[R](s.file, s.runs)
	}
	slices.SortFunc(s.all, compareRecords[R])
	at := 0
	return func() (r R, err error) {
		if at == len(s.all) {
			return r, io.EOF
		}
		at++
		return s.all[at-1], nil
	}, nil
}

// Close removes what is on disk.
func (s *Sorter[R]) Close() error {
	if s.file == nil {
		return nil
	}
	return Remove(s.file)
}

// runMerger reads sorted runs side by side.
type runMerger[R Record] struct {
	runs  []*bufio.Reader
	heads []R
}

func mergeRuns[R Record](file io.ReaderAt, lengths []int) (func() (R, error), error) {
	m := &runMerger[R]{}
	var one R
	var offset int64
	for _, n := range lengths {
		size := int64(n) * 8 * int64(len(one))
		m.runs = append(m.runs, bufio.NewReaderSize(io.NewSectionReader(file, offset, size), 64<<10))
		m.heads = append(m.heads, one)
		offset += size
		if err := m.advance(len(m.runs) - 1); err != nil {
			return nil, err
		}
	}
	return m.next, nil
}

// advance reads the next head of a run, or drops the run at its end.
func (m *runMerger[R]) advance(i int) error {
	var b [maxRecord]byte
	var r R
	switch _, err := io.ReadFull(m.runs[i], b[:8*len(r)]); {
	case errors.Is(err, io.EOF):
		m.runs = slices.Delete(m.runs, i, i+1)
		m.heads = slices.Delete(m.heads, i, i+1)
	case err != nil:
		return err
	default:
		for n := 0; n < len(r); n++ {
			r[n] = binary.LittleEndian.Uint64(b[8*n:])
		}
		m.heads[i] = r
	}
	return nil
}

func (m *runMerger[R]) next() (r R, err error) {
	if len(m.heads) == 0 {
		return r, io.EOF
	}
	least := 0
	for i := range m.heads {
		if compareRecords[R](m.heads[i], m.heads[least]) < 0 {
			least = i
		}
	}
	r = m.heads[least]
	return r, m.advance(least)
}
