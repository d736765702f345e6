package render

import (
	"bufio"
	"slices"
	"strings"
)

// tableWriter writes rows for people: with lines around them if they fit on the
// screen, else in plain columns, which any pager can show. It computes the
// widths of the columns from maxBufferedRows rows at a time, and they only
// grow, so that a list of any length needs little memory. If the screen is too
// narrow for the columns, each row is a card.
type tableWriter struct {
	out     *bufio.Writer
	options Options
	fields  []columnInfo

	buffered [][]cell
	widths   []int
	started  bool
	cards    bool
}

// maxBufferedRows is how many rows are buffered to compute the widths.
const maxBufferedRows = 256

func (t *tableWriter) open() error {
	t.widths = make([]int, len(t.fields))
	if t.options.NoHeader {
		return nil
	}
	for i, f := range t.fields {
		t.widths[i] = width(Sanitise(f.title))
	}
	return nil
}

func (t *tableWriter) row(r rowValues) error {
	cells := make([]cell, len(r.cells))
	for i, s := range r.cells {
		cells[i] = newCell(t.options, t.fields[i].kind, s)
	}
	t.buffered = append(t.buffered, cells)
	if t.options.Live || len(t.buffered) == maxBufferedRows {
		return t.flushColumns()
	}
	return nil
}

func (t *tableWriter) close(bool) error {
	const lines = 5 // around the rows, and the prompt
	fits := t.options.Screen.Terminal && len(t.buffered)+lines <= t.options.Screen.Height
	if fits && !t.started && !t.options.Live && len(t.fields) > 0 {
		const sides, edge = 3, 1
		if widths, whole := t.fit(sides*len(t.fields) + edge); whole {
			return t.drawBoxed(widths)
		}
	}
	return t.flushColumns()
}

// flushColumns writes the buffered rows in plain columns, two spaces apart.
func (t *tableWriter) flushColumns() error {
	const gap = 2
	widths, whole := t.fit(gap*len(t.fields) - gap)
	if t.cards = t.cards || !whole && !t.started && !t.options.Live; t.cards {
		return t.flushCards()
	}
	if !t.started && !t.options.NoHeader && len(t.fields) > 0 {
		if err := t.writeLine(t.header(), widths); err != nil {
			return err
		}
	}
	t.started = true
	for _, cells := range t.buffered {
		if err := t.writeLine(cells, widths); err != nil {
			return err
		}
	}
	t.buffered = t.buffered[:0]
	return nil
}

// flushCards writes the buffered rows as cards, a blank line between two.
func (t *tableWriter) flushCards() error {
	for _, cells := range t.buffered {
		if t.started {
			t.out.WriteByte('\n')
		}
		t.started = true
		writeCard(t.out, t.options, t.fields, cells)
	}
	t.buffered = t.buffered[:0]
	return nil // a bufio.Writer keeps its first error
}

func (t *tableWriter) writeLine(cells []cell, widths []int) error {
	pending := 0
	for i, c := range cells {
		shown := t.cut(c.text, widths[i])
		space := max(0, widths[i]-width(shown))
		before := 0
		if t.fields[i].kind == Number {
			before, space = space, 0
		}
		t.out.WriteString(strings.Repeat(" ", pending+before))
		t.out.WriteString(c.paint(shown))
		pending = space + 2
	}
	return t.out.WriteByte('\n') // a bufio.Writer keeps its first error
}

func (t *tableWriter) header() []cell {
	cells := make([]cell, len(t.fields))
	for i, f := range t.fields {
		cells[i] = cell{text: Sanitise(f.title)}
		if t.options.Screen.Colour {
			cells[i].colour = Bold
		}
	}
	return cells
}

// cut truncates a text that is too wide, on a terminal only.
func (t *tableWriter) cut(s string, room int) string {
	if !t.options.Screen.Terminal || width(s) <= room {
		return s
	}
	return truncate(s, room)
}

// fit widens the columns for the buffered rows. It returns the widths with which
// they fit on the screen beside frame cells of decoration, and whether every
// column that must not be cut is whole.
func (t *tableWriter) fit(frame int) (widths []int, whole bool) {
	for _, cells := range t.buffered {
		for i, c := range cells {
			t.widths[i] = max(t.widths[i], width(c.text))
		}
	}
	widths = slices.Clone(t.widths)
	if !t.options.Screen.Terminal {
		return widths, true
	}
	return widths, t.shrink(widths, t.options.Screen.Width-frame)
}

// shrink reduces the widths to room in total: first of the widest text columns,
// then of any other, and last of those that must not be cut, for which it
// returns false. Below the least widths the terminal wraps the line.
func (t *tableWriter) shrink(widths []int, room int) (whole bool) {
	const leastText, leastOther = 10, 6
	total := 0
	for _, w := range widths {
		total += w
	}
	for _, pass := range []struct {
		least int
		gives func(columnInfo) bool
	}{
		{leastText, func(f columnInfo) bool { return f.kind == Text && !f.isUncuttable() }},
		{leastOther, func(f columnInfo) bool { return !f.isUncuttable() }},
		{leastOther, columnInfo.isUncuttable},
	} {
		whole = total <= room
		for total > room {
			widest := -1
			for i, w := range widths {
				if w > pass.least && pass.gives(t.fields[i]) && (widest < 0 || w > widths[widest]) {
					widest = i
				}
			}
			if widest < 0 {
				break
			}
			widths[widest]--
			total--
		}
	}
	return whole
}

// writeCardOf writes one row as a card.
func (f *printerBase) writeCardOf(out *bufio.Writer, values []string) error {
	cells := make([]cell, len(f.fields))
	for i, field := range f.fields {
		cells[i] = newCell(f.options, field.kind, values[i])
	}
	writeCard(out, f.options, f.fields, cells)
	return nil // a bufio.Writer keeps its first error
}

// writeCard writes a row as lines of a title and a value. It cuts nothing: a
// token that is shown only once must be whole.
func writeCard(out *bufio.Writer, o Options, fields []columnInfo, cells []cell) {
	widest := 0
	for _, field := range fields {
		widest = max(widest, width(Sanitise(field.title)))
	}
	for i, c := range cells {
		if !o.NoHeader {
			title := cell{text: Sanitise(fields[i].title)}
			if o.Screen.Colour {
				title.colour = Bold
			}
			out.WriteString(title.paint(title.text))
			out.WriteString(strings.Repeat(" ", widest-width(title.text)+2))
		}
		out.WriteString(c.paint(c.text))
		out.WriteByte('\n')
	}
}
