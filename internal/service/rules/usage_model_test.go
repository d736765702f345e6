package rules_test

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"
	_ "time/tzdata"

	"pgregory.net/rapid"

	"ativa/internal/service/domain"
	"ativa/internal/service/reports"
	"ativa/internal/service/servicetest"
)

// usage is the report of a period as the manager makes it.
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

// A report is what anybody finds who reads the feed from its beginning: a thousand
// random histories, ten to a provider. It says the same after retention has cut the feed.
func TestUsageIsAFoldOverTheFeed(t *testing.T) {
	t.Parallel()
	fx := newFixture(t, 100)
	begin, providers := fx.now, 0
	rapid.Check(t, func(rt *rapid.T) {
		fx.t, fx.now = rt, begin
		providers++
		var err error
		fx.p, _, err = fx.m.CreateProvider(fx.ctx, domain.Provider{Name: fmt.Sprint("Provedor ", providers), Limit: rapid.IntRange(4, 40).Draw(rt, "limit")})
		fx.must(err)
		fx.must(fx.m.Grant(fx.ctx, fx.p.Name, []int{playBasic, playPremium, music, alone}, true))
		h := &histories{fx: fx}
		h.live(rt)
		zone, err := time.LoadLocation(rapid.SampledFrom([]string{"UTC", "America/Sao_Paulo", "America/Havana", "Asia/Tokyo"}).Draw(rt, "zone"))
		fx.must(err)
		days := int(fx.now.Sub(begin)/(24*time.Hour)) + 1
		from := begin.AddDate(0, 0, rapid.IntRange(-2, days-1).Draw(rt, "from"))
		to := from.AddDate(0, 0, rapid.IntRange(0, 40).Draw(rt, "days"))
		first, last := from.Format(time.DateOnly), to.Format(time.DateOnly)
		want, wantTokens := h.fold(from, to, zone)
		check := func(when string) {
			got, tokens := fx.usage(first, last, zone)
			if !reflect.DeepEqual(got.Products, want) || !reflect.DeepEqual(tokens, wantTokens) {
				rt.Fatalf("%s, %s to %s in %s:\ngot  %+v\nwant %+v\ngot  %+v\nwant %+v", when, first, last, zone, got, want, tokens, wantTokens)
			}
		}
		check("with all events")
		keep := time.Duration(rapid.IntRange(1, days*24).Draw(rt, "kept hours")) * time.Hour
		purging := servicetest.New(fx.store, servicetest.Options{Clock: func() time.Time { return fx.now }, Retention: domain.RetentionPeriods{History: keep}})
		fx.must(purging.Purge(fx.ctx))
		check("after retention")
	})
}

// histories are those of the subscribers of one provider.
type histories struct {
	fx     *fixture
	events []domain.Event // the feed
}

const perProvider = 10

