package desk

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/lifecycle"
	"ativa/internal/render"
	"ativa/internal/support"
)

// entry is one line of the menu.
type entry struct {
	label  cli.Message
	action api.Operation // empty if not an action on a service
	do     func() tea.Cmd
}

// labelOf returns the menu text of a step.
func labelOf(s support.Step) cli.Message {
	if s.Again {
		s.Again, s.Before = false, "error"
		return cli.Msg("try again: %s", labelOf(s))
	}
	switch s.Operation {
	case api.Activate:
		switch s.Before {
		case "":
			return cli.Msg("activate a product")
		case "suspend":
			return cli.Msg("reactivate the service")
		}
		return cli.Msg("activate the service")
	case api.Suspend:
		return cli.Msg("suspend the service for a time")
	case api.Overdue:
		return cli.Msg("suspend the service for lack of payment")
	case api.Settle:
		return cli.Msg("register the payment and reactivate the service")
	case api.Change:
		return cli.Msg("change to another product of the family")
	case lifecycle.Resend:
		return cli.Msg("send the activation e-mail again")
	}
	return cli.Msg("cancel the service for good")
}

// entries returns the actions for the row in focus and the subscriber: undoing first, a
// cancellation last.
func (m *model) entries() (all []entry) {
	back, backPossible := m.undoSuspension()
	if backPossible {
		label := cli.Msg("undo the suspension")
		if back.TakesBack == api.Overdue {
			label = cli.Msg("undo the suspension for lack of payment")
		}
		all = append(all, entry{label: label, action: back.Operation, do: func() tea.Cmd { return m.confirm(back) }})
	}
	actions := func(some ...api.Operation) {
		for _, a := range some {
			steps := m.stepsOf(a)
			if len(steps) > 0 && !(backPossible && a == back.Operation) {
				all = append(all, entry{label: labelOf(steps[0]), action: a, do: func() tea.Cmd { return m.begin(steps) }})
			}
		}
	}
	actions(api.Activate, api.Suspend, api.Overdue, api.Settle)
	if release, possible := m.trustRelease(); possible {
		all = append(all, entry{label: cli.Msg("trust release for 3 days"), do: func() tea.Cmd { return m.confirm(release) }})
	}
	actions(api.Change, lifecycle.Resend)
	document := cli.Msg("show the CPF whole")
	if m.showDocuments {
		document = cli.Msg("hide the CPF")
	}
	all = append(all, entry{label: cli.Msg("message for the subscriber"), do: m.showMessage}, entry{label: document, do: m.toggleDocuments})
	if m.mayManage(m.card.record.Catalog) {
		all = append(all, entry{label: cli.Msg("correct name, e-mail, telephone or plan"), do: m.correct})
	}
	actions(api.Deactivate)
	return all
}

// trustRelease returns the step that releases the service in focus on trust, and whether
// that is possible now.
func (m *model) trustRelease() (support.Step, bool) {
	if i := m.focused(); i >= 0 && !m.readOnly {
		return m.card.record.TrustRelease(i)
	}
	return support.Step{}, false
}

// openMenu opens the menu of the row in focus.
func (m *model) openMenu() tea.Cmd {
	m.card.followed = true // keep the row visible
	if m.card.record == nil {
		return nil
	}
	m.card.record.Now = m.clock() // the card may have been read long ago
	switch {
	case m.performing != nil:
		return m.wait()
	case m.hasMenu():
		title := cli.Msg("%s:", m.card.subscriber.Name)
		if i := m.focused(); i >= 0 {
			title = cli.Msg("%s of %s:", serviceName(m.card.record.Subscriber.Services[i]), m.card.subscriber.Name)
		}
		return m.showPrompt(&prompt{kind: promptMenu, title: title, entries: m.entries()})
	case m.offersProducts():
		return m.begin(m.steps())
	}
	return nil
}

