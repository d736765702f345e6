package desk

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/lang"
	"ativa/internal/render"
	"ativa/internal/support"
)

// promptKind is what a prompt wants to know.
type promptKind int

const (
	promptConfirm promptKind = iota // y or anything else
	promptName                      // the name of the protected context
	promptChoice                    // one of several steps
)

// prompt is a question at the bottom of the screen. Nothing else gets keys until it
// is answered.
type prompt struct {
	kind   promptKind
	steps  []support.Step // one, or those to choose from
	chosen int
	name   input
}

// chooseTarget asks for the product that a service changes to.
func chooseTarget(change support.Step, targets []api.Product) *prompt {
	p := &prompt{kind: promptChoice}
	for _, to := range targets {
		step := change
		step.To = to
		p.steps = append(p.steps, step)
	}
	return p
}

// answer handles a key while something is asked. Esc declines.
func (m *model) answer(k tea.KeyPressMsg) tea.Cmd {
	p, key := m.prompt, k.String()
	if key == "esc" {
		return m.decline()
	}
	switch p.kind {
	case promptConfirm:
		if isYes(key, m.lang) {
			return m.accept()
		}
		return m.decline()
	case promptName:
		if key != "enter" {
			p.name.press(k)
			return nil
		}
		if strings.TrimSpace(p.name.text()) != m.context {
			return m.decline()
		}
		return m.accept()
	}
	switch key {
	case "up", "shift+tab":
		p.chosen = max(0, p.chosen-1)
	case "down", "tab":
		p.chosen = min(len(p.steps)-1, p.chosen+1)
	case "enter":
		m.prompt = nil
		return m.confirm(p.steps[p.chosen])
	}
	return nil
}

func (m *model) accept() tea.Cmd {
	step := m.prompt.steps[0]
	m.prompt = nil
	return m.perform(step)
}

func (m *model) decline() tea.Cmd {
	m.prompt = nil
	m.notice = notice{message: cli.Msg("not confirmed; nothing was sent"), colour: render.Yellow}
	return nil
}

// isYes reports whether a key says yes: y, and s for sim in Portuguese.
func isYes(key string, l lang.Language) bool {
	key = strings.ToLower(key)
	return key == "y" || key == "s" && l == lang.Portuguese
}

// promptLines are the lines of what is asked, at most most of them, and where the
// cursor stands, -1 for nowhere.
func (m *model) promptLines(most int) (lines []line, cursor int) {
	p := m.prompt
	switch p.kind {
	case promptConfirm:
		lines = wrapped(coloured(render.Bold, m.say(cli.Msg("%s?", p.steps[0].Title()))), 1, m.width-1)
		return append(lines, m.hintLine(cli.Msg("y yes   any other key no"))), -1
	case promptName:
		lines = wrapped(coloured(render.Bold, m.say(p.steps[0].Title())), 1, m.width-1)
		ask := line{spaces(1), coloured(render.Red, m.say(cli.Msg("Context %s is protected. Type its name to go on:", m.context))), spaces(1)}
		if room := m.width - 12; ask.width() > room {
			lines, ask = append(lines, ask.cut(m.width)), line{spaces(1)}
		}
		shown, at := p.name.view(m.width - ask.width() - 1)
		return append(lines, append(ask, text(shown))), ask.width() + at
	}
	lines = []line{{spaces(1), coloured(render.Bold, m.say(m.choiceTitle()))}}
	rows := max(1, most-2)
	first := max(0, min(p.chosen-rows/2, len(p.steps)-rows))
	for i, s := range p.steps[first:min(first+rows, len(p.steps))] {
		product := s.Product
		if s.Action == support.Change {
			product = s.To
		}
		lines = append(lines, m.selectable(first+i == p.chosen, line{text(support.ProductName(product))}))
	}
	return append(lines, m.hintLine(cli.Msg("↑↓ choose   Enter take   Esc leave"))), -1
}

func (m *model) choiceTitle() cli.Message {
	if s := m.prompt.steps[0]; s.Action == support.Change {
		return cli.Msg("Change %s of %s to:", support.ProductName(s.Product), s.Name)
	}
	return cli.Msg("Activate for %s:", m.prompt.steps[0].Name)
}
