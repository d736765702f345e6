package desk

import (
	tea "charm.land/bubbletea/v2"

	"ativa/internal/cli"
	"ativa/internal/lang"
	"ativa/internal/render"
	"ativa/internal/support"
)

// binding is what a key does on the card.
type binding struct {
	key    string
	label  cli.Message // at the bottom of the screen
	help   cli.Message
	action support.Action // empty for what changes nothing
	press  func(m *model) tea.Cmd
}

// bindings are the letters of the card in the order in which they are shown.
func bindings() []binding {
	return []binding{
		{key: "a", label: cli.Msg("%s", lang.Term("activate")), action: support.Activate,
			help: cli.Msg("activate, reactivate, or try again what failed")},
		{key: "s", label: cli.Msg("%s", lang.Term("suspend")), action: support.Suspend,
			help: cli.Msg("suspend the service for a time")},
		{key: "n", label: cli.Msg("non-payment"), action: support.Overdue,
			help: cli.Msg("suspend the service for lack of payment")},
		{key: "p", label: cli.Msg("paid"), action: support.Settle,
			help: cli.Msg("register the payment and reactivate the service")},
		{key: "t", label: cli.Msg("%s", lang.Term("change")), action: support.Change,
			help: cli.Msg("change to another product of the family")},
		{key: "r", label: cli.Msg("resend"), action: support.Resend,
			help: cli.Msg("send the activation e-mail again")},
		{key: "x", label: cli.Msg("cancel"), action: support.Deactivate,
			help: cli.Msg("cancel the service for good; asks first")},
		{key: "m", label: cli.Msg("message"), help: cli.Msg("copy a message to send to the subscriber"), press: (*model).copyMessage},
		{key: "d", label: cli.Msg("CPF"), help: cli.Msg("show the CPF whole, or hide it"), press: (*model).toggleDocuments},
		{key: "/", help: cli.Msg("back to the search line; Esc does so, too")},
		{key: "?", label: cli.Msg("help"), help: cli.Msg("this page"), press: (*model).showHelp},
		{key: "q", label: cli.Msg("quit"), help: cli.Msg("leave the desk; Ctrl-C does so anywhere"), press: (*model).quit},
	}
}

// labelOf is an action as the screen calls it.
func labelOf(a support.Action) cli.Message {
	for _, b := range bindings() {
		if b.action == a {
			return b.label
		}
	}
	return cli.Message{}
}

// pressLetter does what a letter on the card stands for.
func (m *model) pressLetter(key string) tea.Cmd {
	for _, b := range bindings() {
		switch {
		case b.key != key:
		case b.action != "":
			return m.begin(b.action)
		case b.press != nil:
			return b.press(m)
		}
	}
	return nil
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

func (m *model) showHelp() tea.Cmd { m.help = true; return nil }

// quit leaves the desk, but not in the middle of a change.
func (m *model) quit() tea.Cmd {
	if m.performing {
		m.notice = notice{message: cli.Msg("wait: the last change is not answered yet"), colour: render.Yellow}
		return nil
	}
	return tea.Quit
}

// isShown reports whether a key is offered at all, and now.
func (m *model) isShown(b binding) (offered, now bool) {
	if b.action == "" {
		return true, true
	}
	return m.permitted(b.action), m.applies(b.action)
}

// allKeysWidth is the width from which on the keys that do not apply now are
// shown, too.
const allKeysWidth = 100

// keyLines are the keys at the bottom, in at most two lines.
func (m *model) keyLines() []line {
	if !m.onCard {
		return []line{m.hintLine(cli.Msg("↑↓ choose   Enter open   Esc clear   Ctrl-C quit"))}
	}
	const most, gap = 2, 2
	lines := []line{nil}
	for _, b := range bindings() {
		offered, now := m.isShown(b)
		if b.label.IsEmpty() || !offered || !now && m.width < allKeysWidth {
			continue
		}
		key, label := coloured(render.Bold, b.key), text(m.say(b.label))
		if !now {
			key, label = coloured(render.Grey, "("+b.key), coloured(render.Grey, m.say(b.label)+")")
		}
		last := &lines[len(lines)-1]
		hint := line{key, spaces(1), label}
		if last.width()+gap+hint.width() > m.width && len(lines) < most {
			lines = append(lines, nil)
			last = &lines[len(lines)-1]
		}
		if len(*last) == 0 {
			*last = line{spaces(1)}
		} else {
			*last = append(*last, spaces(gap))
		}
		*last = append(*last, hint...)
	}
	return lines
}

// helpLines are all keys that the context and the token allow.
func (m *model) helpLines() []line {
	lines := []line{m.heading(cli.Msg("Keys on the card, for the service with the ›"))}
	for _, b := range bindings() {
		if offered, _ := m.isShown(b); offered {
			lines = append(lines, line{spaces(3), coloured(render.Bold, b.key), spaces(3), text(m.say(b.help))})
		}
	}
	return append(lines, line{spaces(1), coloured(render.Bold, "↑↓"), spaces(4), text(m.say(cli.Msg("another service; PgUp and PgDn turn the page")))})
}

// hintLine says in grey which keys there are.
func (m *model) hintLine(hint cli.Message) line {
	return line{spaces(1), coloured(render.Grey, m.say(hint))}
}

// footLines are the status line and, below it, what is asked or the keys; and where
// the cursor of what is asked stands in the last line, -1 for nowhere.
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
