package rules_test

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"
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

// A report agrees with the feed read from its beginning, in a hundred random histories, and stays the
// same after retention has cut the feed.
func TestUsageIsAFoldOverTheFeed(t *testing.T) {
	t.Parallel()
	fx := newFixture(t, 100)
	begin, providers := time.Date(2026, 3, 5, 12, 0, 0, 0, time.UTC), 0 // the 8th of March has no midnight in Havana
	rapid.Check(t, func(rt *rapid.T) {
		fx.t, fx.now = rt, begin
		providers++
		var err error
		fx.p, _, err = fx.m.CreateProvider(fx.ctx, domain.Provider{Name: fmt.Sprint("Provedor ", providers), Limit: rapid.IntRange(4, 40).Draw(rt, "limit")})
		fx.must(err)
		fx.must(fx.m.Grant(fx.ctx, fx.p.Name, []int{playBasic, playPremium, music, alone}, true))
		zone, err := time.LoadLocation(rapid.SampledFrom([]string{"UTC", "America/Sao_Paulo", "America/Havana", "Asia/Tokyo"}).Draw(rt, "zone"))
		fx.must(err)
		h := &histories{fx: fx}
		h.live(rt, zone)
		from := date(rapid.SampledFrom(h.events).Draw(rt, "event").At, zone).AddDate(0, 0, -rapid.IntRange(0, 2).Draw(rt, "before"))
		to := from.AddDate(0, 0, rapid.IntRange(0, 40).Draw(rt, "days"))
		first, last := from.Format(time.DateOnly), to.Format(time.DateOnly)
		want, wantTokens := h.fold(from, to, zone)
		check := func(when string, kept time.Time) {
			got, tokens := fx.usage(first, last, zone)
			if !got.EventsSince.Equal(h.since(kept)) || !reflect.DeepEqual(got.Products, want) || !reflect.DeepEqual(tokens, wantTokens) {
				rt.Fatalf("%s, events since %s, %s to %s in %s:\ngot  %+v\nwant %+v\ngot  %+v\nwant %+v", when, got.EventsSince, first, last, zone, got, want, tokens, wantTokens)
			}
		}
		check("with all events", begin)
		keep := time.Duration(rapid.IntRange(1, 24*54).Draw(rt, "kept hours")) * time.Hour
		fx.must(fx.store.Purge(fx.ctx, domain.RetentionPeriods{History: keep}.Cutoffs(fx.now)))
		check("after retention", fx.now.Add(-keep))
	})
}

// histories are random histories of one provider's subscribers.
type histories struct {
	fx     *fixture
	events []domain.Event // the feed
}

const perProvider = 10

// live runs random requests and confirmations at random times. Many are at the beginning of a day of
// the zone.
func (h *histories) live(rt *rapid.T, zone *time.Location) {
	fx := h.fx
	fx.register(1, perProvider/2, playBasic)
	fx.register(perProvider/2+1, perProvider, playBasic, music)
	for range rapid.IntRange(3, 18).Draw(rt, "steps") {
		if rapid.Bool().Draw(rt, "midnight") {
			fx.now = midnight(date(fx.now, zone).AddDate(0, 0, 1), zone).UTC()
		} else {
			fx.now = fx.now.Add(time.Duration(rapid.IntRange(0, 60*60*72).Draw(rt, "seconds")) * time.Second)
		}
		h.read()
		switch rapid.IntRange(0, 5).Draw(rt, "step") {
		case 0, 1, 2:
			h.confirm(rt)
		case 3, 4:
			request := rapid.SampledFrom([]domain.Request{domain.RequestActivate, domain.RequestSuspend, domain.RequestDeactivate,
				domain.RequestOverdue, domain.RequestSettle}).Draw(rt, "request")
			fx.must(errorOf(fx.m.Provision(fx.ctx, fx.call(), request, product(rt), h.some(rt))))
		case 5:
			for _, d := range h.some(rt)[:1] {
				_, _ = fx.m.ChangeProduct(fx.ctx, fx.call(), document(slices.Index(docs(1, perProvider), d)+1), playBasic, playPremium) // it may be refused
			}
		}
	}
	h.read()
}

func (h *histories) some(rt *rapid.T) []string {
	all := docs(1, perProvider)
	from := rapid.IntRange(0, perProvider-1).Draw(rt, "from")
	return all[from : from+rapid.IntRange(1, perProvider-from).Draw(rt, "documents")]
}

// confirm lets the partner answer to some of the operations, or to some once more.
func (h *histories) confirm(rt *rapid.T) {
	var all []domain.Confirmation
	fails := rapid.IntRange(2, 6).Draw(rt, "one fails in")
	for i, e := range h.events {
		if e.Operation != 0 && rapid.IntRange(0, 3).Draw(rt, "confirmed") > 0 {
			all = append(all, domain.Confirmation{Operation: e.Operation, Confirmed: i%fails > 0, Actor: domain.ActorPartner})
		}
	}
	_, err := h.fx.m.Confirm(h.fx.ctx, all)
	h.fx.must(err)
}

