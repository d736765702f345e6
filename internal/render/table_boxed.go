package render

import (
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// drawBoxed draws the buffered rows with lines around them. It is for a screenful
// only, because tablewriter is many times slower than plain columns.
func (t *tableWriter) drawBoxed(widths []int) error {
	align := make(tw.Alignment, len(t.fields))
	for i, f := range t.fields {
		align[i] = tw.AlignLeft
		if f.kind == Number {
			align[i] = tw.AlignRight
		}
	}
	var drawn strings.Builder
	w := tablewriter.NewTable(&drawn,
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{Symbols: tw.NewSymbols(tw.StyleRounded)})),
		tablewriter.WithHeaderAutoFormat(tw.Off), tablewriter.WithRowAutoFormat(tw.Off),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone), tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithTrimSpace(tw.Off),
		tablewriter.WithAlignment(align),
	)
	var cells placeholders
	if !t.options.NoHeader {
		w.Header(cells.replace(t, t.header(), widths))
	}
	for _, row := range t.buffered {
		if err := w.Append(cells.replace(t, row, widths)); err != nil {
			return err
		}
	}
	if err := w.Render(); err != nil {
		return err
	}
	_, err := t.out.WriteString(cells.restore(drawn.String()))
	return err
}

// placeholders keep the texts of the cells while tablewriter draws. It counts
// the width of an emoji rune by rune and would draw crooked lines. Therefore it
// gets a mark of no width and an x for each column of the text, and the texts
// replace these in their order. Cells are sanitised, so none contains the mark.
type placeholders struct{ texts []placeholder }

type placeholder struct {
	text  string
	width int
}

const placeholderMark = "\x01"

func (s *placeholders) replace(t *tableWriter, cells []cell, widths []int) []string {
	out := make([]string, len(cells))
	for i, c := range cells {
		shown := t.cut(c.text, widths[i])
		w := width(shown)
		s.texts = append(s.texts, placeholder{c.paint(shown), w})
		out[i] = placeholderMark + strings.Repeat("x", w)
	}
	return out
}

func (s *placeholders) restore(drawn string) string {
	var b strings.Builder
	parts := strings.Split(drawn, placeholderMark)
	b.WriteString(parts[0])
	for i, part := range parts[1:] {
		b.WriteString(s.texts[i].text)
		b.WriteString(part[s.texts[i].width:])
	}
	return b.String()
}
