package desk

import (
	tea "charm.land/bubbletea/v2"

	"ativa/internal/cli"
	"ativa/internal/failure"
	"ativa/internal/render"
)

// quit leaves the desk, but not during a change.
func (m *model) quit() tea.Cmd {
	if m.performing != nil {
		return m.wait()
	}
	return tea.Quit
}

// keyLine shows the keys that work now.
func (m *model) keyLine() line {
	s := &m.search
	hint := cli.Msg("F1 help   Ctrl-Q quit")
	switch {
	case m.onCard && m.card.record == nil:
		hint = cli.Msg("Esc search   F1 help   Ctrl-Q quit")
	case m.onCard && m.rows() > 1:
		hint = cli.Msg("↑↓ Enter menu   Esc search   F1 help   Ctrl-Q quit")
	case m.onCard:
		hint = cli.Msg("Enter menu   Esc search   F1 help   Ctrl-Q quit")
	case len(s.found) > 1:
		hint = cli.Msg("↑↓ Enter open   Esc clear   F1 help   Ctrl-Q quit")
	case s.waiting || len(s.found) == 1:
		hint = cli.Msg("Enter open   Esc clear   F1 help   Ctrl-Q quit")
	case s.term != "" && m.mayManage(s.catalog):
		hint = cli.Msg("Enter register   Esc clear   F1 help   Ctrl-Q quit")
	case s.input.text() != "":
		hint = cli.Msg("Esc clear   F1 help   Ctrl-Q quit")
	}
	return m.hintLine(hint)
}

// helpLines explains the keys.
func (m *model) helpLines() []line {
	lines := m.heading(cli.Msg("Keys"))
	for _, k := range []struct{ key, help cli.Message }{
		{cli.Msg("letters"), cli.Msg("search, wherever you are: the next caller's name can be typed at any moment")},
		{cli.Msg("Enter"), cli.Msg("opens a subscriber, and on a service what can be done with it")},
		{cli.Msg("digits"), cli.Msg("choose from a menu, as ↑↓ and Enter do")},
		{cli.Msg("Esc"), cli.Msg("goes back one step")},
		{cli.Msg("↑↓"), cli.Msg("another result or service; PgUp and PgDn turn the page")},
		{cli.Msg("F1"), cli.Msg("this page")},
		{cli.Msg("Ctrl-Q"), cli.Msg("leave the desk, as Ctrl-C does")},
	} {
		help := wrapped(text(m.translate(k.help)), 14, m.width-1)
		help[0] = append(line{spaces(3), coloured(render.Bold, m.translate(k.key))}.pad(14), help[0][1:]...)
		lines = append(lines, help...)
	}
	return lines
}

// hintLine shows keys in grey.
func (m *model) hintLine(hint cli.Message) line {
	return line{spaces(1), coloured(render.Grey, m.translate(hint))}
}

// footLines returns the status line and, below it, the prompt or the keys. cursor is the cursor of
// the prompt, nil if it has none.
func (m *model) footLines() (lines []line, cursor *place) {
	status := m.statusLines()
	switch {
	case m.help:
		return []line{m.hintLine(cli.Msg("any key leaves the help"))}, nil
	case m.prompt != nil:
		asked, cursor := m.promptLines(m.height / 2)
		most := m.height - headHeight - 2       // without the rule and a line of the card
		asked = asked[max(0, len(asked)-most):] // the last lines take the answer
		return append([]line{m.rule("")}, asked...), cursor
	}
	return append(status[:min(len(status), m.height/2)], m.keyLine()), nil
}

// statusLines shows the last notice, a server that refuses the token, is unreachable or silent, and
// suspensions that can be undone.
func (m *model) statusLines() []line {
	notices := []notice{m.notice}
	switch {
	case m.live.isRefused():
		notices = append(notices, notice{message: cli.Msg("%s", m.live.cause), hint: failure.OutcomeOf(m.live.cause).Hint, colour: render.Red})
	case m.live.cause != nil:
		notices = append(notices, notice{message: cli.Msg("%s; trying again", m.live.cause), colour: render.Yellow})
	case m.live.isSilent():
		notices = append(notices, notice{message: cli.Msg("the server has not answered yet"), colour: render.Yellow})
	}
	var lines []line
	for _, n := range notices {
		if !n.message.IsEmpty() {
			lines = append(lines, m.noticeLines(n)...)
		}
	}
	lines = append(lines, m.undoLines()...)
	if len(lines) == 0 {
		return []line{nil}
	}
	return lines
}

// mostNotice is the maximum number of lines of a notice or of the error of a form.
const mostNotice = 4

func (m *model) noticeLines(n notice) []line {
	summary := m.translate(n.message)
	if !n.hint.IsEmpty() {
		summary += " – " + m.translate(n.hint)
	}
	lines := wrapped(coloured(n.colour, summary), 1, m.width-1)
	return lines[:min(mostNotice, len(lines))]
}
