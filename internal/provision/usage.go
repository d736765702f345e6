package provision

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"sort"
	"time"
)

// Usage is what was enabled in a period, over all services of a provider.
type Usage struct {
	Complete    bool      // false when retention has cut events that the numbers need
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

// Sorter sorts pairs of numbers, by the first and then by the second, in constant
// memory.
type Sorter interface {
	Add([2]uint64) error
	// Sorted returns the pairs one by one, and then io.EOF.
	Sorted() (next func() ([2]uint64, error), err error)
}

// clockSkew is more than the clocks of two servers of one database differ by: events
// are in the order of their ids, and nearly in that of their times.
const clockSkew = 24 * time.Hour

// Usage returns the usage of a period. It takes constant memory and one short query
// after the other: nobody waits for it. It calls each with the usage of every service
// with every product, in order of creation; the value is reused. Documents are read
// on demand.
func (m *Manager) Usage(ctx context.Context, p ProviderID, period UsagePeriod, sorter Sorter, documents bool, each func(*TokenUsage) error) (Usage, error) {
	r := &usageReport{m: m, period: &period, sorter: sorter, products: map[int]*ProductUsage{}}
	if err := r.findEvents(ctx, p); err != nil {
		return Usage{}, err
	}
	s := &serviceUsage{period: &period, changed: r.count}
	r.usage.Complete = true
	err := m.store.EachServiceBetween(ctx, p, r.after, r.last, documents, func(service *ServiceEvents) error {
		if err := r.fold(ctx, s, service); err != nil {
			return err
		}
		r.addService(s)
		for i := range s.tokens {
			t := &s.tokens[i]
			t.Service, t.Document, t.CreatedAt, t.Status = service.ID, service.Document, service.CreatedAt, service.Status
			if err := each(t); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = r.finish()
	}
	return r.usage, err
}

// usageReport adds up the usage of services.
type usageReport struct {
	m        *Manager
	period   *UsagePeriod
	sorter   Sorter
	usage    Usage
	products map[int]*ProductUsage

	after, last EventID // the events that are read
	cut         bool    // retention has removed events
}

// findEvents finds where the events of the period begin, by halves: the times of
// events ascend, but for the clocks of servers.
func (r *usageReport) findEvents(ctx context.Context, p ProviderID) error {
	newest, err := r.m.LastEvent(ctx, p)
	if err != nil {
		return err
	}
	r.after, r.last = newest, newest
	first, _ := p.Records()
	kept, err := r.m.store.Events(ctx, p, 0, 1)
	if err != nil {
		return err
	}
	if len(kept) == 0 {
		r.cut = int64(newest) > first
		return nil
	}
	oldest := kept[0].ID
	r.usage.EventsSince, r.cut = kept[0].At, int64(oldest) > first+1
	from := r.period.start().Add(-clockSkew)
	n := sort.Search(int(newest-oldest)+1, func(n int) bool {
		if err != nil {
			return true
		}
		var found []Event
		found, err = r.m.store.Events(ctx, p, oldest+EventID(n)-1, 1)
		return len(found) == 0 || !found[0].At.Before(from)
	})
	r.after = oldest + EventID(n) - 1
	return err
}

// fold folds the events of one service. Where those since the beginning of the
// period do not tell how the service stood before them, it reads all that are kept.
func (r *usageReport) fold(ctx context.Context, u *serviceUsage, s *ServiceEvents) error {
	before, known := s.enabledBefore()
	if !known || r.missesEvents(s) {
		history, err := r.m.store.History(ctx, s.ID.Subscriber())
		if err != nil {
			return err
		}
		s.Events = s.Events[:0]
		for _, e := range history {
			if e.Service == s.ID && e.Type == StatusChanged {
				s.Events = append(s.Events, StatusEvent{e.ID, e.At, e.ProductID, e.PreviousProductID, e.Previous, e.Status})
			}
		}
		before, known = s.enabledBefore()
	}
	if r.cut && !(known && r.keeps(s)) {
		r.usage.Complete = false
	}
	if len(s.Events) == 0 && !s.UpdatedAt.Before(r.period.start()) { // its events are gone, but not the last one's time
		product, _ := s.enabledProduct()
		s.Events = append(s.Events, StatusEvent{At: s.UpdatedAt, ProductID: product, Status: s.Status})
		before = 0
	}
	return u.fold(before, s.Events)
}

// missesEvents reports whether a service has changed since its events were read.
func (r *usageReport) missesEvents(s *ServiceEvents) bool {
	return len(s.Events) == 0 && !s.UpdatedAt.Before(r.period.start().Add(-clockSkew)) && !s.UpdatedAt.Before(r.usage.EventsSince)
}

// keeps reports whether every event of a service in the period is kept.
func (r *usageReport) keeps(s *ServiceEvents) bool {
	if len(s.Events) == 0 {
		return s.UpdatedAt.Before(r.period.start())
	}
	return s.Events[0].Previous == NoService || !r.usage.EventsSince.After(r.period.start())
}

func (r *usageReport) product(id int) *ProductUsage {
	p := r.products[id]
	if p == nil {
		p = &ProductUsage{ProductID: id}
		r.products[id] = p
	}
	return p
}

// count adds the beginning or end of being enabled. The peak needs them in the order
// in which they happened.
func (r *usageReport) count(c enabledChange) error {
	p := r.product(c.product)
	kind := uint64(0)
	if c.begins {
		p.Activated++
		kind = 1
	} else {
		p.Ended++
	}
	return r.sorter.Add([2]uint64{uint64(c.event), uint64(c.product)<<1 | kind})
}

// addService adds the usage of one service.
func (r *usageReport) addService(u *serviceUsage) {
	if u.atStart != 0 {
		r.product(u.atStart).AtStart++
	}
	for i := range u.tokens {
		r.product(u.tokens[i].ProductID).Days += u.tokens[i].Days
	}
}

// finish replays the beginnings and ends for the peaks.
func (r *usageReport) finish() error {
	for _, p := range r.products {
		p.Peak, p.AtEnd = p.AtStart, p.AtStart
	}
	next, err := r.sorter.Sorted()
	if err != nil {
		return err
	}
	for {
		c, err := next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		p := r.products[int(c[1]>>1)]
		p.AtEnd += int(c[1]&1)*2 - 1
		p.Peak = max(p.Peak, p.AtEnd)
	}
	for _, id := range slices.Sorted(maps.Keys(r.products)) {
		r.usage.Products = append(r.usage.Products, *r.products[id])
	}
	return nil
}

// maxUsageDays bounds a period of usage (decisions.md 14).
const maxUsageDays = 366

// UsagePeriod is the period of a report: whole days of a time zone.
type UsagePeriod struct {
	// days are the first moments of the days, and that after the last day.
	days []time.Time
	now  time.Time // the report is about what was until then
}

// UsagePeriod returns the period from one day to another, both included, as
// 2026-11-01. It refuses with ValidationFailed and every field that is wrong; a nil
// zone is one that does not exist.
func (m *Manager) UsagePeriod(from, to string, zone *time.Location) (UsagePeriod, error) {
	var c checker
	first, isFirst := c.day("from", from)
	last, isLast := c.day("to", to)
	p := UsagePeriod{now: m.Now()}
	if zone == nil {
		c.fail("tz", "invalid", "must be the IANA name of a time zone, such as America/Sao_Paulo")
		zone = time.UTC
	}
	switch {
	case !isFirst:
	case startOfDay(first, zone).After(p.now):
		c.fail("from", "invalid", "must not be in the future")
	case !isLast:
	case last.Before(first):
		c.fail("to", "invalid", "must not be before from")
	case !last.Before(first.AddDate(0, 0, maxUsageDays)):
		c.fail("to", "invalid", "must be at most 366 days in all")
	}
	if len(c.errors) > 0 {
		return p, &Error{Code: ValidationFailed, Message: "the period is not valid", Fields: c.errors}
	}
	for day := first; !day.After(last.AddDate(0, 0, 1)); day = day.AddDate(0, 0, 1) {
		p.days = append(p.days, startOfDay(day, zone))
	}
	return p, nil
}

// day parses a day that is required. ok is false if there is none.
func (c *checker) day(field, text string) (day time.Time, ok bool) {
	day, err := time.Parse(time.DateOnly, text)
	switch {
	case text == "":
		c.fail(field, "required", "required")
	case err != nil:
		c.fail(field, "invalid", "must be a day, such as 2026-11-01")
	}
	return day, err == nil
}

// startOfDay returns the first moment of a date in a zone. Where clocks are put
// forward at midnight, as in Brazil until 2019, it is not midnight.
func startOfDay(date time.Time, zone *time.Location) time.Time {
	year, month, day := date.Date()
	before := time.Date(year, month, day-1, 12, 0, 0, 0, zone)
	const seconds = 48 * 60 * 60
	n := sort.Search(seconds, func(n int) bool {
		y, m, d := before.Add(time.Duration(n) * time.Second).Date()
		return !time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Before(date)
	})
	return before.Add(time.Duration(n) * time.Second)
}

func (p *UsagePeriod) start() time.Time { return p.days[0] }

func (p *UsagePeriod) end() time.Time { return p.days[len(p.days)-1] }

// day returns the number, from 0, of the day that a moment of the period is in.
func (p *UsagePeriod) day(t time.Time) int {
	return sort.Search(len(p.days)-1, func(i int) bool { return p.days[i+1].After(t) })
}
