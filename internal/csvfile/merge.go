package csvfile

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"slices"
)

// merge reads sorted runs side by side.
type merge struct {
	runs  []*bufio.Reader
	heads []pair
}

func newMerge(file io.ReaderAt, lengths []int) (func() (pair, error), error) {
	m := &merge{}
	var offset int64
	for _, n := range lengths {
		size := int64(n) * 16
		m.runs = append(m.runs, bufio.NewReaderSize(io.NewSectionReader(file, offset, size), 64<<10))
		m.heads = append(m.heads, pair{})
		offset += size
		if err := m.advance(len(m.runs) - 1); err != nil {
			return nil, err
		}
	}
	return m.next, nil
}

// advance reads the next head of a run, or drops the run at its end.
func (m *merge) advance(i int) error {
	var b [16]byte
	switch _, err := io.ReadFull(m.runs[i], b[:]); {
	case errors.Is(err, io.EOF):
		m.runs = slices.Delete(m.runs, i, i+1)
		m.heads = slices.Delete(m.heads, i, i+1)
	case err != nil:
		return err
	default:
		m.heads[i] = pair{binary.LittleEndian.Uint64(b[:8]), binary.LittleEndian.Uint64(b[8:])}
	}
	return nil
}

func (m *merge) next() (pair, error) {
	if len(m.heads) == 0 {
		return pair{}, io.EOF
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
