package tempfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// queuedInMemory is how many values of a [Queue] are kept in memory; further ones are kept in a
// temporary file.
const queuedInMemory = 4096

// Queue returns any number of values in the order in which they were added, in constant memory.
// Values on disk are lines of JSON.
type Queue[T any] struct {
	Of     string // what the values are, for errors: "lines of the report"
	values []T    // the first ones
	at     int    // index of the first one in values

	file    *os.File
	waiting int // values in file not yet read
	in      *bufio.Writer
	out     *bufio.Reader
	passed  int64 // bytes of file already read
	line    []byte
}

// Add adds a value at the end.
func (q *Queue[T]) Add(v T) error {
	if q.waiting == 0 && len(q.values)-q.at < queuedInMemory {
		if q.at == len(q.values) {
			q.values, q.at = q.values[:0], 0
		}
		q.values = append(q.values, v)
		return nil
	}
	if err := q.write(v); err != nil {
		return fmt.Errorf("keeping %s: %w", q.Of, err)
	}
	q.waiting++
	return nil
}

func (q *Queue[T]) write(v T) (err error) {
	if q.file == nil {
		if q.file, err = Create(); err != nil {
			return err
		}
		q.in, q.out = bufio.NewWriter(q.file), new(bufio.Reader)
	}
	if err := json.MarshalWrite(q.in, &v, jsontext.AllowInvalidUTF8(true)); err != nil {
		return err
	}
	return q.in.WriteByte('\n')
}

// First returns the first value without removing it, and whether there is one.
func (q *Queue[T]) First() (v T, has bool, err error) {
	if q.at == len(q.values) && q.waiting > 0 {
		if err := q.read(); err != nil {
			return v, false, fmt.Errorf("reading %s that were kept: %w", q.Of, err)
		}
	}
	if q.at == len(q.values) {
		return v, false, nil
	}
	return q.values[q.at], true, nil
}

// RemoveFirst removes the value that First returned.
func (q *Queue[T]) RemoveFirst() { q.at++ }

// TakeAll yields the values and removes each. It ends after an error.
func (q *Queue[T]) TakeAll() iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for {
			v, has, err := q.First()
			if err != nil {
				yield(v, err)
			}
			if err != nil || !has {
				return
			}
			if q.RemoveFirst(); !yield(v, nil) {
				return
			}
		}
	}
}

func (q *Queue[T]) read() error {
	if err := q.in.Flush(); err != nil {
		return err
	}
	q.values, q.at = q.values[:0], 0
	q.out.Reset(io.NewSectionReader(q.file, q.passed, math.MaxInt64)) // a reader that has met the end of the file would remember it
	for len(q.values) < queuedInMemory && q.waiting > 0 {
		v, err := q.readLine()
		if err != nil {
			return err
		}
		q.values = append(q.values, v)
		q.waiting--
	}
	return nil
}

func (q *Queue[T]) readLine() (v T, err error) {
	q.line = q.line[:0]
	for more := true; more; more = errors.Is(err, bufio.ErrBufferFull) {
		var part []byte
		part, err = q.out.ReadSlice('\n')
		q.line = append(q.line, part...)
	}
	if err != nil {
		return v, err
	}
	q.passed += int64(len(q.line))
	err = json.Unmarshal(q.line, &v)
	return v, err
}

// Close removes what is on disk.
func (q *Queue[T]) Close() error {
	if q.file == nil {
		return nil
	}
	return Remove(q.file)
}
