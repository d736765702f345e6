package sheet

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"ativa/internal/api"
	"ativa/internal/sheet/columns"
	"ativa/internal/sheet/names"
	"ativa/internal/system"
)

// Column is one column of a file.
type Column struct {
	Number int // counts from 1
	Name   string
	// Field is the API's name of the field that the column holds, [columns.FieldIgnore] for a
	// known column that is not needed, and "" for an unknown one.
	Field string

	reading  columns.Reading
	fallback bool     // see [columns.Alias]
	product  *meaning // of a column named like a product
}

// isRead reports whether the column holds a field.
func (c Column) isRead() bool { return c.Field != "" && c.Field != columns.FieldIgnore }

// label returns the user's name for the column: its name, else its number.
func (c Column) label() string { return cmp.Or(c.Name, number(c.Number)) }

// quoted returns the label in quotes, for a sentence and as a shell reads it.
func (c Column) quoted() string { return quoteName(c.label()) }

// quoteName quotes the name of a column or a sheet: in double quotes, which every shell accepts,
// unless the name has characters special within them.
func quoteName(name string) string {
	if strings.ContainsAny(name, "\"$`\\!") {
		return system.ShellQuote(name)
	}
	return `"` + name + `"`
}

// layout assigns a field to every column.
type layout struct {
	profile Profile
	aliases columns.Index
	columns []Column
	mapped  []string // fields that the user mapped
	known   int      // columns whose names are aliases
	notices []Problem
}

func newLayout(names []string, o Options, aliases columns.Index) (*layout, error) {
	l := &layout{profile: o.Profile, aliases: aliases, columns: make([]Column, len(names))}
	for i, name := range names {
		l.columns[i] = Column{Number: i + 1, Name: name}
	}
	for _, m := range o.Map {
		if err := l.mapColumn(m); err != nil {
			return nil, err
		}
	}
	var saved []Mapping
	for _, m := range o.Saved {
		if l.applies(m) {
			saved = append(saved, m)
		}
	}
	for _, m := range saved {
		if err := l.mapColumn(m); err != nil {
			return nil, err
		}
		l.noticeSaved(m)
	}
	for i := range l.columns {
		l.recognise(&l.columns[i])
	}
	l.leaveOutFallbacks()
	l.joinSurname()
	return l, nil
}

// applies reports whether a saved mapping applies: the file has its column, and Options.Map has mapped
// neither the column nor the field.
func (l *layout) applies(saved Mapping) bool {
	at := l.named(saved.Column)
	if len(at) == 0 || l.columns[at[0]].Field != "" {
		return false
	}
	return saved.Field == columns.FieldIgnore || l.profile.wants(saved.Field) && !slices.Contains(l.mapped, saved.Field)
}

// mapColumn applies the user's mapping to the column with that name, else with that number. Several
// columns with the name are left out or, if the field allows it, read together.
func (l *layout) mapColumn(m Mapping) error {
	at := l.named(m.Column)
	if n, err := strconv.Atoi(m.Column); len(at) == 0 && err == nil && n >= 1 && n <= len(l.columns) {
		at = []int{n - 1}
	}
	if len(at) == 0 || m.Column == "" {
		return &Problem{Code: CodeNoSuchColumn, Args: map[string]string{"column": m.Column, "found": l.quoted(l.columns)}}
	}
	if len(at) > 1 && m.Field != columns.FieldIgnore && l.profile.maxColumns(l.aliases.Find(m.Field)) == 1 {
		numbers := make([]string, len(at))
		for i, place := range at {
			numbers[i] = number(place + 1)
		}
		return &Problem{Code: CodeSameName, Field: m.Field, Args: map[string]string{
			"column": quoteName(m.Column), "numbers": strings.Join(numbers, ", "), "first": numbers[0]}}
	}
	for _, place := range at {
		c := &l.columns[place]
		if c.Field != "" && c.Field != m.Field {
			return &Problem{Code: CodeTwoFields, Field: m.Field, Args: map[string]string{"column": c.quoted(), "other": c.Field}}
		}
		c.Field = m.Field
		if a := l.aliases.Find(c.Name); a != nil && a.Field == m.Field {
			c.reading = a.Reading
		}
	}
	l.mapped = append(l.mapped, m.Field)
	return nil
}

