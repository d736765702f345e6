package desk

import (
	"strings"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/render"
)

// paneWidth is the minimum width in columns for titled panes.
const paneWidth = 100

// column returns a copy of the model that draws a pane of that width.
func (m *model) column(width int) *model {
	c := *m
	c.width = width
	return &c
}

// resultPanes returns the results next to the details of the chosen one, and the rule above
// with both titles.
func (m *model) resultPanes(height int) (lines []line, rule line) {
	left := m.column(m.width * 3 / 5)
	right := m.column(m.width - left.width - 1)
	chosen := m.search.found[m.search.chosen]
	list, details := fill(left.resultLines(height), height), fill(right.detailLines(chosen), height)
	for i := range height {
		lines = append(lines, append(append(list[i].pad(left.width), coloured(render.Grey, "│")), details[i].cut(right.width)...))
	}
	rule = append(left.titledRule(m.translate(cli.Msg("Results"))), coloured(render.Grey, "┬"))
	return lines, append(rule, right.titledRule(m.translate(cli.Msg("Subscriber")))...)
}

// detailLines shows a search result in detail.
func (m *model) detailLines(s api.Subscriber) []line {
	lines := []line{line{spaces(1), coloured(render.Bold, s.Name)}.between(line{text(m.document(s.Document)), spaces(1)}, m.width)}
	for _, fact := range m.facts(s) {
		lines = append(lines, line{spaces(1), text(fact)})
	}
	lines = append(lines, nil)
	for _, i := range displayOrder(s.Services) {
		lines = append(lines, line{spaces(1), text(serviceName(s.Services[i])), spaces(2), m.status(s.Services[i].Status)})
	}
	return lines
}

// rule returns a horizontal line, with the position in a body longer than the screen.
func (m *model) rule(place string) line {
	if place != "" {
		place = " " + place + " "
	}
	width := line{text(place)}.width()
	return line{coloured(render.Grey, strings.Repeat("─", max(0, m.width-width-1))+place+"─")}
}

// titledRule returns a horizontal line with the title of the part below.
func (m *model) titledRule(title string) line {
	l := line{coloured(render.Grey, "─ "), coloured(render.Bold, title), spaces(1)}
	return l.and(coloured(render.Grey, strings.Repeat("─", max(0, m.width-l.width())))).cut(m.width)
}

// heading returns the title of a section of the card: an empty line and the title or, from
// paneWidth columns on, a titled rule.
func (m *model) heading(title cli.Message) []line {
	if m.width >= paneWidth {
		return []line{m.titledRule(m.translate(title))}
	}
	return []line{nil, {spaces(1), coloured(render.Bold, m.translate(title))}}
}
