package xlsx

import (
	"encoding/xml"
	"math"
	"strconv"
	"time"
)

// maxStyles is the maximum number of cell formats that are read. Excel allows 65,490.
const maxStyles = 1 << 16

// readStyles reads the number formats, which come first, and the cell formats, which refer to
// them: a workbook stores a date as a number, and `Fibra 500` perhaps as 500; only the cell's format
// distinguishes them.
func (b *Workbook) readStyles() error {
	custom, inCells := map[int]*cellFormat{}, false
	return b.tokens(b.related[typeStyles], func(t xml.Token) error {
		switch t := t.(type) {
		case xml.StartElement:
			id, err := strconv.Atoi(attribute(t, "numFmtId"))
			if err != nil {
				id = -1 // no format
			}
			switch {
			case t.Name.Local == "cellXfs":
				inCells = true
			case t.Name.Local == "numFmt" && len(custom) < maxStyles:
				custom[id] = newCellFormat(unescape(attribute(t, "formatCode")))
			case t.Name.Local == "xf" && inCells && len(b.formats) < maxStyles:
				f := custom[id]
				if f == nil {
					f = &cellFormat{date: builtInDate(id)}
				}
				b.formats = append(b.formats, f)
			}
		case xml.EndElement:
			inCells = inCells && t.Name.Local != "cellXfs"
		}
		return nil
	})
}

func (b *Workbook) format(style string) *cellFormat {
	if n, err := strconv.Atoi(style); err == nil && n >= 0 && n < len(b.formats) {
		return b.formats[n]
	}
	return &cellFormat{}
}

// builtInDate reports whether a built-in format, which has no code, shows dates or times (ECMA-376,
// numFmts); 27 to 36 and 50 to 58 are East Asian.
func builtInDate(n int) bool {
	return 14 <= n && n <= 22 || 27 <= n && n <= 36 || n == 45 || n == 47 || 50 <= n && n <= 58
}

// lastDay is the number of 31 December 9999. A larger number is never shown as a date, whatever
// its format: a CPF in a column of dates stays whole.
const lastDay = 2958465

// day returns the text of a cell with a date format: 2025-10-05, with the time of day if there is one,
// or the time alone if there is no day. ok is false if the number is not a date.
func (b *Workbook) day(v string) (text string, ok bool) {
	n, err := strconv.ParseFloat(v, 64)
	if err != nil || !(n >= 0 && n < lastDay+1) { // NaN is neither
		return "", false
	}
	const leapDay = 60 // 29 February 1900, which exists only in spreadsheets
	start := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case b.since1904:
		start = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	case n < leapDay:
		start = start.AddDate(0, 0, 1)
	}
	whole, part := math.Modf(n)
	at := start.AddDate(0, 0, int(whole)).Add(time.Duration(math.Round(part*24*60*60)) * time.Second)
	switch {
	case part == 0:
		return at.Format(time.DateOnly), true
	case whole == 0:
		return at.Format(time.TimeOnly), true
	}
	return at.Format(time.DateTime), true
}
