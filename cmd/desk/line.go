package desk

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"ativa/internal/render"
)

// span is a text in one colour. Its text is safe for a terminal: [text] and
// [coloured] are the only ways to make one.
type span struct {
	text   string
	colour render.Colour
	chosen bool // in reverse video
}

// line is a line of the screen.
type line []span

// text is a span in the terminal's own colour. What a terminal would interpret is
// escaped, whoever wrote it.
func text(s string) span { return span{text: render.Sanitise(s)} }

// coloured is a text in a colour.
func coloured(c render.Colour, s string) span { return span{text: render.Sanitise(s), colour: c} }

// spaces is n of them, none for a negative number.
func spaces(n int) span { return span{text: strings.Repeat(" ", max(0, n))} }

// width is how many cells of the terminal the line takes.
func (l line) width() int {
	sum := 0
	for _, s := range l {
		sum += ansi.StringWidthWc(s.text)
	}
	return sum
}

// cut is the line in at most room cells: what is cut ends in an ellipsis.
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

// pad is the line in exactly room cells.
func (l line) pad(room int) line {
	l = l.cut(room)
	return append(l[:len(l):len(l)], spaces(room-l.width()))
}

// and is the line with another span behind it.
func (l line) and(s span) line { return append(l[:len(l):len(l)], s) }

// between is the line with another at the right end of room cells; the left one
// gives way.
func (l line) between(right line, room int) line {
	right = right.cut(room)
	left := l.cut(max(0, room-right.width()-1))
	return append(append(left[:len(left):len(left)], spaces(room-left.width()-right.width())), right...)
}

// chosen is the line in reverse video over room cells.
func (l line) chosen(room int) line {
	l = l.pad(room)
	for i := range l {
		l[i].chosen = true
	}
	return l
}

// reversed is the colour in reverse video. Grey is the ground of no text: some terminals
// show nothing on it.
func (s span) reversed() render.Colour {
	const reverse render.Colour = "7"
	if s.colour == "" || s.colour == render.Grey {
		return reverse
	}
	return reverse + ";" + s.colour
}

// write is the line as the terminal gets it.
func (l line) write(b *strings.Builder, colours bool) {
	for _, s := range l {
		switch {
		case !colours:
			b.WriteString(s.text)
		case s.chosen:
			b.WriteString(s.reversed().Paint(s.text))
		default:
			b.WriteString(s.colour.Paint(s.text))
		}
	}
}

// wrapped breaks a text into lines of at most room cells, each behind indent spaces.
func wrapped(s span, indent, room int) []line {
	var lines []line
	for part := range strings.SplitSeq(ansi.WrapWc(s.text, max(1, room-indent), " "), "\n") {
		lines = append(lines, line{spaces(indent), {text: strings.TrimSpace(part), colour: s.colour}})
	}
	return lines
}
