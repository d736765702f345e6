package render

import (
	"bufio"
	"strings"
)

// writeCards writes the buffered rows as cards, separated by blank lines.
func (t *tableWriter) writeCards() {
	for n, cells := range t.buffered {
		if n > 0 {
			t.out.WriteByte('\n')
		}
		t.writeCard(cells)
	}
}

// leastCardRoom is the room below which values are written under their titles.
const leastCardRoom = 16

// writeCard writes a row as lines of a title and a value. On a terminal it omits empty values that
// the user did not request, and wraps values wider than the screen. It cuts nothing: a token
// that is shown only once must be complete.
func (t *tableWriter) writeCard(cells []cell) {
	o, indent := t.options, 0
	for i, f := range t.fields {
		if !o.NoHeader && f.inCard(o, cells[i]) {
			indent = max(indent, width(f.heading(o).text)+columnGap)
		}
	}
	room := o.Screen.Width - indent
	for i, f := range t.fields {
		if !f.inCard(o, cells[i]) {
			continue
		}
		title := f.heading(o)
		if o.NoHeader {
			title = cellLine{}
		}
		switch {
		case !o.Screen.Terminal:
			writeField(t.out, title, cells[i], indent)
		case indent > 0 && (room < leastCardRoom || cells[i].longestWord() > room): // it may fit unbroken on the next line
			writeField(t.out, title, cell{{}}, 0)
			writeField(t.out, cellLine{}, cells[i].wrap(o.Screen.Width-columnGap), columnGap)
		default:
			writeField(t.out, title, cells[i].wrap(room), indent)
		}
	}
}

// writeField writes a title and the lines of a value, indented.
func writeField(out *bufio.Writer, title cellLine, value cell, indent int) {
	out.WriteString(title.paint())
	space := indent - width(title.text)
	for _, line := range value {
		if line.text != "" {
			out.WriteString(strings.Repeat(" ", max(0, space)))
			out.WriteString(line.paint())
		}
		out.WriteByte('\n')
		space = indent
	}
}

// inCard reports whether a card has a line for the cell.
func (f columnInfo) inCard(o Options, c cell) bool {
	return c[0].text != "" || f.asked || !o.Screen.Terminal
}

// heading returns the title.
func (f columnInfo) heading(o Options) cellLine {
	title := cellLine{text: Sanitise(f.Title)}
	if o.Screen.Terminal {
		title.text = strings.ReplaceAll(title.text, "_", " ")
	}
	if o.Screen.Colour {
		title.colour = Bold
	}
	return title
}
