package csvfile

import (
	"strings"

	"ativa/internal/api"
	"ativa/internal/cpf"
)

// swapped finds two columns that hold each other's values, which shows in the
// share of rows where they do. It looks at wrong rows only: a right row cannot
// be swapped.
type swapped struct {
	columns []Column
	// looks counts cells that look like another field than their column's.
	looks map[look]int
}

type look struct {
	column int
	field  string
}

// recognisable are the fields whose values tell what they are.
var recognisable = map[string]func(string) bool{
	api.FieldName:  func(s string) bool { return s != "" && !strings.ContainsAny(s, "0123456789@") },
	api.FieldEmail: func(s string) bool { return strings.Contains(s, "@") && !strings.Contains(s, " ") },
	api.FieldDocument: func(s string) bool {
		_, _, bad := mendDocument(s)
		return bad == ""
	},
	api.FieldPhone: func(s string) bool {
		_, err := cpf.ParsePhone(s)
		return err == nil
	},
}

func newSwapped(columns []Column) *swapped {
	s := &swapped{looks: map[look]int{}}
	for _, c := range columns {
		if recognisable[c.Field] != nil {
			s.columns = append(s.columns, c)
		}
	}
	return s
}

func (s *swapped) row(row cells) {
	for _, c := range s.columns {
		value, _ := clean(row.of(c))
		for field, looks := range recognisable {
			if field != c.Field && looks(value) {
				s.looks[look{c.Number, field}]++
			}
		}
	}
}

// found names the two columns when they are swapped in at least half of the
// rows, and nothing of the file is to be believed then.
func (s *swapped) found(rows int) *Problem {
	for i, a := range s.columns {
		for _, b := range s.columns[i+1:] {
			n := min(s.looks[look{a.Number, b.Field}], s.looks[look{b.Number, a.Field}])
			if a.Field == b.Field || n < 2 || n*2 < rows {
				continue
			}
			return &Problem{Code: CodeSwappedColumns, Args: map[string]string{
				"first": a.label(), "second": b.label(), "firstField": a.Field, "secondField": b.Field,
				"share": number(n * 100 / rows)}}
		}
	}
	return nil
}
