package csvfile

import (
	"slices"

	"ativa/internal/api"
)

// dates refuses the cells of a row that are shown as dates: no field of a
// subscriber is one, so a spreadsheet made it of what was typed. Of telephone
// columns another may hold a valid number.
func (k *checker) dates(row *Row, r record, cells cells) {
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
			Code: CodeSpreadsheetDate, Value: trim(cells.of(c))})
	}
}
