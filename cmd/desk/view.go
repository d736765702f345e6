package desk

import (
	"cmp"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/cpf"
	"ativa/internal/lang"
	"ativa/internal/render"
	"ativa/internal/support"
)

// The smallest terminal on which the desk is usable.
const leastWidth, leastHeight = 60, 20

// headHeight is the number of lines above the body: the context, the search line and a rule.
const headHeight = 3

func (m *model) tooSmall() bool { return m.width < leastWidth || m.height < leastHeight }

// translate returns a message in the person's language.
func (m *model) translate(message cli.Message) string { return message.WithStatusWords().Text(m.lang) }

// View implements tea.Model.
func (m *model) View() tea.View {
	v := tea.View{AltScreen: true} // no WindowTitle: nothing could bring back the title before
	if m.width == 0 {
		return v
	}
	lines, cursor := m.screen()
	var b strings.Builder
	for i, l := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		l.cut(m.width).write(&b, m.colours)
	}
	v.Content, v.Cursor = b.String(), cursor
	return v
}

// screen returns exactly as many lines as the terminal has, and the cursor.
func (m *model) screen() (lines []line, cursor *tea.Cursor) {
	if m.tooSmall() {
		return fill(wrapped(text(m.translate(cli.Msg("The terminal has %d columns and %d lines; the desk needs %d by %d. Make it larger.",
			m.width, m.height, leastWidth, leastHeight))), 0, m.width), m.height), nil
	}
	foot, at := m.footLines()
	body, rule := m.bodyLines(m.height - headHeight - len(foot))
	search, typed := m.searchLine()
	lines = append([]line{m.headLine(), search, rule}, body...)
	lines = append(lines, foot...)
	switch {
	case m.help:
	case m.prompt != nil && at != nil:
		cursor = tea.NewCursor(at.column, m.height-1-at.up)
	case m.prompt == nil && !m.onCard:
		cursor = tea.NewCursor(typed, 1)
	}
	return lines, cursor
}

// bodyHeight returns the number of lines of a page.
func (m *model) bodyHeight() int {
	foot, _ := m.footLines()
	return max(1, m.height-headHeight-len(foot))
}

// fill cuts or pads lines to exactly n.
func fill(lines []line, n int) []line {
	for len(lines) < n {
		lines = append(lines, nil)
	}
	return lines[:max(0, n)]
}

// headLine shows the context, and whether it is protected or read-only.
func (m *model) headLine() line {
	left := line{spaces(1), coloured(render.Bold, "Ativa"), spaces(2), text(m.context)}
	switch {
	case m.protected:
		left = line{spaces(1), coloured(render.Red, "Ativa  "+m.context+"  "+m.translate(cli.Msg("protected")))}
	case m.readOnly:
		left = append(left, spaces(2), coloured(render.Yellow, m.translate(cli.Msg("read-only"))))
	}
	return left.between(line{coloured(render.Grey, m.clock().Format("15:04")), spaces(1)}, m.width)
}

// searchLine returns the search line and the column of its cursor.
func (m *model) searchLine() (l line, cursor int) {
	l = line{spaces(1), coloured(render.Bold, m.translate(cli.Msg("Search:"))), spaces(1)}
	right := line{coloured(render.Grey, m.translate(m.searchState())), spaces(1)}
	shown, at := m.search.input.view(m.width - l.width() - right.width() - 2)
	cursor = l.width() + at
	return append(l, text(shown)).between(right, m.width), cursor
}

func (m *model) searchState() cli.Message {
	s := &m.search
	switch {
	case s.waiting:
		return cli.Msg("searching…")
	case s.term == "" || s.term != s.typedTerm():
		return cli.Message{}
	case len(s.found) == maxFound:
		return cli.Msg("the first %d; type more", maxFound)
	}
	return cli.Msg("%d found", len(s.found))
}

