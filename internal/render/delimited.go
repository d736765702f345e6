package render

import (
	"bufio"
	"encoding/csv"
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
		out.WriteString("\ufeff")
		w.Comma = ';'
	}
	if !o.NoHeader {
		_ = w.Write(columnNames(fields)) // out keeps its error
	}
	return &csvWriter{out, w, o, fields, make([]string, len(fields))}
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
	out *bufio.Writer
	o   Options
}

func newTSV(out *bufio.Writer, o Options, fields []columnInfo) *tsvWriter {
	t := &tsvWriter{out, o}
	if !o.NoHeader {
		_ = t.row(rowValues{cells: columnNames(fields)}) // out keeps its error
	}
	return t
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
