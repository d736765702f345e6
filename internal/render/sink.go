package render

import (
	"bufio"
	"context"
	"encoding/json"
)

// record is a row as a format sees it: cells or object, whichever it uses.
type record struct {
	cells  []string
	object json.RawMessage
}

// field is what a format must know of a column.
type field struct {
	name, title string
	kind        Kind
	key         bool // identifies a row
}

// pinned tells that a table does not cut the column: people copy from it what
// the next command needs.
func (f field) pinned() bool { return f.key || f.kind == Document }

// sink writes rows in one format.
type sink interface {
	// open comes first, but only when there is a row or the list is complete:
	// where nothing arrived, nothing is written.
	open() error
	row(record) error
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

// list is the sink for a list under that name.
func (f *frame) list(ctx context.Context, out *bufio.Writer, many string) sink {
	switch f.o.Format {
	case FormatTable:
		return &table{out: out, o: f.o, fields: f.fields}
	case FormatCSV:
		return newCSV(out, f.o, f.fields)
	case FormatTSV:
		return &tsv{out, f.o, f.fields}
	case FormatName:
		return &names{out, f.o}
	case FormatYAML:
		return &yamlList{out: out, name: many, tail: f.tail}
	case FormatJSONL:
		return &jsonLines{ctx, out, f.query}
	}
	if f.query != nil {
		return newQueried(ctx, out, f.query, many, f.tail)
	}
	return &jsonList{out: out, name: many, style: styleFor(f.o), tail: f.tail}
}