// renewPrompt closes a confirmation of what is not offered any more, and updates an open menu. The same
// action stays chosen or, if it is gone, the first entry. A digit typed for the old entries chooses nothing.
func (m *model) renewPrompt() tea.Cmd {
	p := m.prompt
	switch {
	case p != nil && p.step != nil && !m.isOffered(*p.step):
		m.prompt = nil
		m.setNotice(notice{message: cli.Msg("not confirmed; nothing was sent: the service has changed"), colour: render.Yellow})
		return nil
	case p == nil || p.kind != promptMenu:
		return nil
	}
	sameLabel := func(a, b entry) bool { return a.label.String() == b.label.String() }
	before, chosen := p.entries, p.entries[p.chosen]
	p.entries = m.entries()
	if slices.EqualFunc(before, p.entries, sameLabel) {
		return nil
	}
	p.chosen = slices.IndexFunc(p.entries, func(e entry) bool { return sameLabel(e, chosen) })
	if p.chosen < 0 && chosen.action != "" {
		p.chosen = slices.IndexFunc(p.entries, func(e entry) bool { return e.action == chosen.action })
	}
	p.chosen, p.renewed = max(0, p.chosen), true
	return p.arm()
}

// hasMenu reports whether the row in focus has a menu. The row that activates another product has
// none.
func (m *model) hasMenu() bool {
	r := m.card.record
	return r != nil && (m.focused() >= 0 || len(r.Subscriber.Services) == 0)
}

func (m *model) toggleDocuments() tea.Cmd { m.showDocuments = !m.showDocuments; return nil }

// showMessage shows a selectable message for the subscriber and copies it to the terminal's
// clipboard (OSC 52), also on another machine.
func (m *model) showMessage() tea.Cmd {
	message := m.card.record.SubscriberMessage()
	return tea.Batch(m.showPrompt(&prompt{kind: promptMessage, text: message}), tea.SetClipboard(message))
}

// messageText returns the lines of the message for the subscriber, the first that is shown, and how
// many fit between the prompt's other lines.
func (m *model) messageText() (lines []line, first, room int) {
	const others = 4 // the rule, the title, the keys and a line of the card
	for paragraph := range strings.SplitSeq(m.prompt.text, "\n") {
		lines = append(lines, wrapped(text(paragraph), 1, m.width-1)...)
	}
	room = min(len(lines), m.height-headHeight-others)
	return lines, min(m.prompt.chosen, len(lines)-room), room
}

// messageLines shows the message for the subscriber.
func (m *model) messageLines() []line {
	message, first, room := m.messageText()
	hint := cli.Msg("Enter or Esc leaves")
	if room < len(message) {
		hint = cli.Msg("↑↓ the rest   Enter or Esc leaves")
	}
	lines := []line{{spaces(1), coloured(render.Bold, m.translate(cli.Msg("Message for %s, copied to the clipboard:", m.card.subscriber.Name)))}}
	return append(append(lines, message[first:first+room]...), m.hintLine(hint))
}

// scrollMessage handles a key while the message is shown.
func (m *model) scrollMessage(key string) {
	_, first, room := m.messageText()
	by := map[string]int{"up": -1, "down": +1, "pgup": -room, "pgdown": room}[key]
	m.prompt.chosen = max(0, first+by) // messageText keeps it below the end
}

// undoLines shows the suspensions that can be undone.
func (m *model) undoLines() (lines []line) {
	r := m.card.record
	if r == nil || !m.onCard {
		return nil
	}
	for i, s := range r.Subscriber.Services {
		made := m.suspensionOf(s.ProductID)
		if made == nil {
			continue
		}
		var summary cli.Message
		if _, possible := r.UndoSuspension(i, made.action); possible {
			summary = cli.Msg("for a minute, the menu of %s undoes the suspension: Enter, then 1", serviceName(s))
		} else if p, _ := r.Product(s.ProductID); s.StatusID == api.StatusWaitingSuspension && slices.Contains(p.Can, api.CanReactivate) {
			summary = cli.Msg("the suspension of %s can be undone once the partner has confirmed it", serviceName(s))
		} else {
			continue
		}
		lines = append(lines, wrapped(coloured(render.Cyan, m.translate(summary)), 1, m.width-1)...)
	}
	return lines
}
