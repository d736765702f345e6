package reports

import (
	"context"
	"maps"
	"slices"
	"time"

	"ativa/internal/service/domain"
)

// Usage is the usage of all services of a provider in a period. It is computed from
// intervals rather than events, so that retention does not affect it.
type Usage struct {
	EventsSince time.Time // time of the oldest stored event; zero: there is none
	Products    []ProductUsage
}

// ProductUsage is the usage of one product.
type ProductUsage struct {
	ProductID        int
	AtStart, AtEnd   int // services enabled at the start and the end
	Activated, Ended int // number of services that became enabled, and that ceased to be
	Peak             int // largest number of services enabled at once, in the order of the events
	Days             int // sum over the services
}

// TokenUsage is how long a service was enabled with one product in a period.
type TokenUsage struct {
	Service   domain.ServiceID
	Document  string
	ProductID int
	CreatedAt time.Time
	Status    domain.Status // current status
	First     time.Time
	Last      time.Time // zero if still enabled at the end of the period
	Days      int

	lastDay int // last day counted
}

// Usage returns the usage of a period as of the newest event. It calls each for every service and
// product, in order of creation; the value is reused. Document, status and creation time are set
// only if tokens is true. It takes constant memory and only short queries, so that no other request
// waits.
func (r *Reports) Usage(ctx context.Context, p domain.ProviderID, period UsagePeriod, tokens bool, each func(*TokenUsage) error) (Usage, error) {
	newest, err := r.store.LastEvent(ctx, p)
	if err != nil {
		return Usage{}, err
	}
	kept, err := r.store.Events(ctx, p, 0, 1)
	if err != nil {
		return Usage{}, err
	}
	var u Usage
	if len(kept) > 0 {
		u.EventsSince = kept[0].At
	}
	report := &usageReport{period: &period, each: each, products: map[int]*ProductUsage{}}
	q := domain.IntervalQuery{From: period.start(), To: period.end(), LastEvent: newest, Tokens: tokens}
	if err := r.store.EachInterval(ctx, p, q, report.add); err != nil {
		return u, err
	}
	if err := report.endService(); err != nil {
		return u, err
	}
	err = report.findPeaks(ctx, r.store, q)
	for _, id := range slices.Sorted(maps.Keys(report.products)) {
		u.Products = append(u.Products, *report.products[id])
	}
	return u, err
}

// usageReport adds up intervals, service by service.
type usageReport struct {
	period      *UsagePeriod
	each        func(*TokenUsage) error
	products    map[int]*ProductUsage
	first, last domain.EventID // range of the beginnings and ends in the period; 0: none

	service domain.ServiceID
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
func (r *usageReport) add(i *domain.ServiceInterval) error {
	if i.Service != r.service {
		if err := r.endService(); err != nil {
			return err
		}
		r.service = i.Service
	}
	begin, end := i.Begin, i.End
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
		return nil // it ended when the period began
	}
	t := r.token(i)
	if t.First.IsZero() {
		t.First = begin
	}
	t.Last = end
	p.Days += t.addDays(r.period, begin, end)
	return nil
}

// countEdge extends the range of events that findPeaks reads.
func (r *usageReport) countEdge(e domain.EventID) {
	if r.first == 0 || e < r.first {
		r.first = e
	}
	r.last = max(r.last, e)
}

// token returns the usage of the service with the interval's product.
func (r *usageReport) token(i *domain.ServiceInterval) *TokenUsage {
	n := slices.IndexFunc(r.tokens, func(t TokenUsage) bool { return t.ProductID == i.ProductID })
	if n < 0 {
		n = len(r.tokens)
		r.tokens = append(r.tokens, TokenUsage{Service: i.Service, Document: i.Document, ProductID: i.ProductID, CreatedAt: i.CreatedAt, Status: i.Status, lastDay: -1})
	}
	return &r.tokens[n]
}

// addDays counts the days of an interval that are not yet counted, and returns their number. A
// zero end means that the interval does not end within the period.
func (t *TokenUsage) addDays(p *UsagePeriod, begin, end time.Time) (days int) {
	until := end.Add(-time.Microsecond) // end is exclusive
	if end.IsZero() {
		until = domain.EarliestOf(p.now, p.end().Add(-time.Microsecond))
	}
	if until.Before(begin) {
		until = begin
	}
	last := p.day(until)
	days = max(0, last-max(p.day(begin), t.lastDay+1)+1)
	t.Days += days
	t.lastDay = max(t.lastDay, last)
	return days
}

// endService reports the current service, whose intervals have all been added.
func (r *usageReport) endService() error {
	for i := range r.tokens {
		if err := r.each(&r.tokens[i]); err != nil {
			return err
		}
	}
	r.tokens = r.tokens[:0]
	return nil
}

// findPeaks computes the peaks by replaying the beginnings and ends of the period.
func (r *usageReport) findPeaks(ctx context.Context, s Store, q domain.IntervalQuery) error {
	enabled := make(map[int]int, len(r.products))
	for id, p := range r.products {
		enabled[id], p.Peak = p.AtStart, max(p.AtStart, p.AtEnd)
	}
	if r.first == 0 {
		return nil
	}
	q.LastEvent = r.last
	return s.EachIntervalEdge(ctx, r.first, q, func(e domain.IntervalEdge) {
		enabled[e.ProductID] += e.Change
		if p := r.products[e.ProductID]; p != nil {
			p.Peak = max(p.Peak, enabled[e.ProductID])
		}
	})
}
