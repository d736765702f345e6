package desk

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/render"
	"ativa/internal/support"
)

// performedMsg is what became of a step.
type performedMsg struct {
	outcome support.Outcome
	err     error
}

// steps are the actions that apply to the row in focus now. None do where the
// context or the token forbids changes.
func (m *model) steps() []support.Step {
	r := m.card.record
	switch i := m.focused(); {
	case r == nil || m.readOnly:
		return nil
	case i >= 0:
		return r.explanations[i].Steps
	}
	return r.Activations()
}

// permitted reports whether the action is offered at all: the context allows
// changes, the token has the scope and the server the operation.
func (m *model) permitted(a support.Action) bool {
	r := m.card.record
	if r == nil || m.readOnly || !r.Catalog.Overdue && (a == support.Overdue || a == support.Settle) {
		return false
	}
	return r.InScope(a)
}

// applies reports whether the action makes sense for the row in focus.
func (m *model) applies(a support.Action) bool {
	return slices.ContainsFunc(m.steps(), func(s support.Step) bool { return s.Action == a })
}

// begin leads to an action on the row in focus: asking what is still to be known,
// then for a confirmation where one is needed.
func (m *model) begin(a support.Action) tea.Cmd {
	steps := slices.DeleteFunc(slices.Clone(m.steps()), func(s support.Step) bool { return s.Action != a })
	switch {
	case !m.permitted(a):
		return nil
	case m.performing:
		m.notice = notice{message: cli.Msg("wait: the last change is not answered yet"), colour: render.Yellow}
		return nil
	case len(steps) == 0: // it has changed since the menu was shown
		m.notice = notice{message: cli.Msg("that cannot be done any more"), colour: render.Yellow}
		return nil
	case a == support.Change:
		return m.showPrompt(chooseTarget(steps[0], m.card.record.ChangeTargets(m.focused())))
	case m.focused() < 0:
		return m.showPrompt(&prompt{kind: promptChoice, steps: steps})
	}
	return m.confirm(steps[0])
}

// confirm says in one sentence what will happen, and waits: in a protected context for
// its name, before a cancellation for the word, else for Enter.
func (m *model) confirm(s support.Step) tea.Cmd {
	p := &prompt{kind: promptConfirm, steps: []support.Step{s}}
	switch {
	case m.asksName:
		p.kind = promptName
	case s.Action == support.Deactivate:
		p.kind = promptWord
	}
	return m.showPrompt(p)
}

func (m *model) perform(s support.Step) tea.Cmd {
	m.performing = true
	ctx, server := m.ctx, m.server
	m.notice = notice{message: cli.Msg("%s…", s.Title())}
	return func() tea.Msg {
		o, err := server.Perform(ctx, s)
		return performedMsg{o, err}
	}
}

// performed says what became of a change and reads the card again.
func (m *model) performed(p performedMsg) tea.Cmd {
	m.performing = false
	if p.err != nil {
		failed := m.fail(p.err)
		m.notice = notice{message: cli.Msg("%s: %s", p.outcome.Title(), p.err), hint: cli.Diagnose(p.err).Hint, colour: render.Red}
		return tea.Batch(failed, m.refresh())
	}
	m.notice = notice{message: p.outcome.Message(), colour: render.Green}
	if p.outcome.Result.Result == api.ResultFailed {
		m.notice.colour = render.Red
	}
	return tea.Batch(m.reached(), m.refresh())
}