// live lets the subscribers, their partner and the time do anything.
func (h *histories) live(rt *rapid.T) {
	fx := h.fx
	fx.register(1, perProvider/2, playBasic)
	fx.register(perProvider/2+1, perProvider, playBasic, music)
	for range rapid.IntRange(3, 18).Draw(rt, "steps") {
		fx.now = fx.now.Add(time.Duration(rapid.IntRange(0, 60*60*72).Draw(rt, "seconds")) * time.Second)
		h.read()
		switch rapid.IntRange(0, 5).Draw(rt, "step") {
		case 0, 1, 2:
			h.confirm(rt)
		case 3, 4:
			request := rapid.SampledFrom([]domain.Request{domain.RequestActivate, domain.RequestSuspend, domain.RequestDeactivate,
				domain.RequestOverdue, domain.RequestSettle}).Draw(rt, "request")
			_, err := fx.m.Provision(fx.ctx, fx.call(), request, product(rt), h.some(rt))
			fx.must(err)
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
	fails := rapid.IntRange(2, 6).Draw(rt, "every so many fail")
	for i, e := range h.events {
		if e.Operation != 0 && rapid.IntRange(0, 3).Draw(rt, "confirmed") > 0 {
			all = append(all, domain.Confirmation{Operation: e.Operation, Confirmed: i%fails > 0, Actor: domain.ActorPartner})
		}
	}
	_, err := h.fx.m.Confirm(h.fx.ctx, all)
	h.fx.must(err)
}

// read reads the feed on.
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

// span is a time in which a service was enabled with a product.
type span struct {
	service  domain.ServiceID
	product  int
	from, to time.Time // to is zero while it lasts
}

// fold is the usage as the feed tells it, day by day.
func (h *histories) fold(from, to time.Time, zone *time.Location) ([]reports.ProductUsage, []reports.TokenUsage) {
	var days []time.Time // the first moments of each, and that after the last
	for day := from; !day.After(to.AddDate(0, 0, 1)); day = day.AddDate(0, 0, 1) {
		days = append(days, midnight(day, zone))
	}
	first, end := days[0], days[len(days)-1]
	products, now := map[int]*reports.ProductUsage{}, map[domain.ServiceID]*span{}
	enabled := map[int]int{}
	of := func(product int) *reports.ProductUsage {
		if products[product] == nil {
			products[product] = &reports.ProductUsage{ProductID: product, AtStart: enabled[product], Peak: enabled[product]}
		}
		return products[product]
	}
	var spans []*span
	begun := false
	for _, e := range h.events {
		if !e.At.Before(end) {
			break
		}
		if !begun && !e.At.Before(first) {
			begun = true
			for _, s := range now {
				of(s.product)
			}
		}
		s := now[e.Service]
		active := e.Status == domain.Active
		if s != nil && (e.Status == domain.Suspended || e.Status == domain.Overdue || e.Status == domain.Canceled || active && s.product != e.ProductID) {
			s.to = e.At
			delete(now, e.Service)
			if begun {
				of(s.product).Ended++
			}
			enabled[s.product]--
			s = nil
		}
		if s == nil && active {
			now[e.Service] = &span{service: e.Service, product: e.ProductID, from: e.At}
			spans = append(spans, now[e.Service])
			if begun {
				of(e.ProductID).Activated++
			}
			enabled[e.ProductID]++
			if begun {
				of(e.ProductID).Peak = max(of(e.ProductID).Peak, enabled[e.ProductID])
			}
		}
	}
	for _, s := range now {
		of(s.product)
	}
	tokens := h.tokens(spans, days)
	for _, t := range tokens {
		of(t.ProductID).Days += t.Days
	}
	var all []reports.ProductUsage
	for id, p := range products {
		p.AtEnd = enabled[id]
		all = append(all, *p)
	}
	slices.SortFunc(all, func(a, b reports.ProductUsage) int { return cmp.Compare(a.ProductID, b.ProductID) })
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
	slices.SortStableFunc(spans, func(a, b *span) int { return cmp.Compare(a.service, b.service) })
	for _, s := range spans {
		if !s.to.IsZero() && s.from.Before(first) && !s.to.After(first) {
			continue
		}
		v := services[s.service]
		i := slices.IndexFunc(tokens, func(t reports.TokenUsage) bool { return t.Service == s.service && t.ProductID == s.product })
		if i < 0 {
			i = len(tokens)
			tokens = append(tokens, reports.TokenUsage{Service: s.service, Document: documents[s.service], ProductID: s.product, CreatedAt: v.CreatedAt, Status: v.Status, First: later(s.from, first)})
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
				// A moment of the day at which it was enabled: from included, to not, but
				// for what lasted no time at all.
				if s.from.Before(next) && (s.to.IsZero() || s.to.After(day) || s.to.Equal(s.from) && !s.from.Before(day)) {
					t.Days++
					break
				}
			}
		}
	}
	return tokens
}

// midnight is the first moment of a date in a zone, to the minute.
func midnight(date time.Time, zone *time.Location) time.Time {
	at := time.Date(date.Year(), date.Month(), date.Day()-1, 12, 0, 0, 0, zone)
	for at.Day() != date.Day() {
		at = at.Add(time.Minute)
	}
	return at
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
