package render

import (
	"strings"
	"time"

	"github.com/mattn/go-runewidth"
)

// cell is a sanitised text with its colour.
type cell struct {
	text   string
	colour Colour
}

// paint returns shown, which may be a part of the text, in the cell's colour.
func (c cell) paint(shown string) string { return c.colour.Paint(shown) }

// newCell returns the cell for a value of the kind.
func newCell(o Options, kind Kind, s string) cell {
	switch kind {
	case Document:
		if !o.ShowDocuments {
			s = maskDocument(s)
		}
	case Time:
		if at, err := time.Parse(time.RFC3339Nano, s); err == nil {
			s = at.In(zone(o)).Format("2006-01-02 15:04:05")
		}
	case Status:
		if o.Screen.Colour {
			return cell{Sanitise(translate(o, kind, s)), StatusColour(s)}
		}
		s = translate(o, kind, s)
	case Word:
		s = translate(o, kind, s)
	}
	return cell{text: Sanitise(s)}
}

func translate(o Options, kind Kind, word string) string {
	if o.TranslateWord == nil {
		return word
	}
	return o.TranslateWord(kind, word)
}

func zone(o Options) *time.Location {
	if o.Zone == nil {
		return time.UTC
	}
	return o.Zone
}

// maskDocument hides all digits but six of a CPF, and all of any other text.
func maskDocument(s string) string {
	if s == "" {
		return ""
	}
	digits := digitsOf(s)
	if len(digits) != documentSize {
		return "***.***.***-**"
	}
	return "***." + digits[3:6] + "." + digits[6:9] + "-**"
}

const documentSize = 11 // digits of a CPF

func digitsOf(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}

// formatForExcel adds the usual punctuation to documents and Brazilian telephone
// numbers. Excel reads bare digits as a number: it drops leading zeros and the
// digits beyond its precision.
func formatForExcel(kind Kind, s string) string {
	switch kind {
	case Document:
		if d := digitsOf(s); len(d) == documentSize {
			return d[:3] + "." + d[3:6] + "." + d[6:9] + "-" + d[9:]
		}
	case Phone:
		const landline, mobile = 10, 11
		d, ok := strings.CutPrefix(s, "+55")
		if n := len(d); ok && (n == landline || n == mobile) && digitsOf(d) == d {
			return "(" + d[:2] + ") " + d[2:n-4] + "-" + d[n-4:]
		}
	}
	return s
}

// terminalWidths counts widths as terminals outside East Asia do, regardless of
// the environment.
func terminalWidths() *runewidth.Condition {
	return &runewidth.Condition{StrictEmojiNeutral: true}
}

// width returns the number of character cells that s takes.
func width(s string) int { return terminalWidths().StringWidth(s) }

// truncate cuts s to the width, with … at its end.
func truncate(s string, room int) string { return terminalWidths().Truncate(s, room, "…") }
