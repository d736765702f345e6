// Package csvfile turns a messy spreadsheet into checked rows with true line
// numbers (cli.md, Import). It decides how a file is encoded and delimited,
// which column is which field, what damage of Excel can be repaired for certain
// and what must be refused, and which lines belong together.
//
// It refuses to know what happens to a row afterwards: it calls no server,
// keeps no journal and prints nothing. Memory does not grow with the file, a
// temporary file aside that keeps sixteen bytes a row to find duplicates.
//
// The order of work is [Open], [File.Check] over the whole file, then
// [File.Rows] as often as wanted.
package csvfile

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"

	"ativa/internal/csvfile/xlsx"
)

// File is an open spreadsheet. It is not safe for concurrent use; Close
// releases it.
type File struct {
	Dialect Dialect
	Columns []Column
	// Notices are worth telling the user; nothing is wrong with them. Some of
	// them come with [File.Check], which also knows columns by their products.
	Notices []Problem

	in             *input
	options        Options
	layout         *layout
	openingNotices []Problem      // notices of opening
	guessed        bool           // nobody told the encoding
	book           *xlsx.Workbook // nil for a text
	header         *headRecord    // nil without one
	newline        string         // as behind the header, in UTF-8
	catalog        Catalog        // as Check was given it
	checked        *checked       // what Check found out
}

// Open finds out how the file is written and which column is which. An error
// is a *Problem when the file is at fault.
func Open(path string, o Options) (*File, error) {
	in, err := openInput(path)
	if err != nil {
		return nil, err
	}
	return open(in, o)
}

// OpenReader does the same for a stream, which it first copies to a temporary
// file, because a file is read more than once.
func OpenReader(r io.Reader, o Options) (*File, error) {
	in, err := spool(r)
	if err != nil {
		return nil, err
	}
	return open(in, o)
}

// Close releases the file.
func (f *File) Close() error { return errors.Join(f.checked.close(), f.in.close()) }

// Has reports whether a column of the file holds the field.
func (f *File) Has(field string) bool {
	return slices.ContainsFunc(f.Columns, func(c Column) bool { return c.Field == field })
}

// SHA256 is the hash of the file's bytes, by which a second run recognises it.
func (f *File) SHA256() ([sha256.Size]byte, error) {
	h := sha256.New()
	if _, err := io.Copy(h, f.in.reader(0)); err != nil {
		return [sha256.Size]byte{}, fmt.Errorf("hashing the file: %w", err)
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}

// source reads the records of a file one after the other.
type source interface {
	// next returns io.EOF at the end.
	next() (record, error)
	close() error
}

// records starts at the first record behind the header.
func (f *File) records() (source, error) {
	s, err := f.start()
	if err != nil {
		return nil, err
	}
	behind := f.Dialect.HeaderLine
	if behind == 0 && f.Dialect.Sep {
		behind = 1
	}
	return &dataSource{source: s, behind: behind, delim: f.Dialect.Delimiter}, nil
}

func (f *File) start() (source, error) {
	if f.book != nil {
		return f.sheet()
	}
	s := newScanner(f.text(), f.Dialect.Delimiter)
	s.columns = len(f.Columns)
	return textSource{s}, nil
}

// text is the file behind its mark, UTF-16 as UTF-8 already.
func (f *File) text() io.Reader {
	d := f.Dialect
	var skip int64
	if d.BOM {
		skip = int64(len(d.Encoding.mark()))
	}
	r := f.in.reader(skip)
	if d.Encoding == UTF16LE || d.Encoding == UTF16BE {
		return newUTF16Reader(r, d.Encoding)
	}
	return r
}

type textSource struct{ *scanner }

func (textSource) close() error { return nil }

// dataSource leaves out what is no data: the header with all before it, and
// blank records.
type dataSource struct {
	source
	behind int
	delim  byte
}

func (s *dataSource) next() (record, error) {
	for {
		r, err := s.source.next()
		if err != nil || r.line > s.behind && (r.fault != "" || !blank(r.text, s.delim)) {
			return r, err
		}
	}
}
