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
	// ShowDocuments disables the masking of documents in tables.
	ShowDocuments bool
	// Live writes each row at once, for a list without end. It disables the
	// buffering that computes widths, and the pager.
	Live bool
	// OnEmpty is called once for a list without rows that is written as columns;
	// nil does nothing.
	OnEmpty func()
	// Limit is the maximum number of rows of a list; 0 means all. OnMore is called once if the
	// list has more; nil does nothing.
	Limit  int
	OnMore func()
	// OnLeftOut is called with the titles of the columns that did not fit on a terminal; nil does
	// nothing.
	OnLeftOut func(titles []string)
	// OnCut is called with the titles of the columns whose sentences were cut; nil does nothing.
	OnCut func(titles []string)
	// OnWhole is called whenever everything has been written; nil does nothing.
	OnWhole func()
	// TimeText returns times in tables on a terminal; nil means date and time.
	TimeText func(time.Time) string
	// Zone returns the time zone of times in other tables; nil means UTC. Other
	// formats do not change times.
	Zone func() *time.Location
	// Language is the language of the titles of a table.
	Language lang.Language
	// TranslateWord translates the values of columns of the kinds Status and
	// Word in tables; nil leaves them unchanged. Other formats never translate.
	TranslateWord func(kind Kind, word string) string
	// Screen describes the output; the zero value is a pipe.
	Screen Screen
	// Pager is the command, with its arguments, that shows long output on a
	// terminal. Empty means none.
	Pager string
}

// wrongOption returns the usage error of a flag. Nothing has been written.
func wrongOption(flag string, why lang.Message) error {
	return failure.Usage("%s: %s", flag, why).WithHint("see `ativa help formatting`")
}

// unknownValue returns the usage error of a flag whose value is not in known.
func unknownValue(flag, value string, known []string) error {
	return failure.Usage("%s: there is no %q; choose one of %s", flag, value, strings.Join(known, ", ")).WithHint("see `ativa help formatting`")
}

// Check returns a usage error if the options are incompatible.
func (o Options) Check() error {
	_, err := o.resolve()
	return err
}

// resolve returns o with defaults for unset options, or a usage error.
func (o Options) resolve() (Options, error) {
	o.Format = cmp.Or(o.Format, o.defaultFormat())
	if o.Zone == nil {
		o.Zone = func() *time.Location { return time.UTC }
	}
	if o.TranslateWord == nil {
		o.TranslateWord = func(_ Kind, word string) string { return word }
	}
	if !slices.Contains(Formats(), o.Format) {
		return o, unknownValue("--output", o.Format, Formats())
	}
	document := o.Format == FormatJSON || o.Format == FormatJSONL
	switch {
	case o.JQ != "" && o.Template != "":
		return o, wrongOption("--template", lang.Msg("cannot go together with --jq"))
	case o.JQ != "" && !document:
		return o, wrongOption("--jq", lang.Msg("needs --output json or jsonl, not %s", o.Format))
	case o.Template != "" && !document:
		return o, wrongOption("--template", lang.Msg("needs --output json or jsonl, not %s", o.Format))
	case o.Excel && o.Format != FormatCSV:
		return o, wrongOption("--excel", lang.Msg("needs --output csv, not %s", o.Format))
	case len(o.Columns) > 0 && (document || o.Format == FormatYAML):
		return o, wrongOption("--columns", lang.Msg("a document of --output %s has no columns; choose fields with --jq", o.Format))
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
