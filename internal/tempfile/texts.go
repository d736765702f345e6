package tempfile

import (
	"encoding/binary"
	"fmt"
	"os"
)

// Texts keeps any number of texts, to be read by their numbers. Most of them are on disk, in groups;
// half a byte of each, and a few MiB, are in memory.
type Texts struct {
	Of     string  // a name of the texts for errors: "the texts of the workbook"
	n      int     // how many there are
	starts []int64 // where each group starts in all of them

	file   *os.File // the first groups; nil for none
	inFile int64    // bytes
	rest   []byte   // the groups after those

	read map[int64][]byte // groups that were read from file, by start
}

const (
	groupSize     = 16      // texts
	restSize      = 4 << 20 // bytes
	maxReadGroups = 512
)

// Len returns the number of texts.
func (t *Texts) Len() int { return t.n }

// Add adds a text at the end.
func (t *Texts) Add(text []byte) error {
	if t.n%groupSize == 0 {
		if len(t.rest) >= restSize {
			if err := t.spill(); err != nil {
				return fmt.Errorf("keeping %s: %w", t.Of, err)
			}
		}
		t.starts = append(t.starts, t.inFile+int64(len(t.rest)))
	}
	t.rest = binary.AppendUvarint(t.rest, uint64(len(text)))
	t.rest = append(t.rest, text...)
	t.n++
	return nil
}

func (t *Texts) spill() (err error) {
	if t.file == nil {
		if t.file, err = Create(); err != nil {
			return err
		}
	}
	if _, err := t.file.Write(t.rest); err != nil {
		return err
	}
	t.inFile, t.rest = t.inFile+int64(len(t.rest)), t.rest[:0]
	return nil
}

// At returns a text by its number, from 0. Nothing may be added afterwards.
func (t *Texts) At(number int) (string, error) {
	group, err := t.group(number / groupSize)
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", t.Of, err)
	}
	for range number % groupSize {
		size, n := binary.Uvarint(group)
		group = group[n+int(size):]
	}
	size, n := binary.Uvarint(group)
	return string(group[n : n+int(size)]), nil
}

// group returns the texts of a group, each after its length. Most texts are read in their order, and
// some again and again.
func (t *Texts) group(number int) ([]byte, error) {
	start := t.starts[number]
	if start >= t.inFile {
		return t.rest[start-t.inFile:], nil
	}
	if g, ok := t.read[start]; ok {
		return g, nil
	}
	g := make([]byte, t.starts[number+1]-start) // the last group is in rest
	if _, err := t.file.ReadAt(g, start); err != nil {
		return nil, err
	}
	if t.read == nil || len(t.read) == maxReadGroups {
		t.read = make(map[int64][]byte, maxReadGroups)
	}
	t.read[start] = g
	return g, nil
}

// Close removes the data on disk.
func (t *Texts) Close() error {
	if t.file == nil {
		return nil
	}
	return Remove(t.file)
}
