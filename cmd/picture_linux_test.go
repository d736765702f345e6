package cmd

import (
	"fmt"
	"html"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hinshun/vt10x"

	"ativa/internal/cli"
	"ativa/internal/service/domain"
)

// TestPicturesAreAsCaptured takes the README's pictures from real runs, in colour with the fixed
// clock, and compares them with docs/pictures, which -update writes.
func TestPicturesAreAsCaptured(t *testing.T) {
	pictures, err := filepath.Abs("../docs/pictures")
	must(t, err)
	f := newCaptureFixture(t)
	delete(f.env, "NO_COLOR")
	f.env["TERM"] = "xterm-256color"
	golden(t, filepath.Join(pictures, "desk.svg"), picture{
		title:       "ativa desk",
		description: "The full screen of ativa desk shows the subscriber Ana Souza: each service with its status in plain words, and what happened to it.",
		screen:      f.deskScreen(),
	}.svg(t))
	golden(t, filepath.Join(pictures, "import.svg"), picture{
		title:       "ativa subscribers import",
		description: "A terminal in which a spreadsheet is imported: its wrong rows are named with line and reason, and the other rows are sent.",
		screen:      f.importScreen(),
	}.svg(t))
}

// settled is the time without output after which a screen is complete.
const settled = time.Second

func (f *captureFixture) deskScreen() vt10x.View {
	const columns, lines = 80, 24
	d := openTerminal(f.t, columns, lines)
	ended := make(chan int, 1)
	go func() {
		e := f.environment(d.terminal, "en")
		e.In = d.terminal
		ended <- Run(f.t.Context(), e, []string{"desk"})
	}()
	d.shows("Search:")
	d.typed("souza")
	d.shows("1 found")
	d.typed(enter)
	d.shows("History", "today 10:02", "Ctrl-Q quit")
	before := ""
	d.until("rests", func(string) bool {
		time.Sleep(settled)
		last := before
		before = d.written()
		return before == last
	})
	seen := vt10x.New(vt10x.WithSize(columns, lines))
	_, _ = io.WriteString(seen, before)
	d.typed(ctrlC)
	if exit := <-ended; exit != cli.ExitOK {
		f.t.Errorf("the desk ended with %d", exit)
	}
	return seen
}

func (f *captureFixture) importScreen() vt10x.View {
	text, err := os.ReadFile("operator/sample/assinantes.csv")
	must(f.t, err)
	must(f.t, os.WriteFile(filepath.Join(f.home, "assinantes.csv"), text, 0o600))
	_, token, err := f.m.CreateProvider(f.t.Context(), domain.Provider{Name: "Provedor Verde", Limit: 1000, AllProducts: true})
	must(f.t, err)
	f.env["ATIVA_ACCESS_TOKEN"] = token
	f.t.Chdir(f.home) // file names without directories
	d := openTerminal(f.t, 116, 30)
	const line = "subscribers import assinantes.csv --skip-invalid"
	fmt.Fprintf(d.terminal, "\x1b[1m$ ativa %s\x1b[0m\n", line)
	if exit := Run(f.t.Context(), f.environment(d.terminal, "en"), words(line)); exit != cli.ExitPartial {
		f.t.Errorf("the import ended with %d", exit)
	}
	d.output()
	return d.screen
}

type picture struct {
	title, description string
	screen             vt10x.View
}

// The size of a letter and of the margin, in pixels.
const letterWidth, lineHeight, letterMargin = 8, 18, 16

// svg draws the screen with the fonts of the reader, without its empty last lines.
func (p picture) svg(t *testing.T) string {
	t.Helper()
	columns, lines := p.screen.Size()
	var body, b strings.Builder
	height := 0
	for y := range lines {
		grounds, texts := p.line(t, y)
		body.WriteString(grounds)
		if texts != "" {
			height = (y+1)*lineHeight + 2*letterMargin
			fmt.Fprintf(&body, "<text y=\"%d\">%s</text>\n", letterMargin+y*lineHeight+13, texts)
		}
	}
	width := columns*letterWidth + 2*letterMargin
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" aria-labelledby=\"title desc\">\n", width, height, width, height)
	fmt.Fprintf(&b, "<title id=\"title\">%s</title>\n<desc id=\"desc\">%s</desc>\n", html.EscapeString(p.title), html.EscapeString(p.description))
	fmt.Fprintf(&b, "<rect width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#0d1117\"/>\n<g font-family=\"ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" font-size=\"13\" fill=\"#e6edf3\" xml:space=\"preserve\">\n%s</g>\n</svg>\n", width, height, &body)
	return b.String()
}

// line returns the texts of a line by style and column, for any width of the reader's font, and the
// grounds of those in reverse video.
func (p picture) line(t *testing.T, y int) (grounds, texts string) {
	t.Helper()
	columns, _ := p.screen.Size()
	for x := 0; x < columns; {
		first, from, text := p.screen.Cell(x, y), x, ""
		for ; x < columns; x++ {
			c := p.screen.Cell(x, y)
			if c.FG != first.FG || c.BG != first.BG || c.Mode != first.Mode {
				break
			}
			text += string(max(c.Char, ' '))
		}
		if first.BG != vt10x.DefaultBG {
			grounds += fmt.Sprintf("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\" shape-rendering=\"crispEdges\"/>\n", letterMargin+from*letterWidth, letterMargin+y*lineHeight, (x-from)*letterWidth, lineHeight, colourOf(t, first.BG))
		}
		shown := strings.TrimLeft(text, " ")
		from += len(text) - len(shown)
		if shown = strings.TrimRight(shown, " "); shown != "" {
			texts += fmt.Sprintf(`<tspan x="%d" textLength="%d"%s>%s</tspan>`, letterMargin+from*letterWidth, len([]rune(shown))*letterWidth, styleOf(t, first), html.EscapeString(shown))
		}
	}
	return grounds, texts
}

// colourOf returns a legible colour on the dark background for a colour of package render.
func colourOf(t *testing.T, c vt10x.Color) string {
	t.Helper()
	colour, ok := map[vt10x.Color]string{vt10x.DefaultFG: "#e6edf3", vt10x.DefaultBG: "#0d1117",
		vt10x.Red: "#ff7b72", vt10x.Green: "#7ee787", vt10x.Yellow: "#e3b341", vt10x.Cyan: "#76e3ea", vt10x.DarkGrey: "#8b949e"}[c]
	if !ok {
		t.Errorf("a picture has no colour for %d", c)
	}
	return colour
}

func styleOf(t *testing.T, c vt10x.Glyph) (style string) {
	t.Helper()
	const bold = 1 << 2 // of vt10x.Glyph.Mode
	if c.Mode&bold != 0 {
		style = ` font-weight="bold"`
	}
	if c.FG != vt10x.DefaultFG {
		style += ` fill="` + colourOf(t, c.FG) + `"`
	}
	return style
}
