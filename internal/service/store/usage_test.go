package store_test

import (
	"testing"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

// A report reads its provider's intervals in the order of services, and the beginnings and ends of
// its period by index, after a restore too. An interval that ended later is still open.
func TestIntervalsAreReadByIndex(t *testing.T) {
	f, db := newDatabase(t)
	const services = 3000
	number := func(n int) int64 { return int64(n + n/(services/2+1)*domain.SkippedEvents) } // a restore was in the middle
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, f = range []*fixture{f, newProvider(t, db, "Azul"), newProvider(t, db, "Verde")} {
		first, _ := f.p.Records()
		var begun, ended []domain.EnabledInterval
		for n := 1; n <= services; n++ {
			service, _ := f.subscriber(int(number(services - n + 1))).ID.Services() // not in the order of events
			begun = append(begun, domain.EnabledInterval{Service: service + 1, ProductID: 1, Begin: began.Add(time.Duration(n) * time.Minute), BeginEvent: domain.EventID(first + number(n))})
			ended = append(ended, domain.EnabledInterval{Service: service + 1, End: began.Add(time.Duration(services+n) * time.Minute), EndEvent: domain.EventID(first + number(services) + int64(n))})
		}
		f.write(rules.Changes{NewIntervals: begun})
		f.write(rules.Changes{EndedIntervals: ended})
	}

	first, _ := f.p.Records()
	last := domain.EventID(first + number(services) + 10)
	q := domain.IntervalQuery{From: began, To: began.AddDate(0, 1, 0), LastEvent: last}
	seen, lasting, before := 0, 0, domain.ServiceID(0)
	f.wantPlan("intervals", services+10, "", func() error {
		return db.EachInterval(t.Context(), f.p, q, func(i *domain.ServiceInterval) error {
			if i.Service <= before || i.Service.Provider() != f.p {
				t.Errorf("service %d comes after %d", i.Service, before)
			}
			before = i.Service
			if seen++; i.End.IsZero() {
				lasting++
			}
			return nil
		})
	})
	if seen != services || lasting != services-10 {
		t.Errorf("got %d intervals and %d without an end, want %d and %d", seen, lasting, services, services-10)
	}

	change, edges := 0, 0
	f.wantPlan("all edges", services+20, "", func() error {
		return db.EachIntervalEdge(t.Context(), domain.EventID(first+1), q, func(domain.IntervalEdge) { edges++ })
	})
	if edges != services+10 {
		t.Errorf("got %d edges, want %d", edges, services+10)
	}
	edges = 0
	f.wantPlan("edges", 20, "", func() error {
		return db.EachIntervalEdge(t.Context(), last-14, q, func(e domain.IntervalEdge) { edges, change = edges+1, change+e.Change })
	})
	if edges != 15 || change != 5-10 {
		t.Errorf("got %d edges that change the number by %d, want 5 beginnings and 10 ends", edges, change)
	}
}
