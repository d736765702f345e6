package render

import (
	"fmt"
	"slices"
	"strings"
	"time"
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

// Options is what the user asked for. The zero value is TSV into a pipe.
type Options struct {
	// Format is one of Formats. Empty is a table on a terminal and TSV
	// otherwise, JSON with JQ or Template, CSV with Excel.
	Format string
	// Columns are the names of the columns wanted, in that order; none means
	// the ones that are shown by default.
	Columns []string
	// Sort is a column's name, with :desc or :asc behind it or not. It needs
	// all rows in memory.
	Sort     string
	NoHeader bool
	// JQ is a jq filter over the document of json or over each line of jsonl.
	JQ string
	// Template is a text/template over the same.
	Template string
	// Excel writes CSV with a byte order mark, semicolons, and documents and
	// telephone numbers with punctuation, so that it takes none for an amount.
	Excel bool
	// ShowDocuments shows documents whole in tables too.
	ShowDocuments bool
	// Live shows each row at once, for a list that has no end: nothing is
	// held back to find widths, and there is no pager.
	Live bool
	// Zone is where the times of a table are; nil is UTC. Other formats leave
	// times as they come.
	Zone *time.Location
	// Say is how a table says the words of columns of the kinds Status and Word;
	// nil says them as they are. Other formats never change a word.
	TranslateWord func(kind Kind, word string) string
	// Screen is what the output is shown on; the zero value is a pipe.
	Screen Screen
	// Pager is the command that shows long output on a terminal, with its
	// arguments; empty shows it directly.
	Pager string
}

// OptionError is an option that cannot be obeyed. Nothing has been written.
type OptionError struct {
	// Option is the flag, such as --columns.
	Option string
	// Value is what was asked for, or empty.
	Value string
	// Known lists what exists, when that is the matter.
	Known []string
	// Reason says what is wrong, when Known does not.
	Reason string
}

// Error names the flag, the value and what exists instead.
func (e *OptionError) Error() string {
	if e.Reason != "" {
		return e.Option + ": " + e.Reason
	}
	return fmt.Sprintf("%s: there is no %q, but %s", e.Option, e.Value, strings.Join(e.Known, ", "))
}

// resolve is o with the format that it means, or an *OptionError.
func (o Options) resolve() (Options, error) {
	if o.Format == "" {
		o.Format = o.defaultFormat()
	}
	if !slices.Contains(Formats(), o.Format) {
		return o, &OptionError{Option: "--output", Value: o.Format, Known: Formats()}
	}
	document := o.Format == FormatJSON || o.Format == FormatJSONL
	switch {
	case o.JQ != "" && o.Template != "":
		return o, &OptionError{Option: "--template", Reason: "cannot go together with --jq"}
	case o.JQ != "" && !document:
		return o, &OptionError{Option: "--jq", Reason: "needs --output json or jsonl, not " + o.Format}
	case o.Template != "" && !document:
		return o, &OptionError{Option: "--template", Reason: "needs --output json or jsonl, not " + o.Format}
	case o.Excel && o.Format != FormatCSV:
		return o, &OptionError{Option: "--excel", Reason: "needs --output csv, not " + o.Format}
	case len(o.Columns) > 0 && (document || o.Format == FormatYAML):
		return o, &OptionError{Option: "--columns", Reason: "a document of --output " + o.Format + " has no columns; choose fields with --jq"}
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
