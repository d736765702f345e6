package csvfile

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/gocarina/gocsv"
)

// unmarshaller turns a record into cells. gocsv is given one sound record at a
// time, strings only, under column names of ours: its own reading of numbers,
// headers and line numbers cannot be relied on.
type unmarshaller struct {
	feeder feeder
	csv    *csv.Reader
	rows   *gocsv.Unmarshaller
	fed    int64
}

func newUnmarshaller(columns []Column, delim byte) (*unmarshaller, error) {
	u := &unmarshaller{}
	u.csv = csv.NewReader(&u.feeder)
	u.csv.Comma = rune(delim)
	u.csv.LazyQuotes = true
	u.csv.ReuseRecord = true
	u.csv.FieldsPerRecord = -1
	names, seen := make([]string, len(columns)), map[string]int{}
	for i, c := range columns {
		names[i] = "-"
		if c.Field != "" && c.Field != FieldIgnore && c.product == nil {
			seen[c.Field]++
			names[i] = slotName(c.Field, seen[c.Field])
		}
	}
	u.feed([]byte(strings.Join(names, string(rune(delim)))))
	rows, err := gocsv.NewUnmarshaller(u.csv, &cells{})
	if err != nil {
		return nil, fmt.Errorf("reading the header: %w", err)
	}
	u.rows = rows
	return u, nil
}

func (u *unmarshaller) feed(text []byte) {
	u.feeder.buf, u.feeder.read = append(append(u.feeder.buf[:0], text...), '\n'), 0
	u.fed += int64(len(text)) + 1
}

// read unmarshals one record in UTF-8. An error means that the record is not
// the one that the scanner saw.
func (u *unmarshaller) read(text []byte) (*cells, error) {
	u.feed(text)
	value, err := u.rows.Read()
	if err != nil {
		return nil, err
	}
	c, ok := value.(*cells)
	if !ok || u.csv.InputOffset() != u.fed {
		return nil, errOutOfStep
	}
	return c, nil
}

var errOutOfStep = errors.New("csv reader and scanner disagree")

// feeder gives one record and no more, so that the csv reader cannot run ahead
// of the scanner.
type feeder struct {
	buf  []byte
	read int
}

// Read implements io.Reader.
func (f *feeder) Read(p []byte) (int, error) {
	if f.read == len(f.buf) {
		return 0, io.EOF
	}
	n := copy(p, f.buf[f.read:])
	f.read += n
	return n, nil
}
