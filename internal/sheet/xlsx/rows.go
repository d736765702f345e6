package xlsx

import (
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Row is one row of a sheet.
type Row struct {
	Number int // counts from 1, as the spreadsheet shows it
	// Hidden means that the spreadsheet hides the row, for example by a filter.
	Hidden bool
	// Cells are the texts of the row, up to its last cell that is not empty. They are valid until
	// the next row is read.
	Cells []string
	// Dates are the columns, from 1, of the cells shown as dates or times of day. Their text is
	// 2006-01-02 15:04:05, or only the date or the time.
	Dates []int
	// Merged are the columns, from 1, of the cells with the value of the first cell of a merged
	// block.
	Merged []int
	// HiddenColumns are the first and last columns of the hidden ranges, the same in every
	// row.
	HiddenColumns [][2]int
}

// rows reads the rows of a sheet.
type rows struct {
	book   *Workbook
	part   *xmlPart
	merged []merged // blocks that begin below the row
	open   []merged // blocks that have begun, with their values
	hidden [][2]int
	row    Row
	size   int // bytes of the row's texts
	value  []byte
}

// The last column that a spreadsheet has, XFD, and its last row.
const (
	maxColumns = 1 << 14
	maxRows    = 1 << 20
)

// Rows yields the rows of the sheet with the name; empty rows may be absent. An error, a
// *[DamagedError] or one of the disk, ends the sequence.
func (b *Workbook) Rows(sheet string) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		r, err := b.openRows(sheet)
		if err == nil {
			err = r.each(func(row Row) bool { return yield(row, nil) })
			_ = r.part.close() // it was only read
		}
		if err != nil {
			yield(Row{}, damaged(err))
		}
	}
}

func (b *Workbook) openRows(sheet string) (r *rows, err error) {
	if !b.complete {
		b.formats = nil
		if err := cmp.Or(b.Close(), b.readStrings(), b.readStyles()); err != nil {
			return nil, err
		}
		b.complete = true
	}
	at := slices.IndexFunc(b.Sheets, func(s Sheet) bool { return s.Name == sheet })
	if at < 0 {
		return nil, &DamagedError{"it has no sheet " + strconv.Quote(sheet)}
	}
	r = &rows{book: b}
	if r.merged, err = b.readMerged(b.Sheets[at].part); err != nil {
		return nil, err
	}
	r.part, err = b.open(b.Sheets[at].part)
	return r, err
}

// each calls yield with every row until it returns false.
func (r *rows) each(yield func(Row) bool) error {
	for {
		t, err := r.part.token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		start, ok := t.(xml.StartElement)
		if ok && start.Name.Local == "col" && isTrue(attribute(start, "hidden")) && len(r.hidden) < maxColumns {
			first, _ := strconv.Atoi(attribute(start, "min"))
			last, _ := strconv.Atoi(attribute(start, "max"))
			r.hidden = append(r.hidden, [2]int{first, last})
		}
		if !ok || start.Name.Local != "row" {
			continue
		}
		r.row = Row{Number: r.row.Number + 1, Hidden: isTrue(attribute(start, "hidden")), Cells: r.row.Cells[:0], HiddenColumns: r.hidden}
		if n, err := strconv.Atoi(attribute(start, "r")); err == nil && n >= r.row.Number && n <= maxRows {
			r.row.Number = n
		}
		if err := r.readRow(); err != nil {
			return err
		}
		if r.spread(); !yield(r.row) {
			return nil
		}
	}
}

// readRow reads the cells up to the end of the row.
func (r *rows) readRow() error {
	column := 0
	r.size = 0
	for {
		t, err := r.part.token()
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
			text, date, err := r.readCell(attribute(t, "t"), attribute(t, "s"))
			if err != nil {
				return err
			}
			if r.size += len(text); r.size > maxToken {
				return errLongRow
			}
			r.set(column, text, date)
		}
	}
}

// set puts a text into a column of the row.
func (r *rows) set(column int, text string, date bool) {
	if column > maxColumns || text == "" && column > len(r.row.Cells) {
		return
	}
	for len(r.row.Cells) < column {
		r.row.Cells = append(r.row.Cells, "")
	}
	r.row.Cells[column-1] = text
	if date && len(r.row.Dates) < maxColumns {
		r.row.Dates = append(r.row.Dates, column)
	}
}

// notAvailable is the text of a cell whose formula has no result, because a program that does not
// calculate wrote the workbook, and of an error without a word of its own.
const notAvailable = "#N/A"

// readCell reads one cell of a type and a style up to its end, and reports whether it is a date.
func (r *rows) readCell(kind, style string) (text string, date bool, err error) {
	r.value = r.value[:0]
	formula, result := false, false
	for elements := (textElements{}); ; {
		t, err := r.part.token()
		if err != nil {
			return "", false, err
		}
		if r.value = elements.add(r.value, t); len(r.value) > maxToken {
			return "", false, errLongCell
		}
		end, ok := t.(xml.EndElement)
		formula = formula || ok && end.Name.Local == "f"
		result = result || ok && end.Name.Local == "v" && kind == "str" // the text ""
		if ok && end.Name.Local == "c" {
			if formula && !result && len(r.value) == 0 {
				return notAvailable, false, nil
			}
			v := string(r.value)
			if kind == "s" {
				if v, err = r.book.sharedString(v); err != nil {
					return "", false, err
				}
			}
			text, date = r.show(kind, style, v)
			return text, date, nil
		}
	}
}

// show returns the displayed text of a cell, and whether it is a date. A whole number is written
// out, because Excel may store 5.2998224725E10 for one with all its digits. Another one has the
// digits that a spreadsheet shows, because programs store 99.90000000000001 for 99.9.
func (r *rows) show(kind, style, v string) (text string, date bool) {
	const exact, shownDigits = 1 << 53, 15
	switch format := r.book.format(style); kind {
	case "b": // true is not the number 1
		return map[string]string{"0": "FALSE", "false": "FALSE", "1": "TRUE", "true": "TRUE"}[v], false
	case "d":
		return v, true
	case "e":
		if !strings.HasPrefix(v, "#") || !strings.ContainsAny(v[len(v)-1:], "!?") {
			return notAvailable, false
		}
	case "s", "str", "inlineStr":
		return format.text.show(v), false
	case "", "n":
		if format.date {
			if text, date = r.book.day(v); date {
				return text, true
			}
		}
		f, err := strconv.ParseFloat(v, 64)
		if err != nil {
			return v, false
		}
		if f != math.Trunc(f) {
			v = strconv.FormatFloat(f, 'g', shownDigits, 64)
			f, _ = strconv.ParseFloat(v, 64)
			v = strconv.FormatFloat(f, 'f', -1, 64)
		}
		if f == math.Trunc(f) && math.Abs(f) < exact {
			v = strconv.FormatInt(int64(f), 10)
		}
		return format.number.show(v), false
	}
	return v, false
}

// columnNumber returns the column of a cell's name: 3 for C7, 0 without letters.
func columnNumber(cell string) int {
	n := 0
	for i := 0; i < len(cell) && 'A' <= cell[i] && cell[i] <= 'Z' && n <= maxColumns; i++ {
		n = n*26 + int(cell[i]-'A') + 1
	}
	return n
}
