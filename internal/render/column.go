package render

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Kind says what a column holds, and so how a table shows it.
type Kind int

// The kinds.
const (
	// Text is shown as it is and is the first to be cut.
	Text Kind = iota
	// Number stands on the right.
	Number
	// Document is a CPF, masked in tables.
	Document
	// Phone is a telephone number, which CSV does not take for a formula.
	Phone
	// Status is coloured when it is a known one, and said as a Word.
	Status
	// Word is one of a few words, which a table says in the person's language.
	Word
	// Time is RFC 3339, shown in tables in the zone of the options.
	Time
)

// Column is one column of a list of T.
type Column[T any] struct {
	// Name is what --columns and --sort call it, and the header of CSV and
	// TSV. It is never translated.
	Name string
	// Title heads it in a table; empty is Name.
	Title string
	Kind  Kind
	// Extra leaves it out unless --columns names it.
	Extra bool
	// Value is its text for a row, whole and as the API has it.
	Value func(T) string
}

// Schema is what there is to know of a kind of thing before any is there.
type Schema[T any] struct {
	// One and Many are the names under which the API's answers carry one and
	// many: "subscriber" and "subscribers". Without One the object is the
	// document, without Many the array is.
	One, Many string
	// Columns are all that can be asked for; the first identifies a row and is
	// what the format name prints.
	Columns []Column[T]
	// JSON is the object as the API sent it, so that no field is lost. Nil
	// encodes the row itself.
	JSON func(T) json.RawMessage
}

func (s Schema[T]) encodeObject(row T) (json.RawMessage, error) {
	if s.JSON != nil {
		return s.JSON(row), nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(row)
	return b.Bytes(), err
}

func (s Schema[T]) names() []string {
	names := make([]string, len(s.Columns))
	for i, c := range s.Columns {
		names[i] = c.Name
	}
	return names
}

func (s Schema[T]) column(option, name string) (Column[T], error) {
	i := slices.IndexFunc(s.Columns, func(c Column[T]) bool { return c.Name == name })
	if i < 0 {
		return Column[T]{}, &OptionError{Option: option, Value: name, Known: s.names()}
	}
	return s.Columns[i], nil
}

// selectColumns is the columns to show: those named, or those that are not extra.
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
