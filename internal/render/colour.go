package render

import "ativa/internal/api"

// Colour is a Select Graphic Rendition parameter of terminals, or empty for none.
type Colour string

// The colours in use: those of the terminal's own palette, which its user chose.
const (
	Bold   Colour = "1"
	Red    Colour = "31"
	Green  Colour = "32"
	Yellow Colour = "33"
	Cyan   Colour = "36"
	Grey   Colour = "90"
)

// Paint returns the text in the colour.
func (c Colour) Paint(text string) string {
	if c == "" || text == "" {
		return text
	}
	return "\x1b[" + string(c) + "m" + text + "\x1b[0m"
}

// StatusColour returns the one colour of a status, by its name in the API: green
// works, yellow is paused, grey has ended, red failed, cyan is in progress. An
// unknown status has none. Colour only repeats what the word beside it says.
func StatusColour(name string) Colour {
	switch name {
	case "active":
		return Green
	case "suspend", "overdue", "limitReached":
		return Yellow
	case "canceled", "canceledWithoutActivation":
		return Grey
	case "error", api.ResultFailed:
		return Red
	}
	for _, s := range api.Statuses() {
		if s.Name == name {
			return Cyan
		}
	}
	return ""
}