// bodyLines returns height lines of the part in focus, and the rule above them.
func (m *model) bodyLines(height int) (lines []line, rule line) {
	switch {
	case m.help:
		return fill(m.helpLines(), height), m.rule("")
	case m.onCard:
		lines, first, last := m.cardLines()
		from := m.card.window(len(lines), first, last, height)
		place := ""
		if len(lines) > height {
			place = strconv.Itoa(from+1) + "–" + strconv.Itoa(from+height) + "/" + strconv.Itoa(len(lines))
		}
		return fill(lines[from:], height), m.rule(place)
	case m.width >= paneWidth && len(m.search.found) > 0:
		return m.resultPanes(height)
	}
	return fill(m.resultLines(height), height), m.rule("")
}

// resultLines shows the results of the search, or what to do if there are none.
func (m *model) resultLines(height int) []line {
	s := &m.search
	switch {
	case s.term == "" && !s.waiting:
		return append([]line{nil}, wrapped(coloured(render.Grey, m.translate(cli.Msg("Type a part of the name, the e-mail, the CPF or the telephone number."))), 1, m.width-1)...)
	case len(s.found) == 0 && s.term != "" && !s.waiting:
		lines := append([]line{nil}, wrapped(text(m.translate(s.noResults())), 1, m.width-1)...)
		if m.mayManage(s.catalog) {
			lines = append(lines, nil, m.selectable(true, line{text(m.translate(cli.Msg("register a new subscriber…")))}))
		}
		return lines
	}
	first := max(0, min(s.chosen-height/2, len(s.found)-height))
	var lines []line
	for i, x := range s.found[first:] {
		if i < height {
			lines = append(lines, m.selectable(first+i == s.chosen, m.resultLine(x, s.isNamesake(first+i))))
		}
	}
	return lines
}

// noResults returns the message for a search without results; it says what is wrong with a CPF.
func (s *search) noResults() cli.Message {
	if wrong := support.WrongDocument(s.term); wrong != nil {
		return cli.Msg("%s; compare it with the subscriber's papers", wrong)
	}
	return cli.Msg("Nobody is found by %q.", s.term)
}

// resultLine shows a subscriber in one line: name, CPF, telephone, plan and services, as room
// permits. For namesakes it always includes telephone and plan.
func (m *model) resultLine(s api.Subscriber, namesake bool) line {
	const least, most, phoneWidth = 22, 34, 16
	l := line{text(s.Name)}.pad(min(most, max(least, m.width*28/100)))
	l = append(l, spaces(1), text(m.document(s.Document)))
	if namesake || m.width >= 70 {
		l = append(l, spaces(1)).and(text(cpf.FormatPhone(s.Phone))).pad(l.width() + phoneWidth)
	}
	if s.CustomerPlan != "" && (namesake || m.width >= paneWidth) {
		l = append(l, spaces(1), coloured(render.Grey, s.CustomerPlan))
	}
	if len(s.Services) == 0 {
		return append(l, spaces(2), coloured(render.Grey, m.translate(cli.Msg("no services"))))
	}
	for _, i := range displayOrder(s.Services) {
		x := s.Services[i]
		l = append(l, spaces(2), text(serviceName(x)), spaces(1), m.status(x.Status))
	}
	return l
}

// selectable indents a line that can be chosen, and marks a chosen one over its whole width.
func (m *model) selectable(chosen bool, l line) line {
	if !chosen {
		return append(line{spaces(2)}, l...)
	}
	return append(line{text("›"), spaces(1)}, l...).chosen(m.width)
}

// status returns the word for a status, in its colour.
func (m *model) status(name string) span {
	return coloured(render.StatusColour(name), lang.StatusWord(name).Text(m.lang))
}

// document returns a CPF as tables show it, masked by default.
func (m *model) document(s string) string {
	if m.showDocuments {
		return cpf.Document(cpf.OnlyDigits(s)).Format()
	}
	return cli.MaskDocument(cpf.OnlyDigits(s))
}

// serviceName returns the name of a service's product, or its code or id.
func serviceName(s api.Service) string {
	return cmp.Or(s.ProductName, s.ProductCode, strconv.Itoa(int(s.ProductID)))
}
