package provision

import (
	"context"
	"maps"
	"slices"
	"time"
)

// Usage is what was enabled in a period, over all services of a provider. It needs no
// event, so what retention deletes is not missed.
type Usage struct {
	EventsSince time.Time // when the oldest event that is kept happened; zero: there is none
	Products    []ProductUsage
}

// ProductUsage is the usage of one product.
type ProductUsage struct {
	ProductID        int
	AtStart, AtEnd   int // services that were enabled
	Activated, Ended int // how often that began and ended
	Peak             int // the most at the same time, in the order of the events
	Days             int // the sum over the services
}

// TokenUsage is how long a service was enabled with one product in a period.
type TokenUsage struct {
	Service   ServiceID
	Document  string
	ProductID int
	CreatedAt time.Time
	Status    Status // the present one
	First     time.Time
	Last      time.Time // zero when it still was enabled at the end of the period
	Days      int

	lastDay int // that was counted
}

// Usage returns the usage of a period as it was at the newest event. It takes constant
// memory and one short query after the other: no other request waits. It calls each
// with the usage of every service with every product, in order of creation; the value
// is reused. Only with tokens it sets the document, the status and the creation time.
func (m *Manager) Usage(ctx context.Context, p ProviderID, period UsagePeriod, tokens bool, each func(*TokenUsage) error) (Usage, error) {
	newest, err := m.LastEvent(ctx, p)
	if err != nil {
		return Usage{}, err
	}
	kept, err := m.store.Events(ctx, p, 0, 1)
	if err != nil {
		return Usage{}, err
	}
	var u Usage
	if len(kept) > 0 {
		u.EventsSince = kept[0].At
	}
	r := &usageReport{period: &period, each: each, products: map[int]*ProductUsage{}}
	q := IntervalQuery{From: period.start(), To: period.end(), LastEvent: newest, Tokens: tokens}
	err = firstError(
		func() error { return m.store.EachInterval(ctx, p, q, r.add) },
		r.endService,
		func() error { return r.findPeaks(ctx, m.store, q) },
	)
	for _, id := range slices.Sorted(maps.Keys(r.products)) {
		u.Products = append(u.Products, *r.products[id])
	}
	return u, err
}

// usageReport adds up intervals, service by service.
type usageReport struct {
	period      *UsagePeriod
	each        func(*TokenUsage) error
	products    map[int]*ProductUsage
	first, last EventID // of the beginnings and ends in the period; 0: there is none

	service ServiceID
	until   time.Time // the end of the service's interval before; zero: none
	tokens  []TokenUsage
}

func (r *usageReport) product(id int) *ProductUsage {
	p := r.products[id]
	if p == nil {
		p = &ProductUsage{ProductID: id}
		r.products[id] = p
	}
	return p
}

// add adds an interval.
func (r *usageReport) add(i *ServiceInterval) error {
	if i.Service != r.service {
		if err := r.endService(); err != nil {
			return err
		}
		r.service, r.until = i.Service, time.Time{}
	}
	begin, end := latestOf(i.Begin, r.until), i.End // the intervals overlap where a clock was set back
	if !end.IsZero() {
		end = latestOf(begin, end)
	}
	r.until = end
	if start := r.period.start(); !begin.Before(r.period.end()) || !end.IsZero() && end.Before(start) {
		return nil
	}
	p, carried := r.product(i.ProductID), begin.Before(r.period.start())
	if carried {
		p.AtStart++
		begin = r.period.start()
	} else {
		p.Activated++
		r.countEdge(i.BeginEvent)
	}
	if end.IsZero() || !end.Before(r.period.end()) {
		p.AtEnd++
		end = time.Time{}
	} else {
		p.Ended++
		r.countEdge(i.EndEvent)
	}
	if carried && end.Equal(begin) {
		return nil // it ended as the period began
	}
	t := r.token(i)
	if t.First.IsZero() {
		t.First = begin
	}
	t.Last = end
	days := t.addDays(r.period, begin, end)
	p.Days += days
	return nil
}

// countEdge notes an event that findPeaks has to read.
func (r *usageReport) countEdge(e EventID) {
	if r.first == 0 || e < r.first {
		r.first = e
	}
	r.last = max(r.last, e)
}

// token returns the usage of the service with the interval's product.
func (r *usageReport) token(i *ServiceInterval) *TokenUsage {
	n := slices.IndexFunc(r.tokens, func(t TokenUsage) bool { return t.ProductID == i.ProductID })
	if n < 0 {
		n = len(r.tokens)
		r.tokens = append(r.tokens, TokenUsage{Service: i.Service, Document: i.Document, ProductID: i.ProductID, CreatedAt: i.CreatedAt, Status: i.Status, lastDay: -1})
	}
	return &r.tokens[n]
}

// addDays adds the days of an interval that are not counted yet. A zero end is not
// within the period.
func (t *TokenUsage) addDays(p *UsagePeriod, begin, end time.Time) (days int) {
	until := end.Add(-time.Microsecond) // the moment of the end is not enabled any more
	if end.IsZero() {
		until = EarliestOf(p.now, p.end().Add(-time.Microsecond))
	}
	last := p.day(latestOf(begin, until))
	days = max(0, last-max(p.day(begin), t.lastDay+1)+1)
	t.Days += days
	t.lastDay = max(t.lastDay, last)
	return days
}

// endService reports the service whose intervals have all been added.
func (r *usageReport) endService() error {
	for i := range r.tokens {
		if err := r.each(&r.tokens[i]); err != nil {
			return err
		}
	}
	r.tokens = r.tokens[:0]
	return nil
}

// findPeaks replays the beginnings and ends of the period.
func (r *usageReport) findPeaks(ctx context.Context, s Reader, q IntervalQuery) error {
	enabled := make(map[int]int, len(r.products))
	for id, p := range r.products {
		enabled[id], p.Peak = p.AtStart, max(p.AtStart, p.AtEnd)
	}
	if r.first == 0 {
		return nil
	}
	q.LastEvent = r.last
	return s.EachIntervalEdge(ctx, r.first, q, func(e IntervalEdge) {
		enabled[e.ProductID] += e.Change
		if p := r.products[e.ProductID]; p != nil {
			p.Peak = max(p.Peak, enabled[e.ProductID])
		}
	})
}

func latestOf(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
