package render

import (
	"bufio"
	"strings"
)

// writeCardOf writes one thing as names and values below each other.
func (f *printerBase) writeCardOf(out *bufio.Writer, values []string) error {
	cells := make([]cell, len(f.fields))
	for i, field := range f.fields {
		cells[i] = newCell(f.options, field.kind, values[i])
	}
	writeCard(out, f.options, f.fields, cells)
	return nil // output.finish has the first error of the buffer
}

// writeCard writes names and cells below each other. Nothing is cut: a token
// that is shown once must be there whole.
func writeCard(out *bufio.Writer, o Options, fields []columnInfo, cells []cell) {
	widest := 0
	for _, field := range fields {
		widest = max(widest, width(Sanitize(field.title)))
	}
	for i, c := range cells {
		if !o.NoHeader {
			title := cell{text: Sanitize(fields[i].title)}
			if o.Screen.Colour {
				title.colour = bold
			}
			out.WriteString(title.paint(title.text))
			out.WriteString(strings.Repeat(" ", widest-width(title.text)+2))
		}
		out.WriteString(c.paint(c.text))
		out.WriteByte('\n')
	}
}
