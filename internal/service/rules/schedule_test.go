package rules_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/servicetest"
)

// schedule schedules a request for documents after a time and returns the results.
func (fx *fixture) schedule(req domain.Request, product int, after time.Duration, documents ...string) []rules.Result {
	fx.t.Helper()
	results, err := fx.m.Schedule(fx.ctx, fx.call(), req, product, documents, fx.now.Add(after))
	fx.must(err)
	return results
}

// schedules returns request, product and state of all schedules, in order of creation.
func (fx *fixture) schedules() (all []string) {
	fx.t.Helper()
	fx.must(fx.m.EachSchedule(fx.ctx, domain.ScheduleQuery{Provider: fx.p.ID}, func(s *domain.Schedule) error {
		all = append(all, describeSchedule(s.Request, s.ProductID, s.State.String(), string(s.Code)))
		return nil
	}))
	return all
}

func describeSchedule(req domain.Request, product int, state, code string) string {
	return strings.TrimSuffix(fmt.Sprintf("%s %d %s %s", req, product, state, code), " ")
}

func (fx *fixture) perform() {
	fx.t.Helper()
	fx.must(fx.m.PerformSchedules(fx.ctx))
}

func (fx *fixture) wantSchedules(want ...string) {
	fx.t.Helper()
	if got := fx.schedules(); !slices.Equal(got, want) {
		fx.t.Fatalf("got schedules %q, want %q", got, want)
	}
}

// Schedules and deliveries of a provider continue after it is disabled.
func TestSchedulesAndDeliveriesOfADisabledProviderGoOn(t *testing.T) {
	fx := newFixture(t, 10)
	fx.active(1, playBasic)
	fx.register(2, 2, playBasic)
	fx.schedule(domain.RequestSuspend, playBasic, time.Hour, doc(1))
	fx.must(errorOf(fx.m.Enable(fx.ctx, fx.p.Name, false)))
	fx.click(2)
	fx.wantStatus(2, playBasic, domain.Active)
	fx.now = fx.now.Add(time.Hour)
	fx.perform()
	fx.wantSchedules("suspend 1 done")
	fx.finish(fx.attempt(domain.PartnerDelivery), domain.OutboxDone, nil)
	fx.confirm(1, playBasic, true)
	fx.wantStatus(1, playBasic, domain.Suspended)
	fx.check(t)
}

func TestSchedulesAreErasedWithTheSubscriberAndPurgedWithTheHistory(t *testing.T) {
	fx := newFixture(t, 10)
	fx.active(1, playBasic)
	fx.active(2, playBasic)
	fx.schedule(domain.RequestDeactivate, playBasic, time.Hour, docs(1, 2)...)
	fx.schedule(domain.RequestSettle, playBasic, 300*24*time.Hour, doc(2))
	fx.now = fx.now.Add(time.Hour)
	fx.perform()
	fx.wantSchedules("deactivate 1 done", "deactivate 1 done", "settle 1 cancelled")
	fx.confirm(2, playBasic, false)
	fx.schedule(domain.RequestSettle, playBasic, 300*24*time.Hour, doc(2))
	data, err := fx.m.PersonalData(fx.ctx, fx.p.Name, document(2))
	fx.must(err)
	if len(data.Schedules) != 3 {
		t.Errorf("got %d schedules in the personal data, want 3", len(data.Schedules))
	}
	fx.confirm(1, playBasic, true)
	fx.must(fx.m.DeleteSubscriber(fx.ctx, fx.call(), document(1)))
	fx.wantSchedules("deactivate 1 done", "settle 1 cancelled", "settle 1 waiting")
	fx.check(t)
	fx.now = fx.now.Add(31 * 24 * time.Hour)
	fx.must(fx.store.Purge(fx.ctx, domain.RetentionPeriods{History: 30 * 24 * time.Hour}.Cutoffs(fx.now)))
	fx.wantSchedules("settle 1 waiting")
}

// Of two processes that find the same due schedules, one performs each, in several transactions.
func TestTwoServersPerformEachScheduleOnce(t *testing.T) {
	t.Parallel()
	const all = 1200
	fx := newFixture(t, 0)
	fx.register(1, all, music) // all queued
	fx.schedule(domain.RequestDeactivate, music, time.Hour, docs(1, all)...)
	fx.now = fx.now.Add(time.Hour)
	before, err := fx.m.LastEvent(fx.ctx, fx.p.ID)
	fx.must(err)
	first, second := fx.operators()
	perform := func(m *servicetest.Service) func() error {
		return func() error { return m.PerformSchedules(fx.ctx) }
	}
	fx.atOnce(perform(first), perform(second))
	after, err := fx.m.LastEvent(fx.ctx, fx.p.ID)
	fx.must(err)
	if n := after - before; n != all {
		t.Errorf("got %d events for %d schedules, want one each", n, all)
	}
	fx.check(t)
}

// In a restored database, due schedules may have been performed or cancelled after the backup.
func TestDueSchedulesAfterARestoreCanBeCancelled(t *testing.T) {
	fx := newFixture(t, 10)
	fx.active(1, playBasic)
	fx.active(2, playBasic)
	fx.schedule(domain.RequestDeactivate, playBasic, time.Hour, doc(1))
	fx.schedule(domain.RequestDeactivate, playBasic, 3*time.Hour, doc(2))
	fx.now = fx.now.Add(2 * time.Hour)
	cancelled, err := fx.m.CancelDueSchedules(fx.ctx)
	fx.must(err)
	if len(cancelled) != 1 || cancelled[0].Service != fx.service(1, playBasic).ID {
		t.Errorf("got %+v, want that of the first", cancelled)
	}
	fx.perform()
	fx.wantStatus(1, playBasic, domain.Active)
	fx.wantSchedules("deactivate 1 cancelled", "deactivate 1 waiting")
	fx.check(t)
}
