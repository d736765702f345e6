package rules_test

import (
	"reflect"
	"slices"
	"time"
	_ "time/tzdata"

	"pgregory.net/rapid"

	"ativa/internal/service/domain"
	"ativa/internal/service/reports"
)

// usage returns the report of a period.
func (fx *fixture) usage(from, to string, zone *time.Location) (reports.Usage, []reports.TokenUsage) {
	fx.t.Helper()
	period, err := fx.m.UsagePeriod(from, to, zone)
	fx.must(err)
	var tokens []reports.TokenUsage
	u, err := fx.m.Usage(fx.ctx, fx.p.ID, period, true, func(t *reports.TokenUsage) error {
		tokens = append(tokens, reports.TokenUsage{Service: t.Service, Document: t.Document, ProductID: t.ProductID, CreatedAt: t.CreatedAt,
			Status: t.Status, First: t.First, Last: t.Last, Days: t.Days})
		return nil
	})
	fx.must(err)
	return u, tokens
}

// compareUsage compares a report with the feed, and the feed with the events, before and after retention.
func (c *comparison) compareUsage(rt *rapid.T) {
	at := rapid.SampledFrom(c.access.events).Draw(rt, "event").At
	c.fx.now = latest(c.fx.now, at) // a period begins in the past
	from := date(at, c.zone).AddDate(0, 0, -rapid.IntRange(0, 2).Draw(rt, "before"))
	to := from.AddDate(0, 0, rapid.IntRange(0, 40).Draw(rt, "days"))
	first, last := from.Format(time.DateOnly), to.Format(time.DateOnly)
	want, wantTokens := c.fold(from, to)
	check := func(when string, kept []domain.Event) {
		since := time.Time{}
		if len(kept) > 0 {
			since = kept[0].At
		}
		got, tokens := c.fx.usage(first, last, c.zone)
		if !got.EventsSince.Equal(since) || !reflect.DeepEqual(got.Products, want) || !reflect.DeepEqual(tokens, wantTokens) {
			rt.Fatalf("%s, events since %s, %s to %s in %s:\ngot  %+v\nwant %+v\ngot  %+v\nwant %+v", when, got.EventsSince, first, last, c.zone, got, want, tokens, wantTokens)
		}
		events, _, err := c.fx.m.Events(c.fx.ctx, c.fx.p.ID, 0, 1000)
		c.fx.must(err)
		if !slices.EqualFunc(events, kept, func(a, b domain.Event) bool { return a.ID == b.ID }) {
			rt.Fatalf("%s: the feed has %d events, the model %d", when, len(events), len(kept))
		}
	}
	check("with all events", c.access.events)
	keep := time.Duration(rapid.IntRange(1, 24*10).Draw(rt, "kept hours")) * time.Hour
	c.fx.must(c.fx.store.Purge(c.fx.ctx, domain.RetentionPeriods{History: keep}.Cutoffs(c.fx.now)))
	check("after retention", c.keptSince(c.fx.now.Add(-keep)))
}

// keptSince returns the events that retention keeps. Events of a wrong clock keep their place: only the beginning of
// the feed is deleted.
func (c *comparison) keptSince(cutoff time.Time) []domain.Event {
	i := slices.IndexFunc(c.access.events, func(e domain.Event) bool { return !e.At.Before(cutoff) })
	if i < 0 {
		return nil
	}
	return c.access.events[i:]
}

// span is a time in which a service was enabled with a product.
type span struct {
	service    domain.ServiceID
	product    int
	from, to   time.Time // to is zero while it lasts
	begun, end int       // indexes of the events; end is beyond all while it lasts
}

