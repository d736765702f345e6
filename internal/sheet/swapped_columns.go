package sheet

import (
	"strings"

	"ativa/internal/api"
	"ativa/internal/cpf"
)

// swappedColumns detects two columns with each other's values, by the share of rows that have
// them. It only checks rows with problems: a valid row cannot be swapped.
type swappedColumns struct {
	columns []Column
	looks   map[looksLike]int // counts cells that look like another field than their column's
}

type looksLike struct {
	column int
	field  string
}

// recognisable maps each field with recognisable values to a test for them.
var recognisable = map[string]func(string) bool{
	api.FieldName:     func(s string) bool { return s != "" && !strings.ContainsAny(s, "0123456789@") },
	api.FieldEmail:    func(s string) bool { return strings.Contains(s, "@") && !strings.Contains(s, " ") },
	api.FieldDocument: isDocument,
	api.FieldPhone: func(s string) bool {
		_, err := cpf.ParsePhone(s)
		return err == nil
	},
}

func newSwappedColumns(columns []Column) *swappedColumns {
	s := &swappedColumns{looks: map[looksLike]int{}}
	for _, c := range columns {
		if recognisable[c.Field] != nil {
			s.columns = append(s.columns, c)
		}
	}
	return s
}

func (s *swappedColumns) add(row cells) {
	for _, c := range s.columns {
		value, _ := clean(row.of(c))
		for field, looks := range recognisable {
			if field != c.Field && looks(value) {
				s.looks[looksLike{c.Number, field}]++
			}
		}
	}
}

// problem returns the error if two columns are swapped in at least half of the rows: then nothing of
// the file can be trusted.
func (s *swappedColumns) problem(rows int) *Problem {
	for i, a := range s.columns {
		for _, b := range s.columns[i+1:] {
			n := min(s.looks[looksLike{a.Number, b.Field}], s.looks[looksLike{b.Number, a.Field}])
			if a.Field == b.Field || n < 2 || n*2 < rows {
				continue
			}
			return &Problem{Code: CodeSwappedColumns, Args: map[string]string{
				"first": a.quoted(), "second": b.quoted(), "firstField": a.Field, "secondField": b.Field,
				"share": number(n * 100 / rows)}}
		}
	}
	return nil
}
