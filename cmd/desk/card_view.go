package desk

import (
	"slices"
	"strconv"
	"strings"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/cpf"
	"ativa/internal/lang"
	"ativa/internal/render"
	"ativa/internal/support"
)

// cardLines returns the lines of the card, and the first and last line of the row in focus.
func (m *model) cardLines() (lines []line, first, last int) {
	c := &m.card
	lines = m.subscriberLines(c.subscriber)
	switch {
	case c.record == nil && c.err != nil:
		return append(append(lines, nil), wrapped(coloured(render.Red, m.translate(cli.Msg("%s", c.err))), 1, m.width-1)...), 0, 0
	case c.record == nil:
		return append(lines, nil, line{spaces(1), coloured(render.Grey, m.translate(cli.Msg("reading…")))}), 0, 0
	}
	lines = append(lines, m.heading(cli.Msg("Services"))...)
	for row, i := range displayOrder(c.record.Subscriber.Services) {
		at := len(lines)
		x := c.record.explanations[i]
		lines = append(append(lines, m.serviceLines(row, c.record.Subscriber.Services[i], x)...), m.scheduledLines(x)...)
		if row == c.focus {
			first, last = at, len(lines)-1
		}
	}
	switch none := len(c.record.Subscriber.Services) == 0; {
	case m.offersProducts():
		title := cli.Msg("another product…")
		if none {
			title = cli.Msg("none yet; activate a product…")
		}
		if m.focused() < 0 {
			first, last = len(lines), len(lines)
		}
		lines = append(lines, m.selectable(m.focused() < 0, line{coloured(render.Grey, m.translate(title))}))
	case none:
		lines = append(lines, line{spaces(2), coloured(render.Grey, m.translate(cli.Msg("no services")))})
	}
	instructions, whole := m.instructionLines(m.height - headHeight - len(lines))
	lines = append(lines, instructions...)
	newest, older := m.deliveryLines(m.height - headHeight - len(lines))
	lines = append(append(lines, m.heading(cli.Msg("Deliveries"))...), newest...)
	lines = append(append(lines, m.heading(cli.Msg("History"))...), m.historyLines()...)
	if len(older) > 0 {
		lines = append(append(lines, m.heading(cli.Msg("Older deliveries"))...), older...)
	}
	return append(lines, whole...), first, last
}

// subscriberLines shows name and CPF, and below them the other data of the subscriber.
func (m *model) subscriberLines(s api.Subscriber) []line {
	document := line{text(m.document(s.Document)), spaces(1)}
	lines := wrapped(coloured(render.Bold, s.Name), 1, m.width-document.width()-1)
	lines[0] = lines[0].between(document, m.width)
	return append(lines, wrapped(text(strings.Join(m.facts(s), " · ")), 1, m.width-1)...)
}

// facts returns the subscriber's data besides name and CPF.
func (m *model) facts(s api.Subscriber) []string {
	known := slices.DeleteFunc([]string{s.Email, cpf.FormatPhone(s.Phone), s.CustomerPlan}, func(fact string) bool { return fact == "" })
	if !s.CreatedAt.IsZero() {
		known = append(known, m.translate(cli.Msg("registered %s", m.ago(s.CreatedAt))))
	}
	return known
}

// serviceLines shows product, status and time in one line, and the explanation in the same line if
// it fits, else below. A cancelled service shows no explanation.
func (m *model) serviceLines(row int, s api.Service, x support.Explanation) []line {
	l := line{coloured(render.Bold, serviceName(s)), spaces(2), m.status(s.Status)}
	if !s.StatusUpdatedAt.IsZero() {
		l = append(l, spaces(2), coloured(render.Grey, m.ago(s.StatusUpdatedAt)))
	}
	explained := text(m.translate(x.Explanation))
	chosen := row == m.card.focus
	switch beside := slices.Concat(l, line{spaces(2), explained}); {
	case ended(s) > 0:
		return []line{m.selectable(chosen, l)}
	case beside.width() < m.width-3:
		return []line{m.selectable(chosen, beside)}
	}
	return append([]line{m.selectable(chosen, l)}, wrapped(explained, 4, m.width-1)...)
}

// scheduledLines shows the scheduled operations of a service.
func (m *model) scheduledLines(x support.Explanation) (lines []line) {
	for _, s := range x.Scheduled {
		summary := m.translate(cli.Msg("scheduled: %s", support.ScheduleMessage(s, m.clock().Location())))
		lines = append(lines, wrapped(coloured(render.Cyan, summary), 4, m.width-1)...)
	}
	return lines
}

// mostDeliveries is the maximum number of deliveries above the history, besides the lines
// reserved for headings, the start of the history and the keys.
const mostDeliveries, besides = 3, 9

// mostInstructions is the maximum number of instruction lines above the history.
const mostInstructions = 3

