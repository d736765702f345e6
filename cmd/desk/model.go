package desk

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/failure"
	"ativa/internal/lang"
	"ativa/internal/render"
)

// options holds the settings of the desk.
type options struct {
	lang    lang.Language
	colours bool
	context string // the name of the context, or the server if it has none
	// readOnly means that the context allows no changes.
	readOnly bool
	// protected means that the context is red, asksName that each change requires its name.
	protected, asksName bool
	showDocuments       bool
	clock               func() time.Time // the time in the person's zone
}

// model is the state of the desk. Update and View use only this state: slow work runs in
// commands, whose results are messages.
type model struct {
	options
	server server
	ctx    context.Context // ends with the desk

	width, height int
	onCard        bool // the card has the focus, not the search line
	search        search
	card          card
	live          live
	prompt        *prompt // current prompt, nil for none
	help          bool
	performing    *change       // the change in progress, nil for none
	suspensions   []*suspension // of the last minute, can be undone
	notice        notice
	err           error // why the desk ended
}

// change is a change that was sent: what it does, and to whom.
type change struct {
	title    cli.Message
	document string
}

// perform sends a change.
func (m *model) perform(c change, send func() tea.Msg) tea.Cmd {
	m.performing = &c
	m.setNotice(notice{message: cli.Msg("%s…", c.title)})
	return m.call(send)
}

// unknownOutcome is the error of a desk that ends during a change.
func (m *model) unknownOutcome(inHint func(document string) string) error {
	return &cli.Failure{Exit: cli.ExitInterrupted, Code: "interrupted", Message: cli.Msg("%s: this was sent, and no answer came before the desk ended; it may have been carried out", m.performing.title),
		Hint: cli.Msg("`ativa subscribers explain %s` shows what became of it", inHint(m.performing.document))}
}

// notice is the last result in the status line.
type notice struct {
	message cli.Message
	hint    cli.Message
	colour  render.Colour
	since   time.Time
	// The subscriber and service of the notice, and the status then; empty for none. A new status
	// outdates the notice.
	document string
	product  api.Int
	status   string
}

// noticeTime is how long a notice stays, and leastNotice how long it stays at least if its
// service changes: long enough to read it.
const (
	noticeTime  = time.Minute
	leastNotice = 5 * time.Second
)

// setNotice shows a notice.
func (m *model) setNotice(n notice) {
	n.since = m.clock()
	m.notice = n
}

// dropNotice removes an expired notice.
func (m *model) dropNotice() {
	n := m.notice
	movedOn := false
	if r := m.card.record; r != nil && n.status != "" && n.document == m.card.document {
		s, has := api.NewestService(r.Subscriber.Services, n.product)
		movedOn = !has || s.Status != n.status
	}
	if stayed := m.clock().Sub(n.since); m.performing == nil && (stayed >= noticeTime || movedOn && stayed >= leastNotice) {
		m.notice = notice{}
	}
}

// focus is what the person is looking at.
type focus struct {
	onCard         bool
	document, term string
}

func (m *model) focus() focus { return focus{m.onCard, m.card.document, m.search.input.text()} }

// clockMsg says that texts such as "yesterday" and the notice may be outdated.
type clockMsg struct{}

const clockInterval = pollInterval

func newModel(ctx context.Context, o options, s server) *model {
	return &model{options: o, server: s, ctx: ctx, live: live{open: map[int]bool{}}}
}

// Init implements tea.Model.
func (m *model) Init() tea.Cmd { return tea.Batch(m.follow(), m.tickClock()) }

func (m *model) tickClock() tea.Cmd {
	return tea.Tick(clockInterval, func(time.Time) tea.Msg { return clockMsg{} })
}

