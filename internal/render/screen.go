package render

import (
	"io"
	"os"

	"golang.org/x/term"

	"ativa/internal/api"
	"ativa/internal/system"
)

// Screen describes where output goes. The zero value is a pipe or a file.
type Screen struct {
	Terminal bool
	// Width and Height are in character cells; both are 0 off a terminal.
	Width, Height int
	// Colour allows colours.
	Colour bool
}

// The values of --color.
const (
	ColourAuto   = "auto"
	ColourAlways = "always"
	ColourNever  = "never"
)

// DetectScreen returns the properties of w. The error is a usage error about
// --color.
func DetectScreen(w io.Writer, color string, getenv func(string) string) (Screen, error) {
	var s Screen
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		s = Screen{Terminal: true, Width: 80, Height: 24}
		if width, height, err := term.GetSize(int(f.Fd())); err == nil && width > 0 && height > 0 {
			s.Width, s.Height = width, height
		}
	}
	var err error
	s.Colour, err = UseColour(color, s.Terminal, getenv)
	if f, ok := w.(*os.File); ok && s.Terminal && s.Colour && color != ColourAlways {
		s.Colour = system.TakesColours(f)
	}
	return s, err
}

// UseColour reports whether to use colours. It follows the flag, else NO_COLOR,
// else CLICOLOR_FORCE, else whether the output is a terminal with colours.
func UseColour(color string, terminal bool, getenv func(string) string) (bool, error) {
	switch color {
	case ColourAlways:
		return true, nil
	case ColourNever:
		return false, nil
	case ColourAuto, "":
	default:
		return false, unknownValue("--color", color, []string{ColourAuto, ColourAlways, ColourNever})
	}
	force := getenv("CLICOLOR_FORCE")
	switch {
	case getenv("NO_COLOR") != "":
		return false, nil
	case force != "" && force != "0":
		return true, nil
	default:
		return terminal && getenv("TERM") != "dumb" && getenv("CLICOLOR") != "0", nil
	}
}

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

// StatusColour returns the colour of a status, by its name in the API: green works, yellow is
// paused, grey has ended, red failed, cyan is in progress. An unknown status has none. The colour
// only repeats what the word next to it says.
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
