package render

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"math"
	"strings"

	"ativa/internal/formula"
)

// csvWriter writes CSV (RFC 4180). Its cells are escaped, so that no spreadsheet runs them as
// formulas.
type csvWriter struct {
	out    *bufio.Writer
	w      *csv.Writer
	o      Options
	fields []columnInfo
	cells  []string
}

func newCSV(out *bufio.Writer, o Options, fields []columnInfo) *csvWriter {
	w := csv.NewWriter(out)
	if o.Excel {
		w.Comma = ';'
	}
	return &csvWriter{out, w, o, fields, make([]string, len(fields))}
}

func (c *csvWriter) open() error {
	if c.o.Excel {
		if _, err := c.out.WriteString("\ufeff"); err != nil {
			return err
		}
	}
	if c.o.NoHeader {
		return nil
	}
	return c.w.Write(columnNames(c.fields))
}

func (c *csvWriter) row(r rowValues) error {
	for i, cell := range r.cells {
		if c.o.Screen.Terminal {
			cell = Sanitise(cell)
		}
		if c.o.Excel {
			cell = formatForExcel(c.fields[i].Kind, cell)
		}
		if c.fields[i].Kind == Phone {
			c.cells[i] = formula.EscapePhone(cell)
		} else {
			c.cells[i] = formula.Escape(cell)
		}
	}
	if len(c.cells) == 1 && c.cells[0] == "" {
		// Readers skip an empty line.
		c.w.Flush()
		_, err := c.out.WriteString("\"\"\n")
		return err
	}
	return c.w.Write(c.cells)
}

func (c *csvWriter) close(bool) error {
	c.w.Flush()
	return c.w.Error()
}

func columnNames(fields []columnInfo) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return names
}

// tsvWriter writes one unquoted line for each row, for cut and awk. TAB, CR and LF
// in a cell become \t, \r and \n; everything else is unchanged.
type tsvWriter struct {
	out    *bufio.Writer
	o      Options
	fields []columnInfo
}

func (t *tsvWriter) open() error {
	if t.o.NoHeader {
		return nil
	}
	return t.row(rowValues{cells: columnNames(t.fields)})
}

func (t *tsvWriter) row(r rowValues) error {
	for i, cell := range r.cells {
		if i > 0 {
			t.out.WriteByte('\t')
		}
		t.out.WriteString(sanitiseLine(t.o, cell))
	}
	return t.out.WriteByte('\n') // a bufio.Writer keeps its first error
}

func (t *tsvWriter) close(bool) error { return nil }

// sanitiseLine escapes line ends and cell separators.
func sanitiseLine(o Options, cell string) string {
	if o.Screen.Terminal {
		return Sanitise(cell)
	}
	if !strings.ContainsAny(cell, "\t\r\n") {
		return cell
	}
	return strings.NewReplacer("\t", `\t`, "\r", `\r`, "\n", `\n`).Replace(cell)
}

// rowValues is a row for a format: either its cells or its JSON object.
type rowValues struct {
	cells  []string
	object json.RawMessage
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
func (p *printer) newListWriter(ctx context.Context, out *bufio.Writer, many string) rowWriter {
	switch p.options.Format {
	case FormatTable:
		return &tableWriter{out: out, options: p.options, fields: p.fields}
	case FormatCSV:
		return newCSV(out, p.options, p.fields)
	case FormatTSV:
		return &tsvWriter{out, p.options, p.fields}
	case FormatName: // one column, without its name
		o := p.options
		o.NoHeader = true
		return &tsvWriter{out, o, p.fields}
	case FormatYAML:
		return &yamlListWriter{out: out, name: many, trailing: p.trailing, response: p.response}
	case FormatJSONL:
		return &jsonLinesWriter{ctx, out, p.query}
	}
	if p.query != nil {
		doc := &bytes.Buffer{}
		return &queryListWriter{jsonListWriter{out: doc, name: many, trailing: p.trailing, response: p.response}, ctx, doc, out, p.query}
	}
	return &jsonListWriter{out: out, name: many, style: styleFor(p.options), trailing: p.trailing, response: p.response}
}
