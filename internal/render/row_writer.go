package render

import (
	"bufio"
	"context"
	"encoding/json"
	"math"
)

// rowValues is a row for a format: either its cells or its JSON object.
type rowValues struct {
	cells  []string
	object json.RawMessage
}

// columnInfo is the part of a column that formats need.
type columnInfo struct {
	name, title   string
	kind          Kind
	key           bool // identifies a row
	asked         bool // with --columns
	priority, min int
	usual         int
}

// leastWidth is the width below which a table does not narrow the column; 0 is that
// of its longest word. Words are wrapped only on a screen on which no cards are
// expected (cli.md, Output).
func (f columnInfo) leastWidth(o Options) int {
	const text, path, prose, roomy = 10, 16, 20, 100
	switch {
	case f.min > 0:
		return f.min
	case f.key:
	case f.kind == Text:
		return text
	case f.kind == Path:
		return path
	case f.kind == Prose || f.kind == Cause:
		return prose
	case f.kind == Statuses || f.kind == Codes:
		return 0
	case (f.kind == Word || f.kind == Status) && o.Screen.Width >= roomy && !o.Live:
		return 0
	}
	return math.MaxInt
}

// rowWriter writes rows in one format.
type rowWriter interface {
	// open is called before the first row, or before close if the list is
	// complete and empty.
	open() error
	row(rowValues) error
	// close is called last. complete is false if the source ended with an error.
	close(complete bool) error
}

// usesCells reports whether the format shows columns rather than the object.
func (o Options) usesCells() bool {
	switch o.Format {
	case FormatTable, FormatCSV, FormatTSV, FormatName:
		return true
	}
	return false
}

// newListWriter returns the writer for a list whose field is named many.
func (f *printerBase) newListWriter(ctx context.Context, out *bufio.Writer, many string) rowWriter {
	switch f.options.Format {
	case FormatTable:
		return &tableWriter{out: out, options: f.options, fields: f.fields}
	case FormatCSV:
		return newCSV(out, f.options, f.fields)
	case FormatTSV:
		return &tsvWriter{out, f.options, f.fields}
	case FormatName:
		return &nameWriter{out, f.options}
	case FormatYAML:
		return &yamlListWriter{out: out, name: many, trailing: f.trailing}
	case FormatJSONL:
		return &jsonLinesWriter{ctx, out, f.query}
	}
	if f.query != nil {
		return newQueryListWriter(ctx, out, f.query, many, f.trailing)
	}
	return &jsonListWriter{out: out, name: many, style: styleFor(f.options), trailing: f.trailing}
}
