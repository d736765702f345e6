package desk

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"ativa/internal/api"
	"ativa/internal/support"
)

// card is one subscriber on the screen.
type card struct {
	subscriber api.Subscriber // as the search had it, until the record is read
	document   string
	record     *record // nil until it is read
	asked      int     // the number of the last reading
	stop       context.CancelFunc
	focus      int // the row in focus: a service in the order shown, or behind the last of them
	scroll     int // the first line shown
	followed   bool
}

// readMsg is the record of a subscriber, or why there is none.
type readMsg struct {
	asked  int
	record *record
	err    error
}

// open shows the card of a subscriber and gives it the focus.
func (m *model) open(s api.Subscriber) tea.Cmd {
	document := documentDigits(s.Document)
	m.onCard = true
	if document != m.card.document {
		m.card.callOff()
		m.card = card{subscriber: s, document: document, asked: m.card.asked}
	}
	return m.readCard()
}

func (c *card) callOff() {
	if c.stop != nil {
		c.stop()
	}
	c.asked, c.stop = c.asked+1, nil
}

// readCard reads the subscriber of the card anew. What is shown stays until then.
func (m *model) readCard() tea.Cmd {
	c := &m.card
	if c.document == "" {
		return nil
	}
	c.callOff()
	ctx, stop := context.WithCancel(m.ctx)
	c.stop = stop
	asked, document, server := c.asked, c.document, m.server
	return func() tea.Msg {
		defer stop()
		r, err := server.Read(ctx, document)
		return readMsg{asked, r, err}
	}
}

func (m *model) read(answer readMsg) tea.Cmd {
	c := &m.card
	if answer.asked != c.asked {
		return nil
	}
	c.stop = nil
	if answer.err != nil {
		return m.fail(answer.err)
	}
	first := c.record == nil
	c.record, c.subscriber = answer.record, answer.record.Subscriber
	c.focus = max(0, min(c.focus, m.rows()-1))
	if first {
		c.followed = true
	}
	return m.reached()
}

// awaitsDelivery reports whether an e-mail or the like is still on its way.
func (c *card) awaitsDelivery() bool {
	return c.record != nil && slices.ContainsFunc(c.record.Sent, func(d api.Delivery) bool { return d.State == api.DeliveryWaiting })
}

// pressOnCard handles a key while the card has the focus.
func (m *model) pressOnCard(key string) tea.Cmd {
	c := &m.card
	switch key {
	case "esc", "/":
		m.onCard = false
		return m.refresh()
	case "up", "shift+tab":
		c.move(-1, m.rows())
	case "down", "tab":
		c.move(+1, m.rows())
	case "pgup":
		c.scroll, c.followed = c.scroll-m.bodyHeight(), false
	case "pgdown", "space":
		c.scroll, c.followed = c.scroll+m.bodyHeight(), false
	case "enter":
		if m.focused() < 0 {
			return m.begin(support.Activate)
		}
	default:
		return m.pressLetter(key)
	}
	return nil
}

func (c *card) move(by, rows int) {
	c.focus, c.followed = max(0, min(c.focus+by, rows-1)), true
}

// displayOrder is the services as they are shown: those that are not over first.
func displayOrder(all []api.Service) []int {
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return ended(all[a]) - ended(all[b]) })
	return order
}

func ended(s api.Service) int {
	if s.StatusID == api.StatusCanceled || s.StatusID == api.StatusCanceledWithoutActivation {
		return 1
	}
	return 0
}

// rows is how many rows can have the focus: the services, and one for another
// product where there is one to activate.
func (m *model) rows() int {
	r := m.card.record
	if r == nil {
		return 0
	}
	rows := len(r.Subscriber.Services)
	if m.offersProducts() {
		rows++
	}
	return rows
}

// offersProducts reports whether the subscriber can get another product.
func (m *model) offersProducts() bool {
	return !m.readOnly && len(m.card.record.Activations()) > 0
}

// focused is the index of the service in focus, -1 for none.
func (m *model) focused() int {
	r := m.card.record
	if r == nil || m.card.focus >= len(r.Subscriber.Services) {
		return -1
	}
	return displayOrder(r.Subscriber.Services)[m.card.focus]
}
