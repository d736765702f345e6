package desk

import (
	tea "charm.land/bubbletea/v2"

	"ativa/internal/cli"
	"ativa/internal/render"
	"ativa/internal/support"
)

// entry is one line of the menu: a step to confirm, or what changes nothing.
type entry struct {
	label  cli.Message
	action support.Action // empty for what changes nothing
	do     func(m *model) tea.Cmd
}

// labelOf is an action as the menu calls it.
func labelOf(a support.Action) cli.Message {
	switch a {
	case support.Activate:
		return cli.Msg("activate, reactivate, or try again what failed")
	case support.Suspend:
		return cli.Msg("suspend the service for a time")
	case support.Overdue:
		return cli.Msg("suspend the service for lack of payment")
	case support.Settle:
		return cli.Msg("register the payment and reactivate the service")
	case support.Change:
		return cli.Msg("change to another product of the family")
	case support.Resend:
		return cli.Msg("send the activation e-mail again")
	}
	return cli.Msg("cancel the service for good")
}

// entries are what can be done now with the row in focus, and with the person. A
// cancellation is the last that changes anything.
func (m *model) entries() (all []entry) {
	for _, a := range []support.Action{support.Activate, support.Resend, support.Settle, support.Change, support.Suspend, support.Overdue, support.Deactivate} {
		if m.permitted(a) && m.applies(a) {
			all = append(all, entry{label: labelOf(a), action: a})
		}
	}
	document := cli.Msg("show the CPF whole")
	if m.showDocuments {
		document = cli.Msg("hide the CPF")
	}
	return append(all, entry{label: cli.Msg("copy a message to send to the subscriber"), do: (*model).copyMessage},
		entry{label: document, do: (*model).toggleDocuments})
}

// choose does what an entry of the menu stands for.
func (m *model) choose(e entry) tea.Cmd {
	m.prompt = nil
	if e.do != nil {
		return e.do(m)
	}
	return m.begin(e.action)
}

func (m *model) toggleDocuments() tea.Cmd { m.showDocuments = !m.showDocuments; return nil }

// copyMessage puts a message for the subscriber on the clipboard of the terminal
// (OSC 52), which may be on another machine.
func (m *model) copyMessage() tea.Cmd {
	if m.card.record == nil {
		return nil
	}
	m.notice = notice{message: cli.Msg("a message for %s was sent to the clipboard", m.card.subscriber.Name), colour: render.Green,
		hint: cli.Msg("if the terminal does not paste it: `ativa subscribers explain DOC --message`")}
	return tea.SetClipboard(m.card.record.SubscriberMessage())
}

// quit leaves the desk, but not in the middle of a change.
func (m *model) quit() tea.Cmd {
	if m.performing {
		m.notice = notice{message: cli.Msg("wait: the last change is not answered yet"), colour: render.Yellow}
		return nil
	}
	return tea.Quit
}

// keyLines are the keys at the bottom.
func (m *model) keyLines() []line {
	if !m.onCard {
		return []line{m.hintLine(cli.Msg("Enter open   Esc clear   F1 help   Ctrl-Q quit"))}
	}
	return []line{m.hintLine(cli.Msg("Enter menu   Esc search   F1 help   Ctrl-Q quit"))}
}

// helpLines say what the keys do.
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
		help := wrapped(text(m.say(k.help)), 14, m.width-1)
		help[0] = append(line{spaces(3), coloured(render.Bold, m.say(k.key))}.pad(14), help[0][1:]...)
		lines = append(lines, help...)
	}
	return lines
}

// hintLine says in grey which keys there are.
func (m *model) hintLine(hint cli.Message) line {
	return line{spaces(1), coloured(render.Grey, m.say(hint))}
}

// footLines are the status line and, below it, what is asked or the keys; and where
// the cursor of the question stands in the last line, -1 without one.
func (m *model) footLines() (lines []line, cursor int) {
	status := m.statusLines()
	switch {
	case m.help:
		return []line{m.hintLine(cli.Msg("any key leaves the help"))}, -1
	case m.prompt != nil:
		asked, cursor := m.promptLines(m.height / 2)
		return append([]line{m.rule("")}, asked...), cursor
	}
	return append(status, m.keyLines()...), -1
}

// statusLines say what happened last, and that the server is away, in up to two lines
// each.
func (m *model) statusLines() []line {
	said := []notice{m.notice}
	if m.live.cause != nil {
		said = append(said, notice{message: cli.Msg("%s; trying again", m.live.cause), colour: render.Yellow})
	}
	var lines []line
	for _, n := range said {
		if !n.message.IsEmpty() {
			lines = append(lines, m.noticeLines(n)...)
		}
	}
	if len(lines) == 0 {
		return []line{nil}
	}
	return lines
}

func (m *model) noticeLines(n notice) []line {
	const most = 2
	said := m.say(n.message)
	if !n.hint.IsEmpty() {
		said += " – " + m.say(n.hint)
	}
	lines := wrapped(coloured(n.colour, said), 1, m.width-1)
	return lines[:min(most, len(lines))]
}
