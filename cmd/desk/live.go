package desk

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/cpf"
	"ativa/internal/failure"
)

const (
	// pollInterval is the poll interval for a server without an event feed.
	pollInterval = 10 * time.Second
	// longestPause is the longest wait between two attempts to reach a server.
	longestPause = 10 * time.Second
)

// live is the state of the connection, and the cursor of the event feed.
type live struct {
	cursor string
	// cause is why the server is unreachable or refuses the token, else nil.
	cause    error
	failures int // consecutive failures to follow
	// stopped means that following ended because the token was refused. It resumes after another
	// request succeeds.
	stopped bool
	// answered means that the server has answered at least once.
	answered bool
	// calls counts the calls made. open holds those that have not ended, and whether each is silent.
	calls int
	open  map[int]bool
}

// silence is how long a call may last before the desk says that the server is silent.
const silence = 3 * time.Second

// silentMsg means that the call, if it has not ended, has lasted for silence.
type silentMsg struct{ call int }

// endedMsg is the message of a call that has ended.
type endedMsg struct {
	call    int
	message tea.Msg
}

// call calls the server in the background.
func (m *model) call(server func() tea.Msg) tea.Cmd {
	m.live.calls++
	n := m.live.calls
	m.live.open[n] = false
	return tea.Batch(func() tea.Msg { return endedMsg{n, server()} }, tea.Tick(silence, func(time.Time) tea.Msg { return silentMsg{n} }))
}

// isRefused reports whether the token is refused: then nothing is asked by itself.
func (l *live) isRefused() bool {
	return l.cause != nil && failure.OutcomeOf(l.cause).Exit == cli.ExitAuth
}

// isSilent reports whether the server owes an answer for longer than silence.
func (l *live) isSilent() bool { return slices.Contains(slices.Collect(maps.Values(l.open)), true) }

// changesMsg is what changed since the last one.
type changesMsg struct {
	changes
	err error
}

// followMsg says that it is time to follow again.
type followMsg struct{}

// retryMsg is a retry of a request, with its reason.
type retryMsg struct{ cause error }

// lose records why the server is unreachable. It drops the doubt whether a write had an effect: the
// message of the change itself reports that, and this one only reports the connection.
func (l *live) lose(cause error) {
	if l.cause == nil {
		l.cause = client.WithoutDoubt(cause)
	}
}

// follow waits for changes in the background.
func (m *model) follow() tea.Cmd {
	m.live.stopped = false
	cursor := m.live.cursor
	ask := func() tea.Msg {
		c, err := m.server.Changes(m.ctx, cursor)
		return changesMsg{c, err}
	}
	if cursor != "" { // the server may hold its answer
		return ask
	}
	return m.call(ask)
}

func followIn(d time.Duration) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return followMsg{} })
}

// changed refreshes the screen if the changes concern it, and continues to follow. Without a feed,
// or after a lost connection, it always refreshes.
func (m *model) changed(c changesMsg) tea.Cmd {
	l := &m.live
	if c.err != nil {
		return m.followFailed(c.err)
	}
	l.failures = 0
	lost := l.cause != nil
	began := l.cursor == ""
	l.cursor = c.cursor
	cmd := m.reached()
	switch {
	case c.cursor == "" && !lost:
		return tea.Batch(m.refresh(), followIn(pollInterval))
	case c.cursor == "":
		return tea.Batch(cmd, followIn(pollInterval))
	case !lost && (began || m.concerns(c.documents)):
		cmd = tea.Batch(cmd, m.refresh())
	}
	return tea.Batch(cmd, m.follow())
}

// followFailed retries with a growing delay. A refused token stops following until the server
// answers again; an expired cursor starts over.
func (m *model) followFailed(err error) tea.Cmd {
	l := &m.live
	if refused, ok := errors.AsType[*client.Error](err); ok && refused.Status == http.StatusUnprocessableEntity && l.cursor != "" {
		l.cursor = ""
		return m.follow()
	}
	if failure.OutcomeOf(err).Exit == cli.ExitAuth {
		l.stopped = true
		return m.fail(err)
	}
	l.failures++
	return tea.Batch(m.fail(err), followIn(min(longestPause, time.Second<<min(l.failures-1, 4))))
}

// concerns reports whether any of the documents is on the screen. An empty document stands for a
// deleted subscriber (decisions.md 10), who may be anyone on it.
func (m *model) concerns(documents []string) bool {
	return slices.ContainsFunc(documents, func(d string) bool {
		if d == "" || m.onCard {
			return d == "" || d == m.card.document
		}
		return slices.ContainsFunc(m.search.found, func(s api.Subscriber) bool { return cpf.OnlyDigits(s.Document) == d })
	})
}

// reached records an answer of the server. After a lost connection it refreshes the screen.
func (m *model) reached() tea.Cmd {
	l := &m.live
	lost := l.cause != nil
	l.cause, l.answered = nil, true
	var again, follow tea.Cmd
	if lost {
		again = m.refresh()
	}
	if l.stopped {
		follow = m.follow()
	}
	return tea.Batch(again, follow)
}
