// Package sheet turns a messy spreadsheet into checked rows with true line
// numbers (cli.md, Import). It decides how a file is encoded and delimited,
// which column is which field, what damage of Excel can be repaired for certain
// and what must be refused, and which lines belong together.
//
// It refuses to know what happens to a row afterwards: it calls no server,
// keeps no journal and prints nothing. Memory does not grow with the file: to
// find duplicates it keeps sixteen bytes a row in a temporary file.
//
// The order of work is [Open], [File.Check] over the whole file, then
// [File.Rows] as often as wanted.
package sheet

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"ativa/internal/sheet/columns"
	"ativa/internal/sheet/names"
	"ativa/internal/sheet/xlsx"
	"ativa/internal/tempfile"
)

// File is an open spreadsheet. It is not safe for concurrent use; Close
// releases it.
type File struct {
	Dialect Dialect
	Columns []Column
	// Notices are remarks for the user about things that are not wrong. [File.Check], which also
	// recognises columns named like products, adds some.
	Notices []Problem

	in            *input
	options       Options
	layout        *layout
	guessed       bool            // the encoding was detected, not given
	book          *xlsx.Workbook  // nil for a text
	hiddenColumns [][2]int        // first and last of the columns that the workbook hides
	header        *headRecord     // nil without one
	newline       string          // line end of the first record, in UTF-8
	checker       *checker        // nil before Check
	entries       tempfile.Sorter // of all rows, except in an invoice
	outcomes      tempfile.Sorter // of the rows that share a document, by line
}

// Open detects how the file is written and which column holds which field. The error is a *Problem
// if the file is at fault. The caller closes the File.
func Open(path string, o Options) (*File, error) {
	in, err := openInput(path)
	if err != nil {
		return nil, err
	}
	return open(in, o)
}

// OpenReader is Open for a stream, which it first copies to a temporary file, because a file is read
// more than once.
func OpenReader(r io.Reader, o Options) (*File, error) {
	in, err := spool(r)
	if err != nil {
		return nil, err
	}
	return open(in, o)
}

// Close releases the file.
func (f *File) Close() error {
	var book error
	if f.book != nil {
		book = f.book.Close()
	}
	return errors.Join(book, f.entries.Close(), f.outcomes.Close(), f.in.close())
}

// Has reports whether a column of the file holds the field.
func (f *File) Has(field string) bool {
	return slices.ContainsFunc(f.Columns, func(c Column) bool { return c.Field == field })
}

