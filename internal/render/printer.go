package render

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"ativa/internal/api"
	"ativa/internal/lang"
)

// Printer writes values of type T in one format. It may be used any number of
// times, but not concurrently.
type Printer[T any] struct{ *printer }

// printer is a [Printer] of rows of any type, so that it is compiled only once.
type printer struct {
	schema  Schema[any]
	order   *sortOrder
	out     io.Writer
	options Options
	fields  []columnInfo
	query   *query
	envelope
	written int // rows
}

// envelope is the document around a list.
type envelope struct {
	name     string     // of the field with the list; empty for the list alone
	trailing func() any // see AddTrailingFields; may be nil
	response string     // see Respond
}

// Respond sets the value of the field response in JSON and YAML documents; the default is success.
// It must be called before anything is printed.
func (p *printer) Respond(word string) { p.response = word }

// AddTrailingFields adds the fields of an object at the end of the JSON or YAML
// document of a list, such as the cursor of the next page. object is called after the
// last row.
func (p *printer) AddTrailingFields(object func() any) { p.trailing = object }

// New returns a printer of rows of the schema. A wrong option is a usage error, so that it is refused
// before any request.
func New[T any](out io.Writer, o Options, s Schema[T]) (*Printer[T], error) {
	p, err := newPrinter(out, o, Schema[any]{One: s.One, Many: s.Many, Order: s.Order, Name: s.Name, Empty: s.Empty,
		Columns: ColumnsOf(s.Columns, func(row any) T { return row.(T) }),
		JSON:    func(row any) json.RawMessage { return s.JSON(row.(T)) }})
	if err != nil {
		return nil, err
	}
	return &Printer[T]{p}, nil
}

func newPrinter(out io.Writer, o Options, s Schema[any]) (*printer, error) {
	o, err := o.resolve()
	if err != nil {
		return nil, err
	}
	p := &printer{out: out, options: o, schema: s, envelope: envelope{name: s.Many}}
	if p.query, err = newQuery(o); err != nil {
		return nil, err
	}
	if onTerminal := o.Format == FormatTable && o.Screen.Terminal; onTerminal && !o.Live {
		o.Sort = cmp.Or(o.Sort, s.Order)
	}
	if p.order, err = parseOrder(s, o.Sort); err != nil {
		return nil, err
	}
	names := o.Columns
	if o.Format == FormatName && len(names) == 0 && s.Name != "" {
		names = []string{s.Name}
	}
	columns, err := s.selectColumns(names)
	if err != nil {
		return nil, err
	}
	if o.Format == FormatName {
		columns = columns[:min(1, len(columns))]
	}
	for _, c := range columns {
		if c.ForPrograms && o.Format == FormatTable && o.Screen.Terminal && len(o.Columns) == 0 {
			continue
		}
		if o.Language == lang.Portuguese {
			c.Title = c.portugueseTitle()
		}
		c.Title = cmp.Or(c.Title, c.Name)
		p.fields = append(p.fields, columnInfo{c, c.Name == s.Columns[0].Name, len(o.Columns) > 0})
	}
	return p, nil
}

// To returns a printer that writes each row to out at once, without a pager.
func (p *Printer[T]) To(out io.Writer) *Printer[T] {
	to := *p.printer
	to.out, to.options.Live, to.options.OnWhole = out, true, nil
	return &Printer[T]{&to}
}

// Format returns the format in use: one of Formats, never empty.
func (p *printer) Format() string { return p.options.Format }

// Shows reports whether the column with the name is printed.
func (p *printer) Shows(name string) bool {
	return slices.ContainsFunc(p.fields, func(f columnInfo) bool { return f.Name == name })
}

// Masked reports whether documents are masked in what was written.
func (p *printer) Masked() bool {
	masks := p.options.Format == FormatTable && !p.options.ShowDocuments
	return masks && p.written > 0 && slices.ContainsFunc(p.fields, func(f columnInfo) bool { return f.Kind == Document })
}

// List writes rows as they come. If the source ends with an error, the rows before it are written
// (a JSON document is closed with "partial"; jq and templates write nothing), and List returns
// that error unchanged. A closed pipe is an error for which [system.IsBrokenPipe] is true; leaving
// the pager is not an error.
func (p *Printer[T]) List(ctx context.Context, rows iter.Seq2[T, error]) error {
	return p.list(ctx, listKind{awaited: true}, anyRow(rows))
}

// Stored is List for rows that are there already: a short list is one write, so that processes
// that share a pipe do not mix theirs.
func (p *Printer[T]) Stored(ctx context.Context, rows iter.Seq2[T, error]) error {
	return p.list(ctx, listKind{}, anyRow(rows))
}

func anyRow[T any](rows iter.Seq2[T, error]) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		for row, err := range rows {
			if !yield(row, err) {
				return
			}
		}
	}
}

// listKind is how a list is written.
type listKind struct {
	asCards bool // a table is cards
	awaited bool // the source may be slow, so rows are written before the next are there
}

func (p *printer) list(ctx context.Context, kind listKind, rows iter.Seq2[any, error]) error {
	if p.order != nil {
		rows = p.order.sortRows(rows)
	}
	out := p.newOutput()
	writer := p.newListWriter(ctx, out.Writer, kind.asCards)
	more, err := p.stream(writer, out, kind.awaited, rows)
	err = out.finish(err)
	if t, ok := writer.(*tableWriter); ok {
		t.reportLeftOut()
		t.reportCut()
	}
	if more && p.options.OnMore != nil {
		p.options.OnMore()
	}
	return err
}

