package render

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"ativa/internal/failure"
	"ativa/internal/lang"
)

// The formats of --output.
const (
	FormatTable = "table"
	FormatJSON  = "json"
	FormatJSONL = "jsonl"
	FormatCSV   = "csv"
	FormatTSV   = "tsv"
	FormatYAML  = "yaml"
	FormatName  = "name"
)

// Formats lists the formats in the order in which help shows them.
func Formats() []string {
	return []string{FormatTable, FormatJSON, FormatJSONL, FormatCSV, FormatTSV, FormatYAML, FormatName}
}

// Options are the user's choices. The zero value writes TSV to a pipe.
type Options struct {
	// Format is one of Formats. Empty means a table on a terminal and TSV
	// otherwise, JSON with JQ or Template, CSV with Excel.
	Format string
	// Columns are the names of the columns to show, in that order. Empty means
	// those that are not Extra.
	Columns []string
	// Sort is a column's name, optionally followed by :asc or :desc. Sorting
	// needs all rows in memory.
	Sort     string
	NoHeader bool
	// JQ is a jq filter for the document of json or for each line of jsonl.
	JQ string
	// Template is a text/template for the same.
	Template string
	// Excel writes CSV with a byte order mark, semicolons, and punctuation in
	// documents and telephone numbers, so that Excel keeps them as text.
	Excel bool
	// Titles writes the titles of the columns as the header of CSV, not their names.
	Titles bool
	// ShowDocuments disables the masking of documents in tables.
	ShowDocuments bool
	// Live writes each row at once, for a list without end. It disables the
	// buffering that computes widths, and the pager.
	Live bool
	// OnEmpty is called once for a list without rows that is written as columns;
	// nil does nothing.
	OnEmpty func()
	// Limit is the maximum number of rows of a list; 0 means all. OnMore is called once for a list
	// that has more; nil does nothing.
	Limit  int
	OnMore func()
	// OnLeftOut is called with the titles of the columns that a terminal was too narrow
	// for; nil does nothing.
	OnLeftOut func(titles []string)
	// OnCut is called with the titles of the columns whose remarks were cut; nil does nothing.
	OnCut func(titles []string)
	// OnWhole is called whenever all that was to be printed has been written; nil
	// does nothing.
	OnWhole func()
	// TimeText returns times in tables on a terminal; nil means date and time.
	TimeText func(time.Time) string
	// Zone is the time zone of times in other tables; nil means UTC. Other
	// formats do not change times.
	Zone *time.Location
	// TranslateWord translates the values of columns of the kinds Status and
	// Word in tables; nil leaves them unchanged. Other formats never translate.
	TranslateWord func(kind Kind, word string) string
	// Screen describes the output; the zero value is a pipe.
	Screen Screen
	// Pager is the command, with its arguments, that shows long output on a
	// terminal. Empty means none.
	Pager string
}

// OptionError is an invalid option. Nothing has been written.
type OptionError struct {
	// Option is the flag, such as --columns.
	Option string
	// Value is its value, or empty.
	Value string
	// Known lists the valid values, if the value is not one of them.
	Known []string
	// Reason says what is wrong otherwise. With Args it is a format.
	Reason string
	Args   []any
}

// Error returns the flag, the value, and the valid values or the reason.
func (e *OptionError) Error() string { return e.Text(lang.English) }

// Text returns the same in a language.
func (e *OptionError) Text(l lang.Language) string {
	switch {
	case len(e.Args) > 0:
		return e.Option + ": " + l.Textf(e.Reason, e.Args...)
	case e.Reason != "":
		return e.Option + ": " + l.Text(e.Reason)
	}
	return l.Textf("%s: there is no %q, but %s", e.Option, e.Value, strings.Join(e.Known, ", "))
}

// Outcome is that of a usage error.
func (e *OptionError) Outcome() failure.Outcome {
	return failure.Outcome{Exit: failure.ExitUsage, Code: "usage", Hint: lang.Msg("see `ativa help formatting`")}
}

// Check returns an *OptionError if the options are incompatible.
func (o Options) Check() error {
	_, err := o.resolve()
	return err
}

// resolve returns o with defaults for what is not set, or an *OptionError.
func (o Options) resolve() (Options, error) {
	o.Format = cmp.Or(o.Format, o.defaultFormat())
	o.Zone = cmp.Or(o.Zone, time.UTC)
	if o.TranslateWord == nil {
		o.TranslateWord = func(_ Kind, word string) string { return word }
	}
	if !slices.Contains(Formats(), o.Format) {
		return o, &OptionError{Option: "--output", Value: o.Format, Known: Formats()}
	}
	document := o.Format == FormatJSON || o.Format == FormatJSONL
	switch {
	case o.JQ != "" && o.Template != "":
		return o, &OptionError{Option: "--template", Reason: "cannot go together with --jq"}
	case o.JQ != "" && !document:
		return o, &OptionError{Option: "--jq", Reason: "needs --output json or jsonl, not %s", Args: []any{o.Format}}
	case o.Template != "" && !document:
		return o, &OptionError{Option: "--template", Reason: "needs --output json or jsonl, not %s", Args: []any{o.Format}}
	case o.Excel && o.Format != FormatCSV:
		return o, &OptionError{Option: "--excel", Reason: "needs --output csv, not %s", Args: []any{o.Format}}
	case len(o.Columns) > 0 && (document || o.Format == FormatYAML):
		return o, &OptionError{Option: "--columns", Reason: "a document of --output %s has no columns; choose fields with --jq", Args: []any{o.Format}}
	}
	return o, nil
}

func (o Options) defaultFormat() string {
	switch {
	case o.JQ != "", o.Template != "":
		return FormatJSON
	case o.Excel:
		return FormatCSV
	case o.Screen.Terminal:
		return FormatTable
	default:
		return FormatTSV
	}
}