// noticeSaved adds the notice of an applied mapping from earlier files.
func (l *layout) noticeSaved(m Mapping) {
	n := Problem{Code: NoticeSavedColumn, Field: m.Field, Args: map[string]string{"column": quoteName(m.Column)}}
	if m.Field == columns.FieldIgnore {
		n.Code = NoticeSavedIgnore
	}
	l.notices = append(l.notices, n)
}

// named returns the indexes of the columns with the name, ignoring case and accents if none matches
// exactly.
func (l *layout) named(name string) []int {
	var exact, folded []int
	for i, c := range l.columns {
		if c.Name == name && name != "" {
			exact = append(exact, i)
		}
		if names.Fold(c.Name) == names.Fold(name) && names.Fold(c.Name) != "" {
			folded = append(folded, i)
		}
	}
	if exact != nil {
		return exact
	}
	return folded
}

func (l *layout) recognise(c *Column) {
	a := l.aliases.Find(c.Name)
	if l.profile == Invoice && columns.AmbiguousNames()[names.Fold(c.Name)] != nil { // an invoice has no plans
		a = l.aliases.Find(api.FieldProductsIDs)
	}
	if a != nil {
		l.known++
	}
	switch {
	case c.Field != "" || a == nil:
	case a.Field == columns.FieldStatus && l.profile == Documents:
		l.leaveOut(c, NoticeStatusColumn)
	case !l.profile.wants(a.Field) || slices.Contains(l.mapped, a.Field):
		c.Field = columns.FieldIgnore
	default:
		c.Field, c.reading, c.fallback = a.Field, a.Reading, a.Fallback
	}
}

func (l *layout) columnsOf(field string) []Column {
	var found []Column
	for _, c := range l.columns {
		if c.Field == field {
			found = append(found, c)
		}
	}
	return found
}

// check returns an error if the header has too many columns for a field, or too few.
func (l *layout) check() error {
	for _, a := range columns.Aliases() {
		if columns := l.columnsOf(a.Field); len(columns) > l.profile.maxColumns(&a) {
			return &Problem{Code: CodeAmbiguousColumn, Field: a.Field, Args: map[string]string{"found": l.quoted(columns)}}
		}
	}
	missing := l.missing()
	if len(missing) == 0 {
		return nil
	}
	unknown := l.columnsOf("")
	for _, c := range unknown {
		if field, close := l.aliases.Suggest(c.Name); close && len(missing) == 1 && field == missing[0] {
			return unclearColumn(c, field)
		}
	}
	return l.missingColumn(missing...)
}

// missingColumn returns the error of a file without columns for the fields.
func (l *layout) missingColumn(fields ...string) error {
	unused := l.columnsOf("")
	if l.profile == Invoice { // the missing one may be a column of other files
		unused = append(unused, l.columnsOf(columns.FieldIgnore)...)
	}
	return &Problem{Code: CodeMissingColumn, Field: fields[0], Args: map[string]string{
		"fields": strings.Join(fields, ", "), "found": l.quoted(unused)}}
}

func (l *layout) missing() []string {
	return slices.DeleteFunc(l.profile.required(), func(field string) bool { return len(l.columnsOf(field)) > 0 })
}

// resolve assigns the columns that no alias matches, once the products are known, and returns notices
// about those left out.
func (l *layout) resolve(p *products) (notices []Problem, err error) {
	if l.profile.onlyDocuments() { // nothing else is read
		return nil, nil
	}
	for i := range l.columns {
		c := &l.columns[i]
		if c.Field != "" || trim(c.Name) == "" {
			continue
		}
		args := map[string]string{"column": c.quoted()}
		if product := p.forColumn(c.Name); product != nil {
			c.Field, c.product = api.FieldProductsIDs, product
			notices = append(notices, Problem{Code: NoticeProductColumn, Column: c.Number, Name: c.Name, Field: c.Field, Args: args})
			continue
		}
		fields, close := l.candidates(c.Name)
		switch {
		case len(fields) > 0 && close:
			return nil, unclearColumn(*c, fields...)
		case len(fields) > 0:
			notices = append(notices, Problem{Code: NoticeSimilarColumn, Column: c.Number, Name: c.Name, Field: fields[0], Args: args})
		default:
			notices = append(notices, Problem{Code: NoticeUnknownColumn, Column: c.Number, Name: c.Name, Args: args})
		}
	}
	if l.profile == Invoice && len(l.columnsOf(api.FieldProductsIDs)) == 0 {
		return nil, l.missingColumn(api.FieldProductsIDs)
	}
	return notices, nil
}

