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
type table struct {
	out    *bufio.Writer
	o      Options
	fields []field

	chunk  [][]cell
	widths []int
	begun  bool
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
		return t.boxed()
	}
	return t.columns()
}

// columns writes the chunk as plain columns, two spaces apart.
func (t *table) columns() error {
	const gap = 2
	widths := t.fit(gap*len(t.fields) - gap)
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
// and the frame fit on the screen.
func (t *table) fit(frame int) []int {
	for _, cells := range t.chunk {
		for i, c := range cells {
			t.widths[i] = max(t.widths[i], width(c.text))
		}
	}
	widths := slices.Clone(t.widths)
	if !t.o.Screen.Terminal {
		return widths
	}
	t.shrink(widths, t.o.Screen.Width-frame)
	return widths
}

// shrink takes from the widest text first, then from any other column; below
// the least width a terminal has to wrap the line.
func (t *table) shrink(widths []int, room int) {
	const leastText, leastOther = 10, 6
	total := 0
	for _, w := range widths {
		total += w
	}
	for _, pass := range []struct {
		textOnly bool
		least    int
	}{{true, leastText}, {false, leastOther}} {
		for total > room {
			widest := -1
			for i, w := range widths {
				text := t.fields[i].kind == Text
				if w > pass.least && (text || !pass.textOnly) && (widest < 0 || w > widths[widest]) {
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
}