// Update implements tea.Model.
func (m *model) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	switch message := message.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = message.Width, message.Height
	case tea.KeyPressMsg:
		return m, m.press(message)
	case tea.PasteMsg:
		return m, m.paste(message.Content)
	case clockMsg:
		m.dropNotice()
		// Deliveries are not in the event feed, and the feed may answer long after a lost
		// connection is back.
		if !m.live.isRefused() && (m.live.cause != nil || m.onCard && m.card.awaitsDelivery()) {
			return m, tea.Batch(m.tickClock(), m.refresh())
		}
		return m, m.tickClock()
	case undoOverMsg:
		m.suspensions = slices.DeleteFunc(m.suspensions, func(made *suspension) bool { return made == message.of })
		return m, m.renewPrompt()
	case armMsg:
		message.prompt.armed = message.prompt.armed || message.quiet == message.prompt.quiet
	case searchDueMsg:
		return m, m.searchDue(message)
	case foundMsg:
		return m, m.found(message)
	case catalogMsg:
		m.search.catalog = message.catalog
	case readMsg:
		return m, m.read(message)
	case savedMsg:
		return m, m.saved(message)
	case performedMsg:
		return m, m.performed(message)
	case changesMsg:
		return m, m.changed(message)
	case followMsg:
		return m, m.follow()
	case endedMsg:
		delete(m.live.open, message.call)
		return m.Update(message.message)
	case silentMsg:
		if _, open := m.live.open[message.call]; open {
			m.live.open[message.call] = true
		}
	case retryMsg:
		m.live.lose(message.cause)
	}
	return m, nil
}

// press handles a key: first those of the whole screen, then those of the part in focus.
func (m *model) press(k tea.KeyPressMsg) tea.Cmd {
	key := k.String()
	switch {
	case key == "ctrl+c":
		return tea.Quit
	case key == "ctrl+q":
		return m.quit()
	case key == "ctrl+z":
		return suspend
	case key == "ctrl+l":
		return tea.ClearScreen
	case m.tooSmall():
		return nil
	case k.Mod.Contains(tea.ModAlt) && key != "alt+backspace": // Esc and a key that arrive together look like that
		k.Mod &^= tea.ModAlt
		if unicode.IsPrint(k.Code) && k.Mod&^tea.ModShift == 0 {
			k.Text = string(cmp.Or(k.ShiftedCode, k.Code))
		}
		return tea.Batch(m.press(tea.KeyPressMsg{Code: tea.KeyEscape}), m.press(k))
	case m.help:
		m.help = false
		switch {
		case m.prompt == nil:
			return m.typeSearch(k)
		case k.Text != "": // the form loses no letter
			return m.answer(k)
		}
		return nil
	case key == "f1":
		m.help = true
		if m.prompt != nil && m.prompt.kind != promptForm { // keep what is typed into a form
			m.prompt = nil
		}
		return nil
	case m.prompt != nil:
		return m.answer(k)
	}
	// While a change is in progress the notice shows it. A failure stays long enough to be read
	// by somebody who is typing the next name.
	failed := m.notice.colour == render.Red && m.clock().Sub(m.notice.since) < leastNotice
	if m.performing == nil && !failed {
		m.notice = notice{}
	}
	if m.onCard && strings.TrimSpace(k.Text) != "" {
		return m.typeSearch(k)
	}
	if m.onCard {
		return m.pressOnCard(key)
	}
	return m.pressOnSearch(k)
}

// paste inserts a text into the search line, wherever the focus is, or into the field of a form.
// Prompts that take a word ignore it: a paste confirms nothing.
func (m *model) paste(s string) tea.Cmd {
	switch p := m.prompt; {
	case m.tooSmall() || strings.TrimSpace(s) == "" || p != nil && p.isText():
		return nil
	case p != nil && p.kind == promptForm:
		m.help = false
		if p.armed {
			p.form.fields[p.form.at].input.insert(s)
		}
		return nil
	case p != nil || m.onCard || m.help || m.search.over:
		m.prompt, m.onCard, m.help, m.search.over = nil, false, false, false
		m.search.input.clear()
	}
	m.search.input.insert(s)
	return m.typed()
}

// fail shows an error and its remedy in the status line. It ignores requests that were cancelled
// with the desk. An unreachable server and refused credentials stay there until a request succeeds;
// before the first answer, refused credentials end the desk.
func (m *model) fail(err error) tea.Cmd {
	switch {
	case m.ctx.Err() != nil:
		return nil
	case client.KindOf(err) == client.KindUnavailable:
		m.live.lose(err)
		return nil
	}
	switch x := failure.OutcomeOf(err); {
	case x.Exit == cli.ExitAuth && !m.live.answered:
		m.err = err
		return tea.Quit
	case x.Exit == cli.ExitAuth:
		m.live.cause = err
	default:
		m.setNotice(notice{message: cli.Msg("%s", err), hint: x.Hint, colour: render.Red})
	}
	return nil
}
