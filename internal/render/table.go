package render

import (
	"bufio"
	"slices"
	"strings"
)

// table shows rows to people. What fits on the screen is drawn with lines; a
// longer list is plain columns, which flow through any pager. The widths of
// columns are found a chunk at a time and only grow, so that a list of any
// length needs little memory and nothing is cut before the screen is full.
// Where the screen is too narrow even so, each row is a card.
type table struct {
	out    *bufio.Writer
	o      Options
	fields []field

	chunk  [][]cell
	widths []int
	begun  bool
	cards  bool
}

// chunkRows is how many rows are held back to find widths.
const chunkRows = 256

func (t *table) open() error {
	t.widths = make([]int, len(t.fields))
	if t.o.NoHeader {
		return nil
	}
	for i, f := range t.fields {
		t.widths[i] = width(Safe(f.title))
	}
	return nil
}

func (t *table) row(r record) error {
	cells := make([]cell, len(r.cells))
	for i, s := range r.cells {
		cells[i] = newCell(t.o, t.fields[i].kind, s)
	}
	t.chunk = append(t.chunk, cells)
	if t.o.Live || len(t.chunk) == chunkRows {
		return t.columns()
	}
	return nil
}

func (t *table) close(bool) error {
	const lines = 5 // of the frame and the prompt
	fits := t.o.Screen.Terminal && len(t.chunk)+lines <= t.o.Screen.Height
	if fits && !t.begun && !t.o.Live && len(t.fields) > 0 {
		const sides, edge = 3, 1
		if widths, whole := t.fit(sides*len(t.fields) + edge); whole {
			return t.boxed(widths)
		}
	}
	return t.columns()
}

// columns writes the chunk as plain columns, two spaces apart.
func (t *table) columns() error {
	const gap = 2
	widths, whole := t.fit(gap*len(t.fields) - gap)
	if t.cards = t.cards || !whole && !t.begun && !t.o.Live; t.cards {
		return t.asCards()
	}
	if !t.begun && !t.o.NoHeader && len(t.fields) > 0 {
		if err := t.line(t.header(), widths); err != nil {
			return err
		}
	}
	t.begun = true
	for _, cells := range t.chunk {
		if err := t.line(cells, widths); err != nil {
			return err
		}
	}
	t.chunk = t.chunk[:0]
	return nil
}

// asCards writes the rows of the chunk as cards, a blank line between two.
func (t *table) asCards() error {
	for _, cells := range t.chunk {
		if t.begun {
			t.out.WriteByte('\n')
		}
		t.begun = true
		writeCard(t.out, t.o, t.fields, cells)
	}
	t.chunk = t.chunk[:0]
	return nil // a bufio.Writer keeps its first error
}

func (t *table) line(cells []cell, widths []int) error {
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

func (t *table) header() []cell {
	cells := make([]cell, len(t.fields))
	for i, f := range t.fields {
		cells[i] = cell{text: Safe(f.title)}
		if t.o.Screen.Colour {
			cells[i].colour = bold
		}
	}
	return cells
}

// cut shortens a text that is too wide, on a terminal only.
func (t *table) cut(s string, room int) string {
	if !t.o.Screen.Terminal || width(s) <= room {
		return s
	}
	return truncate(s, room)
}

// fit widens the columns for the chunk, and gives the widths with which they
// and the frame fit on the screen, and whether they leave the pinned ones whole.
func (t *table) fit(frame int) (widths []int, whole bool) {
	for _, cells := range t.chunk {
		for i, c := range cells {
			t.widths[i] = max(t.widths[i], width(c.text))
		}
	}
	widths = slices.Clone(t.widths)
	if !t.o.Screen.Terminal {
		return widths, true
	}
	return widths, t.shrink(widths, t.o.Screen.Width-frame)
}

// shrink takes from the widest text first, then from any other column, and from
// the pinned ones last, which it tells; below the least width a terminal has to
// wrap the line.
func (t *table) shrink(widths []int, room int) (whole bool) {
	const leastText, leastOther = 10, 6
	total := 0
	for _, w := range widths {
		total += w
	}
	for _, pass := range []struct {
		least int
		gives func(field) bool
	}{
		{leastText, func(f field) bool { return f.kind == Text && !f.pinned() }},
		{leastOther, func(f field) bool { return !f.pinned() }},
		{leastOther, field.pinned},
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
