package render

import (
	"strings"
	"time"

	"github.com/mattn/go-runewidth"

	"ativa/internal/api"
)

// colour is a Select Graphic Rendition parameter; empty is none.
type colour string

const (
	bold   colour = "1"
	red    colour = "31"
	green  colour = "32"
	yellow colour = "33"
	cyan   colour = "36"
	grey   colour = "90"
)

// cell is a text as a person sees it, safe for a terminal.
type cell struct {
	text   string
	colour colour
}

// paint is the text, as much of it as is shown, in the cell's colour.
func (c cell) paint(shown string) string {
	if c.colour == "" || shown == "" {
		return shown
	}
	return "\x1b[" + string(c.colour) + "m" + shown + "\x1b[0m"
}

// newCell is the cell for a value of that kind.
func newCell(o Options, kind Kind, s string) cell {
	switch kind {
	case Document:
		if !o.ShowDocuments {
			s = masked(s)
		}
	case Time:
		if at, err := time.Parse(time.RFC3339Nano, s); err == nil {
			s = at.In(zone(o)).Format("2006-01-02 15:04:05")
		}
	case Status:
		if o.Screen.Colour {
			return cell{Safe(s), statusColour(s)}
		}
	}
	return cell{text: Safe(s)}
}

func zone(o Options) *time.Location {
	if o.Zone == nil {
		return time.UTC
	}
	return o.Zone
}

// masked shows six digits of a CPF, and nothing of a document that is none.
func masked(s string) string {
	if s == "" {
		return ""
	}
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
	const size = 11
	if len(digits) != size {
		return "***.***.***-**"
	}
	return "***." + digits[3:6] + "." + digits[6:9] + "-**"
}

// statusColour is by what a status means to staff: it works, it is paused, it
// has ended, it failed, or it is under way. A status we do not know has none.
func statusColour(name string) colour {
	switch name {
	case "active":
		return green
	case "suspend", "overdue", "limitReached":
		return yellow
	case "canceled", "canceledWithoutActivation":
		return grey
	case "error", api.ResultFailed:
		return red
	}
	for _, s := range api.Statuses() {
		if s.Name == name {
			return cyan
		}
	}
	return ""
}

// terminalWidths counts as terminals outside East Asia do, whatever the
// environment says.
func terminalWidths() *runewidth.Condition {
	return &runewidth.Condition{StrictEmojiNeutral: true}
}

// width is the number of character cells that s takes.
func width(s string) int { return terminalWidths().StringWidth(s) }

// truncate is as much of s as fits, with … at its end.
func truncate(s string, room int) string { return terminalWidths().Truncate(s, room, "…") }
