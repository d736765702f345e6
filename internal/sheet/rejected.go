package sheet

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"

	"ativa/internal/formula"
	"ativa/internal/lang"
	"ativa/internal/sheet/columns"
)

// errorColumns are the columns that [RejectedWriter] adds.
var errorColumns = []string{columns.ErrorLine, columns.ErrorColumn, columns.ErrorCode, columns.ErrorMessage}

// RejectedWriter writes rows back unchanged, byte for byte, in the file's encoding and with its
// delimiter, followed by their problems. The result can be corrected and imported again.
// UTF-16 becomes UTF-8 with a byte order mark, and a workbook CSV.
//
// A row with fewer columns than the header is padded, so that its problems are below their
// column names.
type RejectedWriter struct {
	Language lang.Language // of each row's problems; default English

	file    *File
	w       *bufio.Writer
	kept    int // columns of the original file, without error columns of an earlier run
	started bool
	buf     []byte
}

// NewRejectedWriter returns a writer that writes nothing before the first row. The caller closes
// w.
func (f *File) NewRejectedWriter(w io.Writer) *RejectedWriter {
	kept := len(f.Columns)
	for kept > 0 && slices.Contains(errorColumns, f.Columns[kept-1].Name) {
		kept--
	}
	return &RejectedWriter{file: f, w: bufio.NewWriter(w), kept: kept}
}

// Write writes a row of [File.Rows] with its own problems and others. It copies a record over 64 KiB
// from the file, not from memory; from a workbook it writes only the problems.
func (w *RejectedWriter) Write(row *Row, others ...Problem) error {
	problems := slices.Concat(row.Problems, others)
	source := row.source
	if trimmed := source.line == 0; trimmed || source.raw == nil && len(problems) == 0 {
		return nil
	}
	if !w.started {
		w.started = true
		w.header()
	}
	var columns, codes, messages []string
	for _, p := range problems {
		columns = appendNew(columns, cmp.Or(p.Name, p.Field))
		codes = appendNew(codes, p.Code)
		messages = appendNew(messages, p.ReasonText(w.Language))
	}
	added := []string{
		number(row.Line), formula.Escape(strings.Join(columns, " | ")), formula.Escape(strings.Join(codes, " ")), formula.Escape(strings.Join(messages, " | "))}
	text, cells := w.keep(source)
	switch {
	case source.long.to > 0:
		var err error
		if cells, err = w.copyLong(source.long); err != nil {
			return err
		}
	case source.raw == nil: // of a workbook: one empty cell
		cells = 1
	case source.fault != "":
		cells = 0
	}
	w.line(text, cells, added)
	_, err := w.w.Write(w.buf)
	return err
}

// Flush writes the buffered rows.
func (w *RejectedWriter) Flush() error { return w.w.Flush() }

func appendNew(list []string, s string) []string {
	if s == "" || slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// header repeats the beginning of the file. A file without a header gets one, because the error
// columns need names.
func (w *RejectedWriter) header() {
	d := w.file.Dialect
	var start []byte
	if d.BOM || d.Encoding.isUTF16() {
		start = append(start, UTF8.mark()...)
	}
	if d.Sep {
		start = d.Encoding.fromUTF8(start, "sep="+string(rune(d.Delimiter))+w.newline())
	}
	if h := w.file.header; h != nil {
		text, cells := w.keep(h.record)
		w.line(text, cells, errorColumns)
	} else {
		names := make([]string, w.kept)
		for i, c := range w.file.Columns[:w.kept] {
			names[i] = cmp.Or(c.Field, "column "+number(c.Number))
		}
		w.line([]byte(strings.Join(names, string(rune(d.Delimiter)))), w.kept, errorColumns)
	}
	_, _ = w.w.Write(start) // bufio keeps the error for Flush
	_, _ = w.w.Write(w.buf)
}

// keep returns the text of a record up to the last kept column, and its number of cells. A workbook
// may have remarks next to its table, and a text extra delimiters where Excel once had more
// columns; before the errors they would count as columns.
func (w *RejectedWriter) keep(r record) ([]byte, int) {
	text, ends := r.text, r.ends
	if w.kept == 0 || w.kept > len(ends) {
		return text, len(ends)
	}
	end := ends[w.kept-1]
	if w.kept < len(w.file.Columns) || w.file.Dialect.Workbook || blank(text[end:], w.file.Dialect.Delimiter) {
		return text[:end], w.kept
	}
	return text, len(ends)
}

// line builds a line of original text with added cells.
func (w *RejectedWriter) line(text []byte, cells int, added []string) {
	d := w.file.Dialect
	var b strings.Builder
	if cells > 0 {
		b.WriteString(strings.Repeat(string(rune(d.Delimiter)), max(0, w.kept-cells)))
	}
	b.WriteByte(d.Delimiter)
	c := csv.NewWriter(&b)
	c.Comma = rune(d.Delimiter)
	_ = c.Write(added) // a Builder never fails
	c.Flush()
	w.buf = append(w.buf[:0], text...)
	w.buf = d.Encoding.fromUTF8(w.buf, strings.TrimSuffix(b.String(), "\n")+w.newline())
}

func (w *RejectedWriter) newline() string { return cmp.Or(w.file.newline, "\r\n") }

// span is the place in [File.text] of a line over maxRecord, without its line end. The zero value
// means none.
type span struct{ from, to int64 }

// copyLong copies a line that is too long for memory, without the errors of an earlier run. It
// returns the number of cells copied.
func (w *RejectedWriter) copyLong(s span) (cells int, err error) {
	earlier := w.kept < len(w.file.Columns) // the file has such errors
	r := w.file.text()
	if _, err := io.CopyN(io.Discard, r, s.from); err != nil {
		return 0, err
	}
	r = io.LimitReader(r, s.to-s.from)
	buf, quoted := make([]byte, maxRecord), false
	for cells = 1; ; {
		n, err := r.Read(buf)
		for i, c := range buf[:n] {
			switch {
			case c == '"':
				quoted = !quoted
			case c != w.file.Dialect.Delimiter || quoted:
			case earlier && cells == w.kept:
				_, err := w.w.Write(buf[:i])
				return cells, err
			default:
				cells++
			}
		}
		if _, failed := w.w.Write(buf[:n]); failed != nil {
			return cells, failed
		}
		if errors.Is(err, io.EOF) {
			return cells, nil
		}
		if err != nil {
			return cells, err
		}
	}
}
