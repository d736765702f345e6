package csvfile

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// sheetSource gives the rows of a sheet as CSV records, numbered as the
// spreadsheet numbers them.
type sheetSource struct {
	part    *xmlPart
	strings *sharedStrings
	styles  *styles
	delim   byte
	columns int // rows are filled up to the header's length
	row     int
	hidden  bool // the row is not shown
	cells   []string
	dates   []int // columns of dates in the row
	text    []byte
}

// maxSheetColumns is the last column that a spreadsheet has, XFD.
const maxSheetColumns = 16384

// rows starts reading a sheet.
func (b *workbook) rows(name string, delim byte, columns int) (source, error) {
	if b.strings == nil {
		texts, err := b.readStrings()
		if err != nil {
			return nil, damaged(err.Error())
		}
		formats, err := b.readStyles()
		if err != nil {
			return nil, damaged(err.Error())
		}
		b.strings, b.styles = texts, formats
	}
	at := slices.IndexFunc(b.sheets, func(s sheet) bool { return s.name == name })
	part, err := b.open(b.sheets[at].part)
	if err != nil {
		return nil, damaged(err.Error())
	}
	return &sheetSource{part: part, strings: b.strings, styles: b.styles, delim: delim, columns: columns}, nil
}

func (s *sheetSource) close() error { return s.part.close() }

// next implements source.
func (s *sheetSource) next() (record, error) {
	for {
		t, err := s.part.token()
		if errors.Is(err, io.EOF) {
			return record{}, io.EOF
		}
		if err != nil {
			return record{}, damaged(err.Error())
		}
		start, ok := t.(xml.StartElement)
		if !ok || start.Name.Local != "row" {
			continue
		}
		s.row++
		if n, err := strconv.Atoi(attribute(start, "r")); err == nil && n >= s.row {
			s.row = n
		}
		hidden := attribute(start, "hidden")
		s.hidden = hidden == "1" || hidden == "true"
		if err := s.readRow(); err != nil {
			return record{}, damaged(err.Error())
		}
		return s.record(), nil
	}
}

// readRow reads the cells up to the end of the row.
func (s *sheetSource) readRow() error {
	s.cells, s.dates = s.cells[:0], nil // dates go with the record
	column := 0
	for {
		t, err := s.part.token()
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.EndElement:
			if t.Name.Local == "row" {
				return nil
			}
		case xml.StartElement:
			if t.Name.Local != "c" {
				continue
			}
			column++
			if n := columnNumber(attribute(t, "r")); n > 0 {
				column = n
			}
			value, date, err := s.readCell(attribute(t, "t"), attribute(t, "s"))
			if err != nil {
				return err
			}
			if value == "" || column > maxSheetColumns {
				continue
			}
			for len(s.cells) < column {
				s.cells = append(s.cells, "")
			}
			s.cells[column-1] = value
			if date {
				s.dates = append(s.dates, column)
			}
		}
	}
}

// readCell reads one cell of a type and a style up to its end, and tells whether
// it is a date. Formulas and phonetic hints are passed over.
func (s *sheetSource) readCell(kind, style string) (text string, date bool, err error) {
	var value []byte
	wanted, phonetic, begun := false, false, 0
	for {
		t, err := s.part.token()
		if err != nil {
			return "", false, err
		}
		switch t := t.(type) {
		case xml.StartElement:
			wanted, begun = t.Name.Local == "v" || t.Name.Local == "t", len(value)
			phonetic = phonetic || t.Name.Local == "rPh"
		case xml.EndElement:
			if wanted {
				value = unescapeFrom(value, begun)
			}
			wanted = false
			phonetic = phonetic && t.Name.Local != "rPh"
			if t.Name.Local == "c" {
				text, date = s.value(kind, style, string(value))
				return text, date, nil
			}
		case xml.CharData:
			if wanted && !phonetic {
				value = append(value, t...)
			}
		}
	}
}

// value is what the cell shows, and whether that is a date. A whole number is
// written out, because Excel may store 5.2998224725E10 for one that has all its
// digits.
func (s *sheetSource) value(kind, style, v string) (text string, date bool) {
	const exact = 1 << 53
	switch format := s.styles.format(style); kind {
	case "s":
		if text, ok := s.strings.get(v); ok {
			return format.text.show(text), false
		}
		return string(utf8.RuneError), false // refused like any text that cannot be read
	case "b": // a tick is not the id 1 of a product or a speed
		return map[string]string{"0": "FALSE", "1": "TRUE"}[v], false
	case "d":
		return v, true
	case "str", "inlineStr":
		return format.text.show(v), false
	case "", "n":
		if format.date {
			if text, date = s.styles.day(v); date {
				return text, true
			}
		}
		f, err := strconv.ParseFloat(v, 64)
		if err == nil && f == math.Trunc(f) && math.Abs(f) < exact {
			v = strconv.FormatInt(int64(f), 10)
		}
		if err == nil {
			return format.number.show(v), false
		}
	}
	return v, false
}

// record writes the cells as a line of CSV.
func (s *sheetSource) record() record {
	for len(s.cells) < s.columns {
		s.cells = append(s.cells, "")
	}
	s.text = s.text[:0]
	for i, cell := range s.cells {
		if i > 0 {
			s.text = append(s.text, s.delim)
		}
		if strings.ContainsAny(cell, "\"\r\n"+string(rune(s.delim))) {
			cell = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
		}
		s.text = append(s.text, cell...)
	}
	if len(s.text) > maxRecord {
		return record{line: s.row, fault: CodeRecordTooLong}
	}
	n := len(s.text)
	s.text = append(s.text, "\r\n"...)
	return record{line: s.row, raw: s.text, text: s.text[:n], cells: max(1, len(s.cells)), dates: s.dates, hidden: s.hidden}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name && a.Name.Space == "" {
			return a.Value
		}
	}
	return ""
}

// columnNumber reads the letters of a cell's name: 3 for C7, 0 when there are
// none.
func columnNumber(cell string) int {
	n := 0
	for i := 0; i < len(cell) && 'A' <= cell[i] && cell[i] <= 'Z' && n <= maxSheetColumns; i++ {
		n = n*26 + int(cell[i]-'A') + 1
	}
	return n
}
