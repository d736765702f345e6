package render

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// terminalWidths counts widths as terminals outside East Asia do, regardless of
// the environment.
func terminalWidths() *runewidth.Condition {
	return &runewidth.Condition{StrictEmojiNeutral: true}
}

// width returns the number of character cells that s takes.
func width(s string) int { return terminalWidths().StringWidth(s) }

// limit returns the cell in at most room character cells: wrapped if it is of
// words or of several lines, else cut, a path at its start.
func (c cell) limit(kind Kind, room int) cell {
	if c.width() <= room {
		return c
	}
	switch kind {
	case Prose, Cause, Codes, Statuses:
		return c.wrap(room)
	case Status, Word:
		if c.longestWord() <= room {
			return c.wrap(room)
		}
		c.text = terminalWidths().Truncate(c.text, room, "…")
	case Path:
		c.text = terminalWidths().TruncatePrefix(c.text, room, "…")
	default:
		c.text = terminalWidths().Truncate(c.text, room, "…")
	}
	return c
}

// wrap returns the cell with its lines broken where they are wider than room.
func (c cell) wrap(room int) cell {
	if c.width() <= room {
		return c
	}
	var lines []cell
	for n := range 1 + len(c.more) {
		line := c.line(n)
		for _, text := range wrapText(line.text, room) {
			lines = append(lines, cell{text: text, colour: line.colour})
		}
	}
	lines[0].more = lines[1:]
	return lines[0]
}

// wrapText breaks a text into lines of at most room character cells: between
// words, and inside a word that is wider. It drops the blanks at which it breaks.
func wrapText(s string, room int) []string {
	var lines []string
	line := ""
	for word := range strings.SplitSeq(s, " ") {
		if joined := line + " " + word; line != "" && width(joined) <= room {
			line = joined
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for width(word) > room {
			part := terminalWidths().Truncate(word, room, "")
			if part == "" { // not even one character fits
				break
			}
			lines, word = append(lines, part), word[len(part):]
		}
		line = word
	}
	return append(lines, line)
}

// longestWord returns the width of the widest word of the cell.
func (c cell) longestWord() int {
	widest := 0
	for n := range 1 + len(c.more) {
		for word := range strings.SplitSeq(c.line(n).text, " ") {
			widest = max(widest, width(word))
		}
	}
	return widest
}