// spans returns the spans in a period. One does not end before it begins, nor begin
// before the last of its service has ended, even if the clock was set back.
func (c *comparison) spans(first, end time.Time) (all []*span) {
	now, last := map[domain.ServiceID]*span{}, map[domain.ServiceID]time.Time{}
	for i, e := range c.access.events {
		active := e.Status == domain.Active
		s := now[e.Service]
		if s != nil && (e.Status == domain.Suspended || e.Status == domain.Overdue || e.Status == domain.Canceled || active && s.product != e.ProductID) {
			s.to, s.end = latest(e.At, s.from), i
			last[e.Service] = s.to
			delete(now, e.Service)
		}
		if now[e.Service] == nil && active {
			s = &span{e.Service, e.ProductID, latest(e.At, last[e.Service]), time.Time{}, i, len(c.access.events)}
			now[e.Service], all = s, append(all, s)
		}
	}
	all = slices.DeleteFunc(all, func(s *span) bool { return !s.from.Before(end) || !s.to.IsZero() && s.to.Before(first) })
	for _, s := range all {
		if s.from.Before(first) {
			s.begun = -1
		}
		if !s.to.Before(end) {
			s.to, s.end = time.Time{}, len(c.access.events)
		}
	}
	return all
}

// latest returns the later of two times.
func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// fold returns the usage according to the feed, day by day.
func (c *comparison) fold(from, to time.Time) (products []reports.ProductUsage, tokens []reports.TokenUsage) {
	var days []time.Time // the first moments of each, and of the day after the last
	for day := from; !day.After(to.AddDate(0, 0, 1)); day = day.AddDate(0, 0, 1) {
		days = append(days, midnight(day, c.zone))
	}
	first, end := days[0], days[len(days)-1]
	spans := c.spans(first, end)
	tokens = c.tokens(spans, days)
	for _, id := range []int{playBasic, playPremium, music} {
		p := reports.ProductUsage{ProductID: id}
		mine := slices.DeleteFunc(slices.Clone(spans), func(s *span) bool { return s.product != id })
		for _, s := range mine {
			if s.from.Before(first) {
				p.AtStart++
			} else {
				p.Activated++
			}
			if s.to.IsZero() {
				p.AtEnd++
			} else {
				p.Ended++
			}
			atOnce := 0
			for _, other := range mine {
				if other.begun <= s.begun && s.begun < other.end {
					atOnce++
				}
			}
			p.Peak = max(p.Peak, atOnce)
		}
		for _, t := range tokens {
			if t.ProductID == id {
				p.Days += t.Days
			}
		}
		if len(mine) > 0 {
			products = append(products, p)
		}
	}
	return products, tokens
}

// tokens is the part of the usage about each service.
func (c *comparison) tokens(spans []*span, days []time.Time) (all []reports.TokenUsage) {
	first := days[0]
	for n, services := range c.readAll() {
		for _, v := range services {
			for _, s := range spans {
				if s.service != v.ID || s.from.Before(first) && s.to.Equal(first) {
					continue
				}
				i := slices.IndexFunc(all, func(t reports.TokenUsage) bool { return t.Service == v.ID && t.ProductID == s.product })
				if i < 0 {
					i = len(all)
					all = append(all, reports.TokenUsage{Service: v.ID, Document: doc(n + 1), ProductID: s.product, CreatedAt: v.CreatedAt, Status: v.Status, First: latest(s.from, first)})
				}
				all[i].Last = s.to
			}
		}
	}
	for i := range all {
		t := &all[i]
		for d, next := range days[1:] {
			if slices.ContainsFunc(spans, func(s *span) bool {
				return s.service == t.Service && s.product == t.ProductID && s.covers(days[d], next, c.fx.now)
			}) {
				t.Days++
			}
		}
	}
	return all
}

// covers reports whether the span has a part of the day. It excludes its end, unless it is empty.
func (s *span) covers(day, next, now time.Time) bool {
	switch {
	case !s.from.Before(next):
		return false
	case s.to.IsZero():
		return !day.After(latest(now, s.from))
	}
	return s.to.After(day) || s.to.Equal(s.from) && !s.from.Before(day)
}

// date returns noon, in UTC, of the date of a time in a zone.
func date(at time.Time, zone *time.Location) time.Time {
	year, month, day := at.In(zone).Date()
	return time.Date(year, month, day, 12, 0, 0, 0, time.UTC)
}

// midnight is the first moment of a date in a zone, to the minute.
func midnight(date time.Time, zone *time.Location) time.Time {
	at := time.Date(date.Year(), date.Month(), date.Day()-1, 12, 0, 0, 0, zone)
	for at.Day() != date.Day() {
		at = at.Add(time.Minute)
	}
	return at
}
