package render

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
)

// rowValues is a row for a format: either its cells or its JSON object.
type rowValues struct {
	cells  []string
	object json.RawMessage
}

// rowWriter writes rows in one format, after a header that its constructor has written.
type rowWriter interface {
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

// newListWriter returns the writer for a list. asCards means that a table is cards.
func (p *printer) newListWriter(ctx context.Context, out *bufio.Writer, asCards bool) rowWriter {
	switch p.options.Format {
	case FormatTable:
		return newTable(out, p.options, p.fields, asCards)
	case FormatCSV:
		return newCSV(out, p.options, p.fields)
	case FormatTSV:
		return newTSV(out, p.options, p.fields)
	case FormatName: // one column, without its name
		o := p.options
		o.NoHeader = true
		return newTSV(out, o, p.fields)
	case FormatYAML:
		return &yamlListWriter{envelope: p.envelope, out: out}
	case FormatJSONL:
		return &jsonLinesWriter{ctx, out, p.query}
	}
	if p.query != nil {
		doc := &bytes.Buffer{}
		return &queryListWriter{newJSONList(doc, p.envelope, jsonStyle{}), ctx, doc, out, p.query}
	}
	return newJSONList(out, p.envelope, styleFor(p.options))
}