// Results writes a response with rows: doc, the whole response with [Printer.First] of the rows,
// in the formats JSON and YAML, and the rows in all others. A nil doc means a list of the rows.
func (p *Printer[T]) Results(ctx context.Context, doc json.RawMessage, rows []T) error {
	return p.results(ctx, doc, false, len(rows), rowsOf(rows))
}

func (p *printer) results(ctx context.Context, doc json.RawMessage, asCards bool, count int, rows iter.Seq2[any, error]) error {
	if !p.wholeDocument() || doc == nil {
		return p.list(ctx, listKind{asCards: asCards}, rows)
	}
	if err := p.writeDocument(ctx, doc); err != nil {
		return err
	}
	switch {
	case count == 0 && p.options.OnEmpty != nil:
		p.options.OnEmpty()
	case p.options.Limit > 0 && count > p.options.Limit && p.options.OnMore != nil:
		p.options.OnMore()
	}
	return nil
}

// First returns the rows in the order of --sort, within the limit.
func (p *Printer[T]) First(rows []T) []T {
	if p.order != nil {
		sorted := make([]T, 0, len(rows))
		for row, err := range p.order.sortRows(rowsOf(rows)) {
			if err == nil { // rowsOf has none
				sorted = append(sorted, row.(T))
			}
		}
		rows = sorted
	}
	if limit := p.options.Limit; limit > 0 && limit < len(rows) {
		return rows[:limit]
	}
	return rows
}

func rowsOf[T any](rows []T) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
	}
}

// One writes a single row: as a card in the format table, as a list of one in
// the others. doc is the whole response, written in the formats JSON and YAML;
// if it is nil, the row is written as the API would.
func (p *Printer[T]) One(ctx context.Context, doc json.RawMessage, row T) error {
	if doc == nil && p.wholeDocument() {
		doc = p.document(row)
	}
	return p.Cards(ctx, doc, []T{row})
}

// Cards is like Results for a few rows of long texts, but the format table writes cards separated by
// blank lines.
func (p *Printer[T]) Cards(ctx context.Context, doc json.RawMessage, rows []T) error {
	return p.results(ctx, doc, true, len(rows), rowsOf(rows))
}

func (p *printer) wholeDocument() bool {
	return p.options.Format == FormatJSON || p.options.Format == FormatYAML
}

// Raw writes a JSON document without columns: as JSON, YAML or JSON lines, or as the jq filter or
// the template prints it.
func Raw(ctx context.Context, out io.Writer, o Options, doc json.RawMessage) error {
	o.Format, o.Sort = cmp.Or(o.Format, FormatJSON), "" // there are no rows
	p, err := newPrinter(out, o, Schema[any]{})
	if err != nil {
		return err
	}
	if o.usesCells() {
		return unknownValue("--output", o.Format, []string{FormatJSON, FormatJSONL, FormatYAML})
	}
	return p.writeDocument(ctx, doc)
}

// stream writes the rows and reports whether there are more than the limit. If they are awaited
// it flushes after the first row and then every flushEvery rows, so that output of a slow source
// appears early.
func (p *printer) stream(s rowWriter, out *bufferedOutput, awaited bool, rows iter.Seq2[any, error]) (more bool, err error) {
	const flushEvery = 100
	table, isTable := s.(*tableWriter)
	short := isTable && !table.asCards && p.options.Screen.Terminal
	count, failed := 0, error(nil)
	for row, err := range rows {
		if err != nil {
			failed = err
			break
		}
		if more = count > 0 && count == p.options.Limit; more {
			break
		}
		if err := s.row(p.values(row, short)); err != nil {
			return false, err
		}
		if p.options.Live || awaited && count%flushEvery == 0 {
			if err := out.Flush(); err != nil {
				return false, err
			}
		}
		count++
	}
	p.written += count
	switch {
	case count == 0 && failed != nil:
		out.Reset(io.Discard) // not even a header
		return false, failed
	case count == 0 && p.options.OnEmpty != nil:
		p.options.OnEmpty()
	}
	return more, errors.Join(failed, s.close(failed == nil))
}

// values returns the printable values of a row. short selects the short values, for a table on a
// terminal.
func (p *printer) values(row any, short bool) rowValues {
	if !p.options.usesCells() {
		return rowValues{object: p.schema.JSON(row)}
	}
	cells := make([]string, len(p.fields))
	for i, c := range p.fields {
		if short && c.Short != nil {
			cells[i] = c.Short(row)
			continue
		}
		cells[i] = c.Value(row)
	}
	return rowValues{cells: cells}
}

// document returns the document that contains one row.
func (p *printer) document(row any) json.RawMessage {
	object := p.schema.JSON(row)
	if p.schema.One == "" {
		return object
	}
	return fmt.Appendf(nil, `{%q:%s,"response":%q}`, p.schema.One, object, api.ResponseSuccess)
}

// writeDocument writes a whole document.
func (p *printer) writeDocument(ctx context.Context, doc json.RawMessage) error {
	if p.response != "" {
		var err error
		if doc, err = WithResponse(doc, p.response); err != nil {
			return err
		}
	}
	out := p.newOutput()
	switch {
	case p.query != nil:
		return out.finish(p.query.run(ctx, out, doc))
	case p.options.Format == FormatYAML:
		return out.finish(writeYAML(out, doc))
	}
	return out.finish(styleFor(p.options).write(out, doc, "", "\n"))
}
