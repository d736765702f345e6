package tempfile

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
)

// listedInMemory is the number of values of a [List] in memory; the rest are in a temporary
// file.
const listedInMemory = 4096

// List keeps any number of values in constant memory.
type List[T any] struct {
	Of     string // a name of the values for errors: "the documents of the selection"
	values []T    // the first ones

	file *os.File // the rest, as JSON; nil for none
	out  *bufio.Writer
}

// Add adds a value at the end.
func (l *List[T]) Add(v T) error {
	if len(l.values) < listedInMemory {
		l.values = append(l.values, v)
		return nil
	}
	if err := l.write(v); err != nil {
		return fmt.Errorf("keeping %s: %w", l.Of, err)
	}
	return nil
}

func (l *List[T]) write(v T) (err error) {
	if l.file == nil {
		if l.file, err = Create(); err != nil {
			return err
		}
		l.out = bufio.NewWriter(l.file)
	}
	return json.NewEncoder(l.out).Encode(v)
}

// All yields the values in the order in which they were added. Nothing may be added afterwards. An
// error ends the sequence.
func (l *List[T]) All() iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, v := range l.values {
			if !yield(v, nil) {
				return
			}
		}
		if l.file == nil {
			return
		}
		err := l.out.Flush()
		if err == nil {
			_, err = l.file.Seek(0, io.SeekStart)
		}
		for d := json.NewDecoder(l.file); err == nil; {
			var v T
			if err = d.Decode(&v); err == nil && !yield(v, nil) {
				return
			}
		}
		if !errors.Is(err, io.EOF) {
			var none T
			yield(none, fmt.Errorf("reading %s that were kept: %w", l.Of, err))
		}
	}
}

// Close removes the data on disk.
func (l *List[T]) Close() error {
	if l.file == nil {
		return nil
	}
	return Remove(l.file)
}
