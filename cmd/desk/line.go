package desk

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"ativa/internal/render"
)

// span is text in one colour. It is safe for a terminal: only [text] and [coloured] create
// spans.
type span struct {
	text   string
	colour render.Colour
	chosen bool // in reverse video
}

// line is a line of the screen.
type line []span

// text returns a span in the terminal's own colour. It escapes control characters.
func text(s string) span { return span{text: render.Sanitise(s)} }

// coloured returns a span in a colour, escaped like that of text.
func coloured(c render.Colour, s string) span { return span{text: render.Sanitise(s), colour: c} }

// spaces returns n spaces, none for a negative number.
func spaces(n int) span { return span{text: strings.Repeat(" ", max(0, n))} }

// width returns the width of the line in terminal cells.
func (l line) width() int {
	sum := 0
	for _, s := range l {
		sum += ansi.StringWidthWc(s.text)
	}
	return sum
}

// cut shortens the line to room cells; a line that was cut ends in an ellipsis.
func (l line) cut(room int) line {
	if l.width() <= room {
		return l
	}
	var out line
	for _, s := range l {
		w := ansi.StringWidthWc(s.text)
		if w >= room {
			s.text = ansi.TruncateWc(s.text, max(0, room-1), "")
			return append(out, s, span{"…", s.colour, s.chosen})
		}
		out, room = append(out, s), room-w
	}
	return out
}

// pad cuts or fills the line to exactly room cells.
func (l line) pad(room int) line {
	l = l.cut(room)
	return append(l[:len(l):len(l)], spaces(room-l.width()))
}

// and appends a span to the line.
func (l line) and(s span) line { return append(l[:len(l):len(l)], s) }

// between aligns right to the end of room cells; if needed, the left line is cut.
func (l line) between(right line, room int) line {
	right = right.cut(room)
	left := l.cut(max(0, room-right.width()-1))
	return append(append(left[:len(left):len(left)], spaces(room-left.width()-right.width())), right...)
}

// chosen returns the line in reverse video, over room cells.
func (l line) chosen(room int) line {
	l = l.pad(room)
	for i := range l {
		l[i].chosen = true
	}
	return l
}

// reversed returns the colour in reverse video. Grey is never a background: some terminals show no
// text on it.
func (s span) reversed() render.Colour {
	const reverse render.Colour = "7"
	if s.colour == "" || s.colour == render.Grey {
		return reverse
	}
	return reverse + ";" + s.colour
}

// write writes the line with its colours. Reverse video is not a colour.
func (l line) write(b *strings.Builder, colours bool) {
	for _, s := range l {
		if !colours {
			s.colour = ""
		}
		if s.chosen {
			s.colour = s.reversed()
		}
		b.WriteString(s.colour.Paint(s.text))
	}
}

// wrapped breaks a text at its spaces into lines of at most room cells, each after indent spaces.
// Dates and telephone numbers stay whole: the library would break them at hyphens.
func wrapped(s span, indent, room int) []line {
	const hyphen, unbroken = "-", "\u2011"
	var lines []line
	for part := range strings.SplitSeq(ansi.WrapWc(strings.ReplaceAll(s.text, hyphen, unbroken), max(1, room-indent), " "), "\n") {
		lines = append(lines, line{spaces(indent), {text: strings.ReplaceAll(strings.TrimSpace(part), unbroken, hyphen), colour: s.colour}})
	}
	return lines
}