// SHA256 returns the hash of the file's bytes in hexadecimal digits, by which a second run recognises the file.
func (f *File) SHA256() (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, f.in.reader(0)); err != nil {
		return "", fmt.Errorf("hashing the file: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// records yields the records after the header, without blank ones. Each is valid until the next.
// An error ends the sequence.
func (f *File) records() iter.Seq2[record, error] {
	all, skipped := f.textRecords, f.Dialect.HeaderLine
	if f.book != nil {
		all = f.sheetRecords
	}
	if skipped == 0 && f.Dialect.Sep {
		skipped = 1
	}
	return func(yield func(record, error) bool) {
		for r, err := range all {
			if err == nil && (r.line <= skipped || r.fault == "" && blank(r.text, f.Dialect.Delimiter)) {
				continue
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

func (f *File) textRecords(yield func(record, error) bool) {
	s := newScanner(f.text(), f.Dialect.Delimiter)
	s.columns = len(f.Columns)
	for {
		r, err := s.next()
		if errors.Is(err, io.EOF) || !yield(r, err) || err != nil {
			return
		}
	}
}

// text returns the content of the file after its byte order mark, with UTF-16 converted to UTF-8.
func (f *File) text() io.Reader {
	d := f.Dialect
	var skip int64
	if d.BOM {
		skip = int64(len(d.Encoding.mark()))
	}
	return d.Encoding.reader(f.in.reader(skip))
}

// open reads enough of the file to detect its format.
func open(in *input, o Options) (*File, error) {
	f := &File{in: in, options: o, entries: tempfile.Sorter{Of: documents}, outcomes: tempfile.Sorter{Of: documents}}
	if err := f.prepare(o); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func (f *File) prepare(o Options) error {
	aliases := columns.NewIndex()
	if err := f.prepareDialect(o, aliases); err != nil {
		return err
	}
	return f.namingOtherSheets(f.prepareColumns(o, aliases))
}

func (f *File) prepareDialect(o Options, aliases columns.Index) error {
	if workbook, err := f.in.isWorkbook(); err != nil || !workbook {
		return cmp.Or(err, f.prepareText(o, aliases))
	}
	return f.prepareWorkbook(o)
}

func (f *File) prepareText(o Options, aliases columns.Index) error {
	if o.Sheet != "" {
		return &Problem{Code: CodeNoSheets, Args: map[string]string{"sheet": o.Sheet}}
	}
	if err := f.findEncoding(o.Encoding); err != nil {
		return err
	}
	if f.Dialect.Encoding.isUTF16() && f.in.opened.Size()%2 != 0 {
		return &Problem{Code: CodeCutCharacter}
	}
	sample := make([]byte, maxRecord)
	n, err := io.ReadFull(f.text(), sample)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	sample = sample[:n]
	if len(bytes.TrimSpace(sample)) == 0 && n < maxRecord {
		return &Problem{Code: CodeEmptyFile}
	}
	if f.guessed && f.Dialect.Encoding == Windows1252 && isMacOrDOS(sample) {
		return &Problem{Code: CodeOldEncoding}
	}
	first, err := newSampleScanner(sample, ',').next()
	if err == nil {
		f.Dialect.Delimiter, f.Dialect.Sep = separatorLine(first.text)
	}
	switch d, ok := parseDelimiter(o.Delimiter); {
	case o.Delimiter != "" && !ok:
		return &Problem{Code: CodeUnknownDelimiter, Args: map[string]string{"delimiter": o.Delimiter}}
	case ok:
		f.Dialect.Delimiter = d
	case !f.Dialect.Sep:
		f.Dialect.Delimiter = detectDelimiter(sample, f.Dialect.Encoding, aliases)
	}
	return nil
}

// findEncoding takes the user's encoding, else the detected one. It detects the byte order mark in
// either case.
func (f *File) findEncoding(name string) error {
	found, mark, err := detectEncoding(f.in.reader(0))
	if err != nil {
		return err
	}
	f.Dialect.Encoding, f.Dialect.BOM, f.guessed = found, mark > 0, name == ""
	if name == "" {
		return nil
	}
	wanted, ok := parseEncoding(name)
	if !ok {
		return &Problem{Code: CodeUnknownEncoding, Args: map[string]string{"encoding": name}}
	}
	if wanted == UTF16LE && found == UTF16BE && names.Fold(name) == "utf16" {
		wanted = found // the mark says which of the two
	}
	f.Dialect.Encoding, f.Dialect.BOM = wanted, mark > 0 && wanted == found
	return nil
}

// prepareColumns reads the head of the file and finds its header.
func (f *File) prepareColumns(o Options, aliases columns.Index) error {
	head, err := f.head()
	if err != nil {
		return err
	}
	l, header, err := findHeader(head, o, f.Dialect.Delimiter, aliases)
	if p, ok := errors.AsType[*Problem](err); ok && p.Code == CodeNoHeader && f.book != nil {
		p.Code = CodeNoHeaderRow
	}
	if err != nil {
		return err
	}
	if err := l.check(); err != nil {
		return err
	}
	f.layout, f.Columns = l, l.columns
	f.Notices = append(f.Notices, l.notices...)
	if header == nil {
		return nil
	}
	if slices.ContainsFunc(header.cells, garbled) { // a column of the status could be overlooked
		return &Problem{Line: header.line, Code: CodeGarbledText}
	}
	if f.book == nil && header.isSingleQuoted() {
		return &Problem{Line: header.line, Code: CodeSingleQuotes}
	}
	f.header, f.Dialect.HeaderLine = header, header.line
	if last := &head[len(head)-1]; header == last && len(head) < headRecords {
		return &Problem{Code: CodeNoRows}
	}
	return nil
}

// head returns the first records.
func (f *File) head() ([]headRecord, error) {
	var head []headRecord
	split := splitter{encoding: f.Dialect.Encoding}
	for r, err := range f.records() {
		if err != nil {
			return nil, err
		}
		if r.fault != "" && len(head) == 0 {
			return nil, shapeProblem(r)
		}
		if len(head) == 0 {
			f.newline = strings.TrimRight(string(r.raw[len(r.text):]), ctrlZ)
		}
		names := slices.Clone(split.split(r.text, r.ends))
		for i := range names {
			names[i] = trim(names[i])
		}
		if head = append(head, headRecord{r.clone(), names}); len(head) == headRecords {
			break
		}
	}
	if len(head) == 0 {
		return nil, &Problem{Code: CodeEmptyFile}
	}
	return head, nil
}

func shapeProblem(r record) *Problem {
	return &Problem{Line: r.line, Column: r.column, Code: r.fault, Args: map[string]string{"max": number(maxRecord)}}
}
