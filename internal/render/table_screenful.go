package render

import (
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// drawScreenful aligns the lines with tablewriter. It puts a space before and after each cell and
// removes the first one of a line. It is for a screenful only: tablewriter is many times
// slower than writeLines.
func (t *tableWriter) drawScreenful(lines [][]cellLine) error {
	align := make(tw.Alignment, len(t.shown))
	for place, i := range t.shown {
		align[place] = tw.AlignLeft
		if t.fields[i].Kind == Number {
			align[place] = tw.AlignRight
		}
	}
	twwidth.SetEastAsian(false) // as terminalWidths
	var drawn strings.Builder
	w := tablewriter.NewTable(&drawn,
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{Borders: tw.BorderNone,
			Settings: tw.Settings{Separators: tw.SeparatorsNone, Lines: tw.LinesNone}})),
		tablewriter.WithRowAutoFormat(tw.Off), tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithTrimSpace(tw.Off),
		tablewriter.WithAlignment(align),
	)
	for _, line := range lines {
		texts := make([]string, len(line))
		for i, c := range line {
			texts[i] = c.paint()
		}
		if err := w.Append(texts); err != nil {
			return err
		}
	}
	if err := w.Render(); err != nil {
		return err
	}
	for line := range strings.Lines(drawn.String()) {
		t.out.WriteString(strings.TrimRight(strings.TrimPrefix(line, " "), " \n"))
		t.out.WriteByte('\n')
	}
	return nil // a bufio.Writer keeps its first error
}
