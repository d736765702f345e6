package render

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// terminalWidths returns the rules by which terminals outside East Asia count widths, regardless
// of the environment.
func terminalWidths() *runewidth.Condition {
	return &runewidth.Condition{StrictEmojiNeutral: true}
}

// width returns the number of character cells that s takes.
func width(s string) int { return terminalWidths().StringWidth(s) }

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
