package render

import (
	"bufio"
	"encoding/csv"
	"strings"

	"ativa/internal/formula"
)

// csvFile writes RFC 4180 whose cells a spreadsheet does not run.
type csvFile struct {
	out    *bufio.Writer
	w      *csv.Writer
	o      Options
	fields []field
	cells  []string
}

func newCSV(out *bufio.Writer, o Options, fields []field) *csvFile {
	w := csv.NewWriter(out)
	if o.Excel {
		w.Comma = ';'
	}
	return &csvFile{out, w, o, fields, make([]string, len(fields))}
}

func (c *csvFile) open() error {
	if c.o.Excel {
		if _, err := c.out.WriteString("\ufeff"); err != nil {
			return err
		}
	}
	if c.o.NoHeader {
		return nil
	}
	return c.w.Write(headers(c.fields))
}

func (c *csvFile) row(r record) error {
	for i, cell := range r.cells {
		if c.o.Screen.Terminal {
			cell = Safe(cell)
		}
		if c.o.Excel {
			cell = forExcel(c.fields[i].kind, cell)
		}
		if c.fields[i].kind == Phone {
			c.cells[i] = formula.GuardPhone(cell)
		} else {
			c.cells[i] = formula.Guard(cell)
		}
	}
	if len(c.cells) == 1 && c.cells[0] == "" {
		// An empty line would be no row to any reader.
		c.w.Flush()
		_, err := c.out.WriteString("\"\"\n")
		return err
	}
	return c.w.Write(c.cells)
}

func (c *csvFile) close(bool) error {
	c.w.Flush()
	return c.w.Error()
}

func headers(fields []field) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	return names
}

// tsv is for cut and awk: one line a row, nothing quoted. TAB, CR and LF in a
// cell become \t, \r and \n; the rest is as it comes.
type tsv struct {
	out    *bufio.Writer
	o      Options
	fields []field
}

func (t *tsv) open() error {
	if t.o.NoHeader {
		return nil
	}
	return t.row(record{cells: headers(t.fields)})
}

func (t *tsv) row(r record) error {
	for i, cell := range r.cells {
		if i > 0 {
			t.out.WriteByte('\t')
		}
		t.out.WriteString(line(t.o, cell))
	}
	return t.out.WriteByte('\n') // a bufio.Writer keeps its first error
}

func (t *tsv) close(bool) error { return nil }

// names writes what identifies a row, and nothing else.
type names struct {
	out *bufio.Writer
	o   Options
}

func (n *names) open() error { return nil }

func (n *names) row(r record) error {
	for _, cell := range r.cells {
		n.out.WriteString(line(n.o, cell))
	}
	return n.out.WriteByte('\n')
}

func (n *names) close(bool) error { return nil }

// line is a cell that stays on its line and between its tabs.
func line(o Options, cell string) string {
	if o.Screen.Terminal {
		return Safe(cell)
	}
	if !strings.ContainsAny(cell, "\t\r\n") {
		return cell
	}
	return strings.NewReplacer("\t", `\t`, "\r", `\r`, "\n", `\n`).Replace(cell)
}