// instructionLines shows the instructions of the product in focus. If they do not fit
// above the history, they are complete below it.
func (m *model) instructionLines(room int) (above, below []line) {
	i := m.focused()
	if i < 0 || ended(m.card.record.Subscriber.Services[i]) > 0 {
		return nil, nil
	}
	s := m.card.record.Subscriber.Services[i]
	p, _ := m.card.record.Product(s.ProductID)
	var lines []line
	for _, paragraph := range support.Instructions(p) {
		lines = append(lines, wrapped(text(paragraph), 2, m.width-1)...)
	}
	if len(lines) == 0 {
		return nil, nil
	}
	title := m.heading(cli.Msg("How to use %s", serviceName(s)))
	switch most := min(mostInstructions, room-besides-len(title)); {
	case len(lines) <= most:
		return append(title, lines...), nil
	case most > 0:
		above = append(append(above, title...), lines[:most]...)
		above[len(above)-1] = above[len(above)-1].and(text(" …"))
	}
	return above, append(title, lines...)
}

// deliveryLines shows the outcomes of e-mails, callbacks and requests to the partner, newest
// first, with equal ones counted in one line. older is shown below the history, which needs room.
// An opened link does not prove that a person read the e-mail.
func (m *model) deliveryLines(room int) (newest, older []line) {
	r, most := m.card.record, max(1, min(mostDeliveries, room-besides))
	switch {
	case !r.Catalog.Deliveries:
		return []line{{spaces(2), coloured(render.Grey, m.translate(cli.Msg("not reported by the server")))}}, nil
	case len(r.Sent) == 0:
		return []line{{spaces(2), coloured(render.Grey, m.translate(cli.Msg("none yet")))}}, nil
	}
	var texts []string
	times := map[string]int{}
	first := map[string]api.Delivery{}
	for _, d := range r.Sent {
		summary := m.deliveryText(d)
		if times[summary]++; times[summary] == 1 {
			texts, first[summary] = append(texts, summary), d
		}
	}
	for i, summary := range texts {
		d := first[summary]
		if n := times[summary]; n > 1 {
			summary = strconv.Itoa(n) + " × " + summary
		}
		lines := m.timedLines(d.RequestedAt, coloured(deliveryColour(d.State), summary))
		if i < most {
			newest = append(newest, lines...)
		} else {
			older = append(older, lines...)
		}
	}
	return newest, older
}

// deliveryText describes the outcome of a delivery, without its time.
func (m *model) deliveryText(d api.Delivery) string {
	summary := m.lang.Word(d.Kind) + " " + m.nameOf(d.ProductID) + ": " + m.lang.Word(d.State)
	if !d.OpenedAt.IsZero() {
		summary += ", " + m.translate(cli.Msg("link opened %s", m.ago(d.OpenedAt)))
	}
	if d.Error != "" {
		summary += ": " + m.translate(cli.Msg("%s", lang.Cause(d.Error)))
	}
	return summary
}

func deliveryColour(state string) render.Colour {
	switch state {
	case api.DeliverySent:
		return render.Green
	case api.DeliveryFailed:
		return render.Red
	case api.DeliveryWaiting:
		return render.Cyan
	}
	return render.Grey
}

// historyLines shows the events, newest first.
func (m *model) historyLines() []line {
	r := m.card.record
	if !r.History {
		return []line{{spaces(2), coloured(render.Grey, m.translate(cli.Msg("the server keeps none")))}}
	}
	var lines []line
	for _, event := range slices.Backward(r.Events) {
		lines = append(lines, m.timedLines(event.OccurredAt, text(m.eventText(event)))...)
	}
	return lines
}

// timeWidth is the width of the times in a list, with the space after them.
const timeWidth = 18

// timedLines shows a text with its time, uncut: its end is often the reason.
func (m *model) timedLines(at api.Time, summary span) []line {
	lines := wrapped(summary, timeWidth, m.width-1)
	lines[0] = append(line{spaces(2), coloured(render.Grey, m.ago(at))}.pad(timeWidth), lines[0][1:]...)
	return lines
}

// eventText describes an event in one line, with its product.
func (m *model) eventText(event api.Event) string {
	summary := support.TriggerMessage(event.Trigger)
	if event.StatusChange != nil || event.Type == api.EventScheduleRefused {
		summary = support.EventMessage(event)
	}
	if event.ProductID == 0 {
		return m.translate(summary)
	}
	return m.nameOf(event.ProductID) + ": " + m.translate(summary)
}

// nameOf returns the name of the product with an id.
func (m *model) nameOf(id api.Int) string {
	p, _ := m.card.record.Product(id)
	p.ID = id
	return support.ProductName(p)
}

// ago formats a time for people.
func (m *model) ago(at api.Time) string {
	if at.IsZero() {
		return ""
	}
	return cli.TimeText(m.lang, at.Time, m.clock())
}

// window returns the first visible line of a card with n lines if height lines fit. The row in
// focus stays visible unless the person scrolled away from it.
func (c *card) window(n, first, last, height int) int {
	from := max(0, min(c.scroll, n-height))
	if c.followed {
		if last >= from+height {
			from = last - height + 1
		}
		if from > first {
			from = first
		}
		if first <= headHeight+height/2 && last < height {
			from = 0 // keep the name visible as long as possible
		}
	}
	return from
}