// read reads the rest of the feed.
func (h *histories) read() {
	for {
		var after domain.EventID
		if len(h.events) > 0 {
			after = h.events[len(h.events)-1].ID
		}
		more, _, err := h.fx.m.Events(h.fx.ctx, h.fx.p.ID, after, 500)
		h.fx.must(err)
		if len(more) == 0 {
			return
		}
		h.events = append(h.events, more...)
	}
}

// since returns the time of the first event that retention keeps, zero if there is none.
func (h *histories) since(kept time.Time) time.Time {
	i := slices.IndexFunc(h.events, func(e domain.Event) bool { return !e.At.Before(kept) })
	if i < 0 {
		return time.Time{}
	}
	return h.events[i].At
}

// span is a time in which a service was enabled with a product.
type span struct {
	service    domain.ServiceID
	product    int
	from, to   time.Time // to is zero while it lasts
	begun, end int       // indexes of the events; end is beyond all while it lasts
}

// lastedAt reports whether the service was enabled after the event with the index.
func (s *span) lastedAt(event int) bool { return s.begun <= event && event < s.end }

// spans returns the spans that began before a time, in order of their services.
func (h *histories) spans(before time.Time) (all []*span) {
	now := map[domain.ServiceID]*span{}
	for i, e := range h.events {
		if !e.At.Before(before) {
			break
		}
		active := e.Status == domain.Active
		s := now[e.Service]
		if s != nil && (e.Status == domain.Suspended || e.Status == domain.Overdue || e.Status == domain.Canceled || active && s.product != e.ProductID) {
			s.to, s.end = e.At, i
			delete(now, e.Service)
		}
		if now[e.Service] == nil && active {
			s = &span{e.Service, e.ProductID, e.At, time.Time{}, i, len(h.events)}
			now[e.Service], all = s, append(all, s)
		}
	}
	slices.SortStableFunc(all, func(a, b *span) int { return cmp.Compare(a.service, b.service) })
	return all
}

// fold returns the usage according to the feed, day by day.
func (h *histories) fold(from, to time.Time, zone *time.Location) ([]reports.ProductUsage, []reports.TokenUsage) {
	var days []time.Time // the first moments of each, and of the day after the last
	for day := from; !day.After(to.AddDate(0, 0, 1)); day = day.AddDate(0, 0, 1) {
		days = append(days, midnight(day, zone))
	}
	first, end := days[0], days[len(days)-1]
	spans := h.spans(end)
	products := map[int]*reports.ProductUsage{}
	for _, s := range spans {
		if !s.to.IsZero() && s.to.Before(first) {
			continue
		}
		p := products[s.product]
		if p == nil {
			p = &reports.ProductUsage{ProductID: s.product}
			products[s.product] = p
		}
		if s.from.Before(first) {
			p.AtStart++
		} else {
			p.Activated++
			atOnce := 0
			for _, other := range spans {
				if other.product == s.product && other.lastedAt(s.begun) {
					atOnce++
				}
			}
			p.Peak = max(p.Peak, atOnce)
		}
		if s.to.IsZero() {
			p.AtEnd++
		} else {
			p.Ended++
		}
	}
	tokens := h.tokens(spans, days)
	for _, t := range tokens {
		products[t.ProductID].Days += t.Days
	}
	var all []reports.ProductUsage
	for _, id := range slices.Sorted(maps.Keys(products)) {
		products[id].Peak = max(products[id].Peak, products[id].AtStart)
		all = append(all, *products[id])
	}
	return all, tokens
}

// tokens is the part of the usage about each service.
func (h *histories) tokens(spans []*span, days []time.Time) []reports.TokenUsage {
	first := days[0]
	services := map[domain.ServiceID]domain.Service{}
	documents := map[domain.ServiceID]string{}
	for n := 1; n <= perProvider; n++ {
		s, err := h.fx.m.Subscriber(h.fx.ctx, h.fx.p.ID, document(n))
		h.fx.must(err)
		for _, v := range s.Services {
			services[v.ID], documents[v.ID] = v, doc(n)
		}
	}
	var tokens []reports.TokenUsage
	for _, s := range spans {
		if !s.to.IsZero() && s.from.Before(first) && !s.to.After(first) {
			continue
		}
		v := services[s.service]
		i := slices.IndexFunc(tokens, func(t reports.TokenUsage) bool { return t.Service == s.service && t.ProductID == s.product })
		if i < 0 {
			i = len(tokens)
			tokens = append(tokens, reports.TokenUsage{Service: s.service, Document: documents[s.service], ProductID: s.product, CreatedAt: v.CreatedAt, Status: v.Status, First: slices.MaxFunc([]time.Time{s.from, first}, time.Time.Compare)})
		}
		tokens[i].Last = s.to
	}
	for i := range tokens {
		t := &tokens[i]
		for d, next := range days[1:] {
			day := days[d]
			for _, s := range spans {
				if s.service != t.Service || s.product != t.ProductID || day.After(h.fx.now) {
					continue
				}
				// The span includes from and excludes to, unless it is empty.
				if s.from.Before(next) && (s.to.IsZero() || s.to.After(day) || s.to.Equal(s.from) && !s.from.Before(day)) {
					t.Days++
					break
				}
			}
		}
	}
	return tokens
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
