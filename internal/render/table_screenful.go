package render

import (
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// drawScreenful lets tablewriter align the lines. It puts a space before and after each cell; the
// first one of a line is removed. It is for a screenful only, because tablewriter is many times
// slower than writeLines.
func (t *tableWriter) drawScreenful(lines [][]cell) error {
	align := make(tw.Alignment, len(t.shown))
	for place, i := range t.shown {
		align[place] = tw.AlignLeft
		if t.fields[i].kind == Number {
			align[place] = tw.AlignRight
		}
	}
	var drawn strings.Builder
	w := tablewriter.NewTable(&drawn,
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{Borders: tw.BorderNone,
			Settings: tw.Settings{Separators: tw.SeparatorsNone, Lines: tw.LinesNone}})),
		tablewriter.WithRowAutoFormat(tw.Off), tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithTrimSpace(tw.Off),
		tablewriter.WithAlignment(align),
	)
	var cells placeholders
	for _, line := range lines {
		if err := w.Append(cells.replace(line)); err != nil {
			return err
		}
	}
	if err := w.Render(); err != nil {
		return err
	}
	for line := range strings.Lines(drawn.String()) {
		t.out.WriteString(cells.restore(strings.TrimRight(strings.TrimPrefix(line, " "), " \n")))
		t.out.WriteByte('\n')
	}
	return nil // a bufio.Writer keeps its first error
}

// placeholders keeps the texts of the cells while tablewriter draws. tablewriter counts the width
// of an emoji rune by rune and would draw crooked columns. Therefore it gets a mark of no width
// and an x for each column of the text, and the texts replace these in order. Cells are sanitised,
// so none contains the mark.
type placeholders struct{ kept []cell }

const placeholderMark = "\x01"

func (p *placeholders) replace(line []cell) []string {
	out := make([]string, len(line))
	for i, c := range line {
		if c.text != "" {
			p.kept = append(p.kept, c)
			out[i] = placeholderMark + strings.Repeat("x", width(c.text))
		}
	}
	return out
}

// restore puts the texts of the next cells into a drawn line.
func (p *placeholders) restore(drawn string) string {
	var b strings.Builder
	before, rest, found := strings.Cut(drawn, placeholderMark)
	for ; found; before, rest, found = strings.Cut(rest, placeholderMark) {
		b.WriteString(before)
		b.WriteString(p.kept[0].paint())
		rest = rest[width(p.kept[0].text):]
		p.kept = p.kept[1:]
	}
	b.WriteString(before)
	return b.String()
}
