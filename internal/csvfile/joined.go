package csvfile

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ativa/internal/api"
)

// leaveSpares leaves out the second-best columns of fields that have a better
// one.
func (l *layout) leaveSpares() {
	for i := range l.columns {
		c := &l.columns[i]
		better := func(other Column) bool { return other.Field == c.Field && !other.spare }
		if c.spare && slices.ContainsFunc(l.columns, better) {
			l.leave(c)
		}
	}
}

// joinSurname joins a surname to a column of first names. One that the user
// mapped is joined to any; beside a name that is whole it is left out.
func (l *layout) joinSurname() {
	names, surnames := l.of(api.FieldName), l.of(FieldSurname)
	if len(names) != 1 || len(surnames) != 1 {
		return
	}
	c := &l.columns[surnames[0].Number-1]
	if !slices.Contains(l.mapped, FieldSurname) && !slices.Contains(firstNames(), fold(names[0].Name)) {
		l.leave(c)
		return
	}
	l.notices = append(l.notices, Problem{Code: NoticeJoinedColumns, Column: c.Number, Name: c.Name, Field: api.FieldName,
		Args: map[string]string{"first": strconv.Quote(names[0].Name), "second": strconv.Quote(c.Name)}})
}

// firstNames are the folded names of columns that need not hold the whole name.
func firstNames() []string {
	return []string{"name", "nome", "primeironome", "prenome", "firstname", "givenname"}
}

// leave leaves a column out and says so.
func (l *layout) leave(c *Column) {
	l.notices = append(l.notices, Problem{Code: NoticeSimilarColumn, Column: c.Number, Name: c.Name, Field: c.Field,
		Args: map[string]string{"found": strconv.Quote(c.Name)}})
	c.Field = FieldIgnore
}

// surname puts the rest of a name behind it, unless it stands there already.
func (k *checker) surname(row *Row, cells cells) {
	if row.Name == "" || len(k.columns[FieldSurname]) == 0 {
		return
	}
	rest := k.text(row, cells, FieldSurname, maxName)
	if rest == "" || slices.Equal(lastWords(row.Name, len(strings.Fields(rest))), foldWords(rest)) {
		return
	}
	if row.Name += " " + rest; utf8.RuneCountInString(row.Name) > maxName {
		row.fail(k.column(api.FieldName), row.Name, fault{CodeTooLong, map[string]string{"max": number(maxName)}})
		row.Name = ""
	}
}

// lastWords is the last n words of a name, folded.
func lastWords(name string, n int) []string {
	words := foldWords(name)
	return words[max(0, len(words)-n):]
}

// area is the area code that a column of its own has for the i-th telephone
// number, or "". One such column is for all numbers, several are for one each.
func (k *checker) area(cells cells, i int) string {
	columns := k.columns[FieldAreaCode]
	switch n := len(columns); {
	case n == 0 || n > 1 && n != len(k.columns[api.FieldPhone]):
		return ""
	case n == 1:
		i = 0
	}
	area, _ := clean(cells.of(columns[i]))
	area = strings.Trim(area, "() ")
	if digits, ok := decimalTail(area); ok {
		area = digits
	}
	if area = strings.TrimPrefix(area, "0"); len(area) != 2 || !digitsOnly(area) {
		return ""
	}
	return area
}
