package render

import (
	"bufio"
	"context"
	"encoding/json"
)

// rowValues is a row as a format sees it: cells or object, whichever it uses.
type rowValues struct {
	cells  []string
	object json.RawMessage
}

// columnInfo is what a format must know of a column.
type columnInfo struct {
	name, title string
	kind        Kind
	key         bool // identifies a row
}

// isUncuttable tells that a table does not cut the column: people copy from it what
// the next command needs.
func (f columnInfo) isUncuttable() bool { return f.key || f.kind == Document }

// rowWriter writes rows in one format.
type rowWriter interface {
	// open comes first, but only when there is a row or the list is complete:
	// where nothing arrived, nothing is written.
	open() error
	row(rowValues) error
	// close comes last; a list that its source broke off is not complete.
	close(complete bool) error
}

// usesCells tells whether the format shows columns rather than the object.
func (o Options) usesCells() bool {
	switch o.Format {
	case FormatTable, FormatCSV, FormatTSV, FormatName:
		return true
	}
	return false
}

// newListWriter is the sink for a list under that name.
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
		return &yamlListWriter{out: out, name: many, tail: f.trailingField}
	case FormatJSONL:
		return &jsonLinesWriter{ctx, out, f.query}
	}
	if f.query != nil {
		return newQueryListWriter(ctx, out, f.query, many, f.trailingField)
	}
	return &jsonListWriter{out: out, name: many, style: styleFor(f.options), tail: f.trailingField}
}
