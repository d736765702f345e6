package desk

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/failure"
	"ativa/internal/render"
	"ativa/internal/support"
)

// performedMsg is the outcome of a step.
type performedMsg struct {
	outcome support.Outcome
	err     error
}

// undoTime is how long the menu offers first to undo a suspension (cli.md, Desk).
const undoTime = time.Minute

// suspension is a recent suspension that can be undone.
type suspension struct {
	document string
	product  api.Int
	action   api.Operation
}

// undoOverMsg says that the suspension can no longer be undone.
type undoOverMsg struct{ of *suspension }

// steps returns the actions that apply to the row in focus. There are none if the context or
// the token forbids changes.
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

// stepsOf returns the steps of one action.
func (m *model) stepsOf(a api.Operation) []support.Step {
	return slices.DeleteFunc(slices.Clone(m.steps()), func(s support.Step) bool { return s.Operation != a })
}

// suspensionOf returns the recent suspension of a service on the card, or nil.
func (m *model) suspensionOf(product api.Int) *suspension {
	i := slices.IndexFunc(m.suspensions, func(made *suspension) bool { return made.document == m.card.document && made.product == product })
	if i < 0 {
		return nil
	}
	return m.suspensions[i]
}

// undoSuspension returns the step that undoes the recent suspension of the service in focus, and
// whether that is possible now.
func (m *model) undoSuspension() (support.Step, bool) {
	i := m.focused()
	if i < 0 || m.readOnly {
		return support.Step{}, false
	}
	made := m.suspensionOf(m.card.record.Subscriber.Services[i].ProductID)
	if made == nil {
		return support.Step{}, false
	}
	return m.card.record.UndoSuspension(i, made.action)
}

// isOffered reports whether the step is possible for the row in focus, from the same status. A cancellation
// is right from any.
func (m *model) isOffered(s support.Step) bool {
	offered := m.stepsOf(s.Operation)
	if s.TakesBack != "" {
		back, possible := m.undoSuspension()
		offered = slices.Repeat([]support.Step{back}, map[bool]int{true: 1}[possible])
	}
	return slices.ContainsFunc(offered, func(o support.Step) bool {
		return o.Product.ID == s.Product.ID && (o.Before == s.Before || s.Operation == api.Deactivate)
	})
}

// begin asks for the product of an action if needed, then for a confirmation. steps are the
// action's steps, at least one.
func (m *model) begin(steps []support.Step) tea.Cmd {
	first := steps[0]
	p := &prompt{kind: promptChoice, title: cli.Msg("Activate for %s:", first.Name)}
	offer := func(product api.Product, s support.Step) {
		p.entries = append(p.entries, entry{label: cli.Msg("%s", support.ProductName(product)), do: func() tea.Cmd { return m.confirm(s) }})
	}
	switch {
	case first.Operation == api.Change:
		p.title = cli.Msg("Change %s of %s to:", support.ProductName(first.Product), first.Name)
		for _, to := range m.card.record.ChangeTargets(m.focused()) {
			first.To = to
			offer(to, first)
		}
	case m.focused() < 0:
		for _, s := range steps {
			offer(s.Product, s)
		}
	default:
		return m.confirm(first)
	}
	return m.showPrompt(p)
}

// wait says that a change is in progress: in the form, if one is open, because it hides the status
// line.
func (m *model) wait() tea.Cmd {
	message := cli.Msg("wait: the last change is not answered yet")
	if p := m.prompt; p != nil && p.kind == promptForm {
		p.form.problem = message
		return nil
	}
	m.setNotice(notice{message: message, colour: render.Yellow})
	return nil
}

// confirm describes the step in one sentence and waits: in a protected context for its name,
// before a cancellation for the word, otherwise for Enter.
func (m *model) confirm(s support.Step) tea.Cmd {
	p := &prompt{kind: promptConfirm, title: s.Title(), step: &s, confirmed: func() tea.Cmd {
		return m.perform(change{s.Title(), s.Document}, func() tea.Msg {
			o, err := m.server.Perform(m.ctx, s)
			return performedMsg{o, err}
		})
	}}
	switch {
	case s.Operation == api.Deactivate && m.asksName:
		word := *p
		word.kind = promptWord
		p.kind, p.confirmed = promptName, func() tea.Cmd { return m.showPrompt(&word) }
	case s.Operation == api.Deactivate:
		p.kind = promptWord
	case m.asksName:
		p.kind = promptName
	}
	return m.showPrompt(p)
}

// performed reports the outcome of a change and reads the card again.
func (m *model) performed(p performedMsg) tea.Cmd {
	m.performing = nil
	if p.err != nil {
		return tea.Batch(m.failChange(p.outcome.Title(), p.err), m.refresh())
	}
	o := p.outcome
	n := notice{message: o.Message(), colour: render.Green, document: o.Document, product: o.Product.ID}
	if o.Result.Code != "" || o.Result.Result == api.ResultFailed { // refused or only partly done
		n.colour = render.Red
	}
	if o.Operation == api.Change {
		n.product = o.To.ID
	}
	if o.Result.Status != nil {
		n.status = *o.Result.Status
	}
	m.setNotice(n)
	return tea.Batch(m.reached(), m.refresh(), m.noteSuspension(o))
}

// failChange is [model.fail] for a change, which the status line names.
func (m *model) failChange(title cli.Message, err error) tea.Cmd {
	failed := m.fail(err)
	m.setNotice(notice{message: cli.Msg("%s: %s", title, err), hint: failure.OutcomeOf(err).Hint, colour: render.Red})
	return failed
}

// noteSuspension remembers an accepted suspension for undoTime. Another accepted change of
// the service removes it.
func (m *model) noteSuspension(o support.Outcome) tea.Cmd {
	if o.Result.Result != api.ResultAccepted {
		return nil
	}
	m.suspensions = slices.DeleteFunc(m.suspensions, func(made *suspension) bool {
		return made.document == o.Document && made.product == o.Product.ID
	})
	if o.Operation != api.Suspend && o.Operation != api.Overdue {
		return nil
	}
	made := &suspension{document: o.Document, product: o.Product.ID, action: o.Operation}
	m.suspensions = append(m.suspensions, made)
	return tea.Tick(undoTime, func(time.Time) tea.Msg { return undoOverMsg{made} })
}
