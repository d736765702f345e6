package render

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"ativa/internal/lang"
)

// Kind is the kind of a column's values, which decides how a table shows them.
type Kind int

// The kinds.
const (
	// Text is cut at its end if it does not fit.
	Text Kind = iota
	// Number is aligned to the right.
	Number
	// Document is a CPF, masked in tables.
	Document
	// Phone is a telephone number. CSV does not treat its + as a formula.
	Phone
	// Status is a Word that is coloured if it is known.
	Status
	// Word is one of a few words, translated in tables.
	Word
	// Time is RFC 3339, shown in tables as Options.TimeText and Options.Zone say.
	Time
	// Path is a file or an address: it is cut at its start.
	Path
	// Prose is a sentence. It is wrapped in a card and in a table of one row; a table of several
	// rows cuts it, so that each takes one line.
	Prose
	// Cause is why something failed, in the words of a system or a library: tables
	// show it in plain words.
	Cause
	// Codes are several words as the user types them, separated by spaces. A card shows the
	// translation of each next to it.
	Codes
	// Statuses are the statuses of several things, as "play-basic: active, music: suspend", each
	// of them a Status. A card has a line for each; a table leaves out the things if they do not
	// fit.
	Statuses
)

// Column is one column of a list of T.
type Column[T any] struct {
	// Name is the name for --columns and --sort and the header of CSV and TSV.
	// It is never translated.
	Name string
	// Title is the header in a table; empty means Name.
	Title string
	Kind  Kind
	// Extra hides the column unless --columns names it.
	Extra bool
	// ForPrograms hides the column on a terminal unless --columns names it, because another column
	// says the same in words.
	ForPrograms bool
	// Usual is the width of the column in a followed list, whose rows come one by one; 0 means the
	// width of its title. In other lists, columns with a priority below 1 are left out before
	// one of a higher priority becomes narrower than this.
	Usual int
	// Priority decides which columns are narrowed on a narrow terminal: those of the lowest
	// priority first. If that is not enough, columns with a priority below 1 are left out, the
	// lowest first.
	Priority int
	// Min is the width below which the column is not narrowed; 0 means its kind's. Columns of a
	// kind without one, and the column that identifies a row, are shown whole.
	Min int
	// Value returns the value for a row, as the API writes it.
	Value func(T) string
	// Short returns what a table on a terminal shows instead; nil means Value.
	Short func(T) string
}

func (c Column[T]) portugueseTitle() string {
	return lang.Portuguese.Text(cmp.Or(c.Title, strings.ReplaceAll(c.Name, "_", " ")))
}

// ColumnsOf converts columns of a part of each row to columns of the row.
func ColumnsOf[T, Part any](columns []Column[Part], part func(T) Part) (all []Column[T]) {
	for _, c := range columns {
		var short func(T) string
		if c.Short != nil {
			short = func(row T) string { return c.Short(part(row)) }
		}
		all = append(all, Column[T]{Name: c.Name, Title: c.Title, Kind: c.Kind, Extra: c.Extra, ForPrograms: c.ForPrograms, Usual: c.Usual,
			Priority: c.Priority, Min: c.Min, Value: func(row T) string { return c.Value(part(row)) }, Short: short})
	}
	return all
}

// Schema describes how values of type T are written.
type Schema[T any] struct {
	// One and Many are the names of the fields of a response that contain one
	// row and a list: "subscriber" and "subscribers". If One is empty, the
	// object is the document; if Many is empty, the array is.
	One, Many string
	// Columns are all columns. The first identifies a row and is written by the format name
	// without Name.
	Columns []Column[T]
	// Name is the name of the column that the format name writes; empty means the first.
	Name string
	// Order is the name of the column by which a table on a terminal is sorted without
	// Options.Sort; empty means the order of the source.
	Order string
	// Empty is the text for a list without rows, such as "no subscribers". If it is empty, nothing
	// is printed.
	Empty string
	// JSON returns the object as the API sent it, so that no field is lost.
	JSON func(T) json.RawMessage
}

func (s Schema[T]) names() []string {
	names := make([]string, len(s.Columns))
	for i, c := range s.Columns {
		names[i] = c.Name
	}
	return names
}

// column returns the column with a name or, in any case, a title in a language. The error is a usage error
// about the option.
func (s Schema[T]) column(option, name string) (Column[T], error) {
	if len(s.Columns) == 0 {
		return Column[T]{}, wrongOption(option, lang.Msg("this command prints no columns"))
	}
	i := slices.IndexFunc(s.Columns, func(c Column[T]) bool { return c.Name == name })
	if i < 0 {
		i = slices.IndexFunc(s.Columns, func(c Column[T]) bool {
			titles := []string{c.Name, strings.ReplaceAll(c.Name, "_", " "), c.Title, c.portugueseTitle()}
			return slices.ContainsFunc(titles, func(title string) bool { return strings.EqualFold(title, name) })
		})
	}
	if i < 0 || name == "" {
		return Column[T]{}, unknownValue(option, name, s.names())
	}
	return s.Columns[i], nil
}

// selectColumns returns the named columns, or all that are not extra if no names are given.
func (s Schema[T]) selectColumns(names []string) ([]Column[T], error) {
	var out []Column[T]
	for _, name := range names {
		c, err := s.column("--columns", strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	if len(names) > 0 {
		return out, nil
	}
	for _, c := range s.Columns {
		if !c.Extra {
			out = append(out, c)
		}
	}
	return out, nil
}

// columnInfo is a column that is shown.
type columnInfo struct {
	Column[any]
	key   bool // identifies a row
	asked bool // named by --columns
}

// leastWidth is the width below which a table does not narrow the column, unless the
// screen leaves no choice.
func (f columnInfo) leastWidth() int {
	const text, path, prose, statuses = 10, 16, 20, 40
	switch {
	case f.Min > 0:
		return f.Min
	case f.key:
	case f.Kind == Text, f.Kind == Codes:
		return text
	case f.Kind == Path:
		return path
	case f.Kind == Prose, f.Kind == Cause:
		return prose
	case f.Kind == Statuses:
		return statuses
	}
	return math.MaxInt
}

// usualWidth is the width below which a table narrows the column only when no column is left to
// omit.
func (f columnInfo) usualWidth() int {
	if f.mayBeLeftOut() {
		return f.leastWidth()
	}
	return max(f.leastWidth(), f.Usual)
}

// mayBeLeftOut reports whether a table may omit the column if it does not fit.
func (f columnInfo) mayBeLeftOut() bool { return !f.key && !f.asked && f.Priority < 1 }

// leastOnNarrowScreen is leastWidth on screens that show cards: statuses stay whole.
func (f columnInfo) leastOnNarrowScreen() int {
	if f.Kind == Statuses {
		return math.MaxInt
	}
	return f.leastWidth()
}
