package render

import (
	"bufio"
	"strings"
)

// card writes one thing as names and values below each other. Nothing is cut:
// a token that is shown once must be there whole.
func (f *frame) card(out *bufio.Writer, values []string) error {
	widest := 0
	for _, field := range f.fields {
		widest = max(widest, width(Safe(field.title)))
	}
	for i, field := range f.fields {
		if !f.o.NoHeader {
			title := cell{text: Safe(field.title)}
			if f.o.Screen.Colour {
				title.colour = bold
			}
			out.WriteString(title.paint(title.text))
			out.WriteString(strings.Repeat(" ", widest-width(title.text)+2))
		}
		c := newCell(f.o, field.kind, values[i])
		out.WriteString(c.paint(c.text))
		out.WriteByte('\n')
	}
	return nil // output.finish has the first error of the buffer
}
