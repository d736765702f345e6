package desk

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"ativa/internal/api"
	"ativa/internal/sheet/names"
	"ativa/internal/support"
)

const (
	// typingPause is the pause in typing before a search.
	typingPause = 150 * time.Millisecond
	// shortestTerm is the minimum length of a search term in characters (decisions.md 6).
	shortestTerm = 2
)

// search is the search line with its results.
type search struct {
	input input
	asked int // number of the last request; other responses are outdated
	stop  context.CancelFunc
	// waiting means that the last request has no answer yet.
	waiting bool
	// open means that the person pressed Enter before the answer came.
	open bool
	// over means that a card was opened after typing: the next text replaces the term.
	over   bool
	term   string // term of the results; empty for none
	found  []api.Subscriber
	chosen int
	// catalog decides whether a person who was not found may be registered; nil if unknown.
	catalog *support.Catalog
}

// searchDueMsg means that typing paused.
type searchDueMsg struct{ asked int }

// foundMsg is the response to a search.
type foundMsg struct {
	asked int
	term  string
	found []api.Subscriber
	err   error
}

// catalogMsg is the catalog, nil after an error: then registering is not offered.
type catalogMsg struct{ catalog *support.Catalog }

func (s *search) typedTerm() string { return strings.TrimSpace(s.input.text()) }

func (m *model) pressOnSearch(k tea.KeyPressMsg) tea.Cmd {
	s := &m.search
	switch k.String() {
	case "up", "ctrl+p":
		s.choose(s.chosen - 1)
	case "down", "ctrl+n", "tab":
		s.choose(s.chosen + 1)
	case "pgup":
		s.choose(s.chosen - m.bodyHeight())
	case "pgdown":
		s.choose(s.chosen + m.bodyHeight())
	case "enter":
		if s.waiting || s.term != s.typedTerm() {
			s.open = true
			return m.ask()
		}
		return m.openChosen()
	case "esc":
		s.input.clear()
		return m.typed()
	default:
		before := s.input.text()
		if s.over && strings.TrimSpace(k.Text) != "" {
			s.input.clear()
		}
		if !s.input.press(k) {
			return nil
		}
		s.over = false
		if s.input.text() != before {
			return m.typed()
		}
	}
	return nil
}

func (s *search) choose(i int) { s.chosen = max(0, min(i, len(s.found)-1)) }

// typed schedules a search for the next pause in typing and cancels the previous one.
func (m *model) typed() tea.Cmd {
	s := &m.search
	s.cancelRequest()
	s.open = false
	if utf8.RuneCountInString(s.typedTerm()) < shortestTerm {
		s.term, s.found, s.chosen = "", nil, 0
		return nil
	}
	s.waiting = true
	asked := s.asked
	return tea.Tick(typingPause, func(time.Time) tea.Msg { return searchDueMsg{asked} })
}

// cancelRequest cancels the request in progress and discards its response.
func (s *search) cancelRequest() {
	if s.stop != nil {
		s.stop()
	}
	s.asked, s.stop, s.waiting = s.asked+1, nil, false
}

func (m *model) searchDue(due searchDueMsg) tea.Cmd {
	if due.asked != m.search.asked {
		return nil
	}
	return m.ask()
}

// ask searches for the term, unless a request is in progress.
func (m *model) ask() tea.Cmd {
	s := &m.search
	term := s.typedTerm()
	if s.stop != nil || utf8.RuneCountInString(term) < shortestTerm {
		return nil
	}
	s.cancelRequest()
	ctx, stop := context.WithCancel(m.ctx)
	s.stop, s.waiting = stop, true
	asked := s.asked
	return m.call(func() tea.Msg {
		defer stop()
		found, err := m.server.Find(ctx, term)
		return foundMsg{asked, term, found, err}
	})
}

// readCatalog reads the catalog for a search that finds nobody.
func (m *model) readCatalog() tea.Msg {
	catalog, _ := m.server.Catalog(m.ctx)
	return catalogMsg{catalog}
}

// found handles the response to the last request; others are outdated.
func (m *model) found(answer foundMsg) tea.Cmd {
	s := &m.search
	if answer.asked != s.asked {
		return nil
	}
	s.stop, s.waiting = nil, false
	if answer.err != nil {
		s.open = false
		return m.fail(answer.err)
	}
	before := ""
	if answer.term == s.term && s.chosen < len(s.found) { // same search: keep the choice
		before = s.found[s.chosen].Document
	}
	s.term, s.found = answer.term, support.ByName(answer.found)
	s.choose(slices.IndexFunc(s.found, func(x api.Subscriber) bool { return x.Document == before }))
	alone := s.open && len(s.found) == 1
	s.open = false
	switch {
	case alone:
		return tea.Batch(m.reached(), m.openChosen())
	case len(s.found) == 0:
		return tea.Batch(m.reached(), m.call(m.readCatalog))
	}
	return m.reached()
}

// isNamesake reports whether another result has the name of result i.
func (s *search) isNamesake(i int) bool {
	name := names.Fold(s.found[i].Name)
	same := func(j int) bool { return 0 <= j && j < len(s.found) && names.Fold(s.found[j].Name) == name }
	return same(i-1) || same(i+1)
}

// openChosen shows the card of the chosen result; without results it opens the form of a new
// subscriber, if permitted.
func (m *model) openChosen() tea.Cmd {
	s := &m.search
	switch {
	case len(s.found) > 0:
	case s.term != "" && m.mayManage(s.catalog):
		return m.register()
	default:
		return nil
	}
	return m.open(s.found[s.chosen])
}

// refresh requests the data on the screen again, also after a failure.
func (m *model) refresh() tea.Cmd {
	if m.onCard {
		return m.readCard()
	}
	return m.ask()
}
