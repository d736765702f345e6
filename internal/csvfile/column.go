package csvfile

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// MaxColumns is how many columns one field may have, where it may have
// several.
const MaxColumns = 5

// Column is one column of a file.
type Column struct {
	// Number counts from 1.
	Number int
	Name   string
	// Field is the API's name of what it holds, [FieldIgnore] for a column that
	// is known and not needed, and "" for one that is not known.
	Field string

	reading reading
	spare   bool // as Alias has it
}

// label is what the user knows the column by.
func (c Column) label() string { return cmp.Or(c.Name, number(c.Number)) }

// layout gives every column its field.
type layout struct {
	profile Profile
	aliases aliasIndex
	columns []Column
	mapped  []string // fields that the user mapped
	known   int      // columns whose names are aliases
	notices []Problem
}

func newLayout(names []string, o Options, aliases aliasIndex) (*layout, error) {
	l := &layout{profile: o.Profile, aliases: aliases, columns: make([]Column, len(names))}
	for i, name := range names {
		l.columns[i] = Column{Number: i + 1, Name: name}
	}
	for _, m := range o.Map {
		if err := l.mapColumn(m); err != nil {
			return nil, err
		}
	}
	said := slices.Clone(l.mapped)
	for _, m := range o.Saved {
		if !slices.Contains(said, m.Field) && l.named(m.Column) >= 0 {
			if err := l.mapColumn(m); err != nil {
				return nil, err
			}
		}
	}
	for i := range l.columns {
		l.recognise(&l.columns[i])
	}
	l.leaveSpares()
	l.joinSurname()
	return l, nil
}

// mapColumn obeys the user: a column by its name, else by its number.
func (l *layout) mapColumn(m Mapping) error {
	at := l.named(m.Column)
	if n, err := strconv.Atoi(m.Column); at < 0 && err == nil && n >= 1 && n <= len(l.columns) {
		at = n - 1
	}
	if at < 0 || m.Column == "" {
		return &Problem{Code: CodeNoSuchColumn, Args: map[string]string{"column": m.Column, "found": quoted(l.columns)}}
	}
	c := &l.columns[at]
	c.Field = m.Field
	if a := l.aliases.find(c.Name); a != nil && a.Field == m.Field {
		c.reading = a.reading
	}
	l.mapped = append(l.mapped, m.Field)
	return nil
}

// named is the place of the column of that name, or -1.
func (l *layout) named(name string) int {
	at := slices.IndexFunc(l.columns, func(c Column) bool { return c.Name == name })
	if at < 0 {
		at = slices.IndexFunc(l.columns, func(c Column) bool { return fold(c.Name) == fold(name) && fold(c.Name) != "" })
	}
	return at
}

func (l *layout) recognise(c *Column) {
	a := l.aliases.find(c.Name)
	if a != nil {
		l.known++
	}
	switch {
	case c.Field != "" || a == nil:
	case !l.profile.wants(a.Field) || slices.Contains(l.mapped, a.Field):
		c.Field = FieldIgnore
	default:
		c.Field, c.reading, c.spare = a.Field, a.reading, a.Spare
	}
}

// of lists the columns of a field.
func (l *layout) of(field string) []Column {
	var found []Column
	for _, c := range l.columns {
		if c.Field == field {
			found = append(found, c)
		}
	}
	return found
}

// check finds what is missing, doubled or unclear, and what to say about the
// columns that are left out.
func (l *layout) check() (notices []Problem, err error) {
	notices = slices.Clone(l.notices)
	for _, a := range Aliases() {
		most := 1
		if a.Several {
			most = MaxColumns
		}
		if columns := l.of(a.Field); len(columns) > most {
			return nil, &Problem{Code: CodeAmbiguousColumn, Field: a.Field, Args: map[string]string{"found": quoted(columns)}}
		}
	}
	unknown := l.of("")
	for _, c := range unknown {
		if l.profile == Documents { // nothing else is read
			break
		}
		field, close := l.aliases.suggest(c.Name)
		if field != "" && (!l.profile.wants(field) || len(l.of(field)) > 0) {
			field = ""
		}
		args := map[string]string{"found": strconv.Quote(c.Name)}
		switch {
		case field != "" && close:
			return nil, &Problem{Code: CodeUnclearColumn, Field: field, Args: args}
		case field != "":
			notices = append(notices, Problem{Code: NoticeSimilarColumn, Column: c.Number, Name: c.Name, Field: field, Args: args})
		case c.Name != "":
			notices = append(notices, Problem{Code: NoticeUnknownColumn, Column: c.Number, Name: c.Name, Args: args})
		}
	}
	for _, field := range l.profile.needs() {
		if len(l.of(field)) == 0 {
			return nil, &Problem{Code: CodeMissingColumn, Field: field, Args: map[string]string{"found": quoted(unknown)}}
		}
	}
	return notices, nil
}

// quoted lists column names for a message.
func quoted(columns []Column) string {
	names := make([]string, 0, len(columns))
	for _, c := range columns {
		names = append(names, strconv.Quote(c.Name))
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
