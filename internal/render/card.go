package render

import (
	"bufio"
	"strings"

	"github.com/mattn/go-runewidth"
)

// writeCards writes the buffered rows as cards, separated by blank lines.
func (t *tableWriter) writeCards() {
	for n, cells := range t.buffered {
		if n > 0 {
			t.out.WriteByte('\n')
		}
		writeCard(t.out, t.options, t.fields, cells)
	}
}

// leastCardRoom is the room below which values are written under their titles.
const leastCardRoom = 16

// writeCard writes a row as lines of a title and a value. On a terminal it omits empty values that
// the user did not request, and wraps values wider than the screen. It cuts nothing: a token
// that is shown only once must be complete.
func writeCard(out *bufio.Writer, o Options, fields []columnInfo, cells []cell) {
	indent := 0
	for i, f := range fields {
		if !o.NoHeader && f.inCard(o, cells[i]) {
			indent = max(indent, width(f.heading(o).text)+columnGap)
		}
	}
	room := o.Screen.Width - indent
	for i, f := range fields {
		if !f.inCard(o, cells[i]) {
			continue
		}
		title := f.heading(o)
		if o.NoHeader {
			title = cellLine{}
		}
		switch {
		case !o.Screen.Terminal:
			writeField(out, title, cells[i], indent)
		case indent > 0 && (room < leastCardRoom || cells[i].longestWord() > room): // it may fit unbroken on the next line
			writeField(out, title, cell{{}}, 0)
			writeField(out, cellLine{}, cells[i].wrap(o.Screen.Width-columnGap), columnGap)
		default:
			writeField(out, title, cells[i].wrap(room), indent)
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

// terminalWidths returns the rules by which terminals outside East Asia count widths, regardless
// of the environment.
func terminalWidths() *runewidth.Condition {
	return &runewidth.Condition{StrictEmojiNeutral: true}
}

// width returns the number of character cells that s takes.
func width(s string) int { return terminalWidths().StringWidth(s) }

// limit returns the cell in at most room character cells: a sentence in the only row is wrapped,
// anything else is cut to one line at its end, a path at its start.
func (c cell) limit(kind Kind, room int, alone bool) cell {
	line := c[0]
	if kind == Statuses {
		if line = c.inLine(false); width(line.text) > room {
			line = c.inLine(true).share(room)
		}
	}
	switch {
	case width(line.text) <= room:
	case kind == Prose && alone:
		return c.wrap(room)
	case kind == Path:
		line.text = terminalWidths().TruncatePrefix(line.text, room, "…")
	default:
		line.text = terminalWidths().Truncate(line.text, room, "…")
	}
	return cell{line}
}

// wrap returns the cell with its lines broken if they are wider than room: between the parts of a
// list ("; "), then between words.
func (c cell) wrap(room int) cell {
	if c.width() <= room {
		return c
	}
	var lines cell
	for _, line := range c {
		for part := range strings.SplitSeq(strings.ReplaceAll(line.text, "; ", ";\n"), "\n") {
			for _, text := range Wrap(part, room) {
				lines = append(lines, cellLine{text: text, colour: line.colour})
			}
		}
	}
	return lines
}

// Wrap breaks a text into lines of at most room character cells: between words, and inside a word
// that is wider. It drops the spaces at which it breaks.
func Wrap(s string, room int) []string {
	var words []string
	for word := range strings.SplitSeq(s, " ") {
		for width(word) > room {
			part := terminalWidths().Truncate(word, room, "")
			if part == "" { // not even one character fits
				break
			}
			words, word = append(words, part), word[len(part):]
		}
		words = append(words, word)
	}
	return fill(words, room)
}

// fill joins words, by spaces, into lines of at most room character cells. A word that is wider
// has a line of its own.
func fill(words []string, room int) []string {
	var lines []string
	line := ""
	for _, word := range words {
		if joined := line + " " + word; line != "" && width(joined) <= room {
			line = joined
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		line = word
	}
	return append(lines, line)
}

// longestWord returns the width of the widest word of the cell.
func (c cell) longestWord() int {
	widest := 0
	for _, line := range c {
		for word := range strings.SplitSeq(line.text, " ") {
			widest = max(widest, width(word))
		}
	}
	return widest
}
