package desk

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/cpf"
	"ativa/internal/lifecycle"
)

// card is one subscriber on the screen.
type card struct {
	subscriber api.Subscriber // from the search until the record is read
	document   string
	record     *record // nil until it is read
	err        error   // error of the last read
	asked      int     // number of the last read
	stop       context.CancelFunc
	again      bool // read again after the current read
	focus      int  // row in focus: a service in display order, or the row after the last
	scroll     int  // first line shown
	followed   bool // keep the row in focus visible until the person scrolls
}

// readMsg is the record of a subscriber, or the error.
type readMsg struct {
	asked  int
	record *record
	err    error
}

// open shows the card of a subscriber and gives it the focus.
func (m *model) open(s api.Subscriber) tea.Cmd {
	document := cpf.OnlyDigits(s.Document)
	m.onCard = true
	if document != m.card.document {
		m.card.cancelRead()
		m.card = card{subscriber: s, document: document, asked: m.card.asked, followed: true}
	}
	return m.readCard()
}

func (c *card) cancelRead() {
	if c.stop != nil {
		c.stop()
	}
	c.asked, c.stop = c.asked+1, nil
}

// readCard reads the subscriber of the card again; the old data stays on the screen until then. It
// does not restart a read in progress, or a slow server would never finish one.
func (m *model) readCard() tea.Cmd {
	c := &m.card
	if c.document == "" {
		return nil
	}
	if c.again = c.stop != nil; c.again {
		return nil
	}
	c.asked++
	ctx, stop := context.WithCancel(m.ctx)
	c.stop = stop
	asked, document := c.asked, c.document
	return m.call(func() tea.Msg {
		defer stop()
		r, err := m.server.Read(ctx, document)
		return readMsg{asked, r, err}
	})
}

func (m *model) read(answer readMsg) tea.Cmd {
	c := &m.card
	if answer.asked != c.asked {
		return nil
	}
	c.stop, c.err = nil, answer.err
	switch {
	case client.KindOf(answer.err) == client.KindNotFound:
		m.gone()
		return m.reached()
	case answer.err != nil:
		return m.fail(answer.err)
	}
	m.show(answer.record)
	m.live.cause = nil // the data is fresh
	cmd := tea.Batch(m.renewPrompt(), m.reached())
	if c.again {
		return tea.Batch(cmd, m.readCard())
	}
	return cmd
}

// gone empties the card of a subscriber who does not exist any more; it shows the error.
func (m *model) gone() {
	c := &m.card
	c.record, c.subscriber = nil, api.Subscriber{Name: c.subscriber.Name, Document: c.subscriber.Document}
	if m.prompt != nil && m.prompt.kind != promptForm {
		m.prompt = nil
	}
}

// show puts a record on the card. The focus follows its service when rows move: a key must not
// act on another.
func (m *model) show(r *record) {
	c, before := &m.card, m.focused()
	var kept api.Service
	if before >= 0 {
		kept = c.record.Subscriber.Services[before]
	}
	c.record, c.subscriber = r, r.Subscriber
	services := r.Subscriber.Services
	row := slices.IndexFunc(displayOrder(services), func(i int) bool {
		return before >= 0 && services[i].ProductID == kept.ProductID && services[i].TokenCreatedAt.Equal(kept.TokenCreatedAt.Time)
	})
	if row >= 0 {
		c.focus = row
	}
	c.focus = max(0, min(c.focus, m.rows()-1))
	if row < 0 && (before >= 0 || m.focused() >= 0) && m.prompt != nil && m.prompt.kind == promptMenu {
		m.prompt = nil // the menu of another row
	}
	if !c.again {
		m.dropNotice()
	}
}

// awaitsDelivery reports whether a delivery, such as an e-mail, is still waiting.
func (c *card) awaitsDelivery() bool {
	return c.record != nil && slices.ContainsFunc(c.record.Sent, func(d api.Delivery) bool { return d.State == api.DeliveryWaiting })
}

// pressOnCard handles a key while the card has the focus.
func (m *model) pressOnCard(key string) tea.Cmd {
	c := &m.card
	switch key {
	case "esc":
		m.onCard, m.search.over = false, true
		return m.refresh()
	case "up", "shift+tab":
		c.move(-1, m.rows())
	case "down", "tab":
		c.move(+1, m.rows())
	case "pgup":
		m.scrollCard(-m.bodyHeight())
	case "pgdown":
		m.scrollCard(m.bodyHeight())
	case "enter":
		return m.openMenu()
	}
	return nil
}

// scrollCard scrolls by lines and leaves the focus where it is.
func (m *model) scrollCard(by int) {
	lines, first, last := m.cardLines()
	height := m.bodyHeight()
	from := m.card.window(len(lines), first, last, height)
	m.card.scroll, m.card.followed = max(0, min(from+by, len(lines)-height)), false
}

func (c *card) move(by, rows int) {
	c.focus, c.followed = max(0, min(c.focus+by, rows-1)), true
}

// displayOrder returns the indexes of the services as shown, cancelled ones last.
func displayOrder(all []api.Service) []int {
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return ended(all[a]) - ended(all[b]) })
	return order
}

func ended(s api.Service) int {
	if lifecycle.Ended(s.StatusID) {
		return 1
	}
	return 0
}

// rows returns the number of focusable rows: the services, and one for another product if
// one can be activated.
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

// focused returns the index of the service in focus, -1 for none.
func (m *model) focused() int {
	r := m.card.record
	if r == nil || m.card.focus >= len(r.Subscriber.Services) {
		return -1
	}
	return displayOrder(r.Subscriber.Services)[m.card.focus]
}
