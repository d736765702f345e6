package csvfile

import (
	"math"
	"slices"
	"strconv"
	"time"

	"ativa/internal/api"
)

// lastDay is the number of 31 December 9999. What is above is shown as no date,
// whatever its format: a CPF in a column of dates is still there whole.
const lastDay = 2958465

// day is how a cell that is shown as a date is written: as 2025-10-05, with the
// time of day where there is one, and the time alone where there is no day. ok
// is false when the number is no date.
func (s *styles) day(v string) (text string, ok bool) {
	n, err := strconv.ParseFloat(v, 64)
	if err != nil || n < 0 || n >= lastDay+1 {
		return "", false
	}
	const leapDay = 60 // 29 February 1900, which spreadsheets believe in
	start := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case s.since1904:
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

// dates refuses the cells of a row that are shown as dates: no field of a
// subscriber is one, so a spreadsheet made it of what was typed. Of telephone
// columns another may hold a valid number.
func (k *checker) dates(row *Row, r record, text []byte) {
	for _, n := range r.dates {
		if n > len(k.file.Columns) {
			continue
		}
		c := k.file.Columns[n-1]
		switch c.Field {
		case "", FieldIgnore:
			continue
		case api.FieldName:
			row.Name = ""
		case api.FieldCustomerPlan:
			row.CustomerPlan = ""
		case api.FieldDocument:
			row.document, row.Document = "", ""
		case api.FieldPhone:
			if row.Phone != "" {
				continue
			}
		}
		row.Problems = slices.DeleteFunc(row.Problems, func(p Problem) bool { return p.Column == n })
		row.Problems = append(row.Problems, Problem{Line: row.Line, Column: n, Name: c.Name, Field: c.Field,
			Code: CodeSpreadsheetDate, Value: split(text, k.file.Dialect.Delimiter)[n-1]})
	}
}
