package desk

import (
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ativa/internal/render"
)

// input is a one-line text field.
type input struct {
	runes []rune
	at    int // cursor position
}

func (i *input) text() string { return string(i.runes) }

func (i *input) clear() { *i = input{} }

// insert adds typed or pasted text at the cursor. White space becomes spaces, control characters
// are dropped, and the text is at most 255 characters long.
func (i *input) insert(s string) {
	typed := []rune(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, s))
	const longest = 255 // maximum length of a name
	typed = typed[:min(len(typed), max(0, longest-len(i.runes)))]
	i.runes = slices.Insert(slices.Clone(i.runes), i.at, typed...)
	i.at += len(typed)
}

// press handles a key and reports whether it did.
func (i *input) press(k tea.KeyPressMsg) bool {
	switch k.String() {
	case "backspace", "ctrl+h":
		i.remove(i.at-1, i.at)
	case "delete", "ctrl+d":
		i.remove(i.at, i.at+1)
	case "ctrl+w", "alt+backspace":
		i.remove(i.wordStart(), i.at)
	case "ctrl+u":
		i.remove(0, i.at)
	case "ctrl+k":
		i.remove(i.at, len(i.runes))
	case "left", "ctrl+b":
		i.at = max(0, i.at-1)
	case "right", "ctrl+f":
		i.at = min(len(i.runes), i.at+1)
	case "home", "ctrl+a":
		i.at = 0
	case "end", "ctrl+e":
		i.at = len(i.runes)
	default:
		if k.Text == "" {
			return false
		}
		i.insert(k.Text)
	}
	return true
}

func (i *input) remove(from, to int) {
	from, to = max(0, from), min(len(i.runes), to)
	if from < to {
		i.runes = slices.Delete(slices.Clone(i.runes), from, to)
		i.at = from
	}
}

// wordStart returns the start of the word before the cursor.
func (i *input) wordStart() int {
	at := i.at
	for at > 0 && i.runes[at-1] == ' ' {
		at--
	}
	for at > 0 && i.runes[at-1] != ' ' {
		at--
	}
	return at
}

// view returns the part around the cursor that fits into room cells, and the number of cells
// before the cursor.
func (i *input) view(room int) (shown string, cursor int) {
	before := render.Sanitise(string(i.runes[:i.at]))
	if cut := ansi.StringWidthWc(before) - (room - 1); cut > 0 {
		before = ansi.TruncateLeftWc(before, cut, "")
	}
	cursor = ansi.StringWidthWc(before)
	return ansi.TruncateWc(before+render.Sanitise(string(i.runes[i.at:])), room, ""), cursor
}
