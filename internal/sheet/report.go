package sheet

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/gocarina/gocsv"

	"ativa/internal/api"
	"ativa/internal/cpf"
	"ativa/internal/formula"
	"ativa/internal/lang"
)

// ReportLine is the outcome of one row of the file.
type ReportLine struct {
	Line     int    `csv:"line"`     // the physical line
	Document string `csv:"document"` // digits only; empty when it could not be read
	Result   string `csv:"result"`   // a result word of the API, or invalid, merged or not_sent
	Services string `csv:"services"` // the products with their statuses, if there are any
	// Code, Field and Value describe the first problem, Detail all of them. Value is the
	// cell, which is in the user's own file anyway.
	Code   string `csv:"code"`
	Field  string `csv:"field"`
	Value  string `csv:"value"`
	Detail string `csv:"detail"`
	// The service of a row, if any: its product, its status before and after, and the operation
	// of the row, if the server reports it.
	ProductID      string `csv:"product_id"`
	PreviousStatus string `csv:"previous_status"`
	Status         string `csv:"status"`
	OperationID    string `csv:"operation_id"`
	// PreviousProductID is the product that a change replaced.
	PreviousProductID string `csv:"previous_product_id"`
}

// Results of a row besides those of the API.
const (
	ResultInvalid = "invalid"
	ResultMerged  = "merged"
	ResultNotSent = "not_sent"
	ResultUnknown = "unknown" // sent, not answered
	ResultDeleted = "deleted" // the subscriber, by an undo
	ResultWaiting = "waiting" // not sent yet: a service waits for the partner
)

// Report returns the line for an unsent row: invalid, merged into another, or not_sent because of
// others.
func (r *Row) Report(words lang.Language) ReportLine {
	l := ReportLine{Line: r.Line, Document: r.Document, Result: ResultNotSent}
	if r.MergedInto > 0 {
		l.Result = ResultMerged
		l.Detail = (&Problem{Line: r.MergedInto}).PlaceText(words)
	}
	if len(r.Problems) == 0 {
		return l
	}
	first := r.Problems[0]
	l.Result, l.Code, l.Field, l.Value = ResultInvalid, first.Code, first.Field, first.Value
	details := make([]string, len(r.Problems))
	for i, p := range r.Problems {
		details[i] = p.cellText(words)
	}
	l.Detail = strings.Join(details, " | ")
	return l
}

// ReportWriter writes a report as CSV in UTF-8. No cell can become a formula in a spreadsheet.
type ReportWriter struct {
	// Excel selects a byte order mark, semicolons, and documents with punctuation. It must be set
	// before the first line.
	Excel bool

	out     io.Writer
	w       *csv.Writer
	cells   []string // of the last line
	started bool
}

// reportBuffer is the size of the write buffer, in bytes.
const reportBuffer = 32 << 10

// NewReportWriter returns a writer that writes nothing before the first line. The caller flushes it
// and closes w.
func NewReportWriter(w io.Writer) *ReportWriter {
	return &ReportWriter{out: w, w: csv.NewWriter(bufio.NewWriterSize(w, reportBuffer))}
}

// Write writes a line.
func (w *ReportWriter) Write(l ReportLine) error {
	if d, err := cpf.Parse(l.Document); w.Excel && err == nil {
		l.Document = d.Format()
	}
	if err := w.start(); err != nil {
		return err
	}
	w.cells = append(w.cells[:0], number(l.Line), l.Document)
	for _, text := range l.texts() {
		escape := formula.Escape
		if text == &l.Value && l.Field == api.FieldPhone {
			escape = formula.EscapePhone
		}
		w.cells = append(w.cells, escape(*text))
	}
	return w.w.Write(w.cells)
}

// texts returns the cells after the document, in the order of the fields. gocsv, which reads them,
// would allocate memory 18 times to write them.
func (l *ReportLine) texts() [11]*string {
	return [...]*string{&l.Result, &l.Services, &l.Code, &l.Field, &l.Value, &l.Detail,
		&l.ProductID, &l.PreviousStatus, &l.Status, &l.OperationID, &l.PreviousProductID}
}

// start writes the header, and for Excel a byte order mark before it.
func (w *ReportWriter) start() error {
	if w.started {
		return nil
	}
	w.started = true
	if w.Excel {
		if _, err := io.WriteString(w.out, UTF8.mark()); err != nil {
			return err
		}
		w.w.Comma = ';'
	}
	return gocsv.MarshalCSV([]ReportLine{}, w.w)
}

// Flush writes the buffered lines, including the header.
func (w *ReportWriter) Flush() error {
	if err := w.start(); err != nil {
		return err
	}
	w.w.Flush()
	return w.w.Error()
}

// ReadReport yields the lines of a report, written for Excel or not.
func ReadReport(r io.Reader) iter.Seq2[ReportLine, error] {
	return func(yield func(ReportLine, error) bool) {
		b := bufio.NewReader(r)
		comma := ','
		if mark, err := b.Peek(len(UTF8.mark())); err == nil && string(mark) == UTF8.mark() { // for Excel
			comma = ';'
			_, _ = b.Discard(len(mark)) // Peek has seen them
		}
		c := csv.NewReader(b)
		c.Comma = comma
		lines, err := gocsv.NewUnmarshaller(c, ReportLine{})
		for err == nil {
			var line any
			if line, err = lines.Read(); err != nil {
				break
			}
			l := line.(ReportLine)
			for _, text := range l.texts() {
				*text = formula.Unescape(*text)
			}
			if d, wrong := cpf.Parse(l.Document); wrong == nil {
				l.Document = string(d)
			}
			if !yield(l, nil) {
				return
			}
		}
		if !errors.Is(err, io.EOF) {
			yield(ReportLine{}, fmt.Errorf("the report: %w", err))
		}
	}
}