// candidates returns the fields without a column that an unknown column may be meant for. close is
// as in [columns.Index.Suggest].
func (l *layout) candidates(name string) (fields []string, close bool) {
	if l.aliases.MayBeStatus(name) && l.profile.wants(columns.FieldStatus) { // even if another column is the status
		return []string{columns.FieldStatus}, true
	}
	fields, close = columns.AmbiguousNames()[names.Fold(name)], true
	if fields == nil {
		var field string
		field, close = l.aliases.Suggest(name)
		fields = []string{field}
	}
	return slices.DeleteFunc(slices.Clone(fields), func(field string) bool {
		has := func(c Column) bool { return c.Field == field && c.product == nil } // a column of one product replaces none of products
		return field == "" || !l.profile.wants(field) || slices.ContainsFunc(l.columns, has)
	}), close
}

// unclearColumn returns the error for a column that may be meant for one of the fields.
func unclearColumn(c Column, fields ...string) *Problem {
	var flags []string
	for _, field := range fields {
		flags = append(flags, "--map "+field+"="+c.quoted())
	}
	return &Problem{Code: CodeUnclearColumn, Field: fields[0], Args: map[string]string{
		"column": c.quoted(), "fields": strings.Join(fields, ", "), "flags": strings.Join(flags, ", ")}}
}

// quoted lists column names for a message, with their numbers if a name occurs twice.
func (l *layout) quoted(columns []Column) string {
	names := make([]string, 0, len(columns))
	for _, c := range columns {
		name := quoteName(c.Name)
		if len(l.named(c.Name)) > 1 {
			name += " (" + number(c.Number) + ")"
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// leaveOutFallbacks leaves out the fallback columns of fields that have a better one.
func (l *layout) leaveOutFallbacks() {
	for i := range l.columns {
		c := &l.columns[i]
		better := func(other Column) bool { return other.Field == c.Field && !other.fallback }
		if c.fallback && slices.ContainsFunc(l.columns, better) {
			l.leaveOut(c, NoticeSimilarColumn)
		}
	}
}

// joinSurname joins a surname to a column of first names. A surname that the user mapped is joined
// to any name; next to a column of full names it is left out.
func (l *layout) joinSurname() {
	firsts, surnames := l.columnsOf(api.FieldName), l.columnsOf(columns.FieldSurname)
	if len(firsts) != 1 || len(surnames) != 1 {
		return
	}
	c := &l.columns[surnames[0].Number-1]
	if !slices.Contains(l.mapped, columns.FieldSurname) && !slices.Contains(firstNames(), names.Fold(firsts[0].Name)) {
		l.leaveOut(c, NoticeSimilarColumn)
		return
	}
	l.notices = append(l.notices, Problem{Code: NoticeJoinedColumns, Column: c.Number, Name: c.Name, Field: api.FieldName,
		Args: map[string]string{"first": firsts[0].quoted(), "second": c.quoted()}})
}

// firstNames returns the folded names of columns that need not hold the whole name.
func firstNames() []string {
	return []string{"name", "nome", "primeironome", "prenome", "firstname", "givenname"}
}

// leaveOut leaves a column out and adds a notice.
func (l *layout) leaveOut(c *Column, notice string) {
	l.notices = append(l.notices, Problem{Code: notice, Column: c.Number, Name: c.Name, Field: c.Field,
		Args: map[string]string{"column": c.quoted()}})
	c.Field = columns.FieldIgnore
}
