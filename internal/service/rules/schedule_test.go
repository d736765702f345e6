package rules_test

import (
	"slices"
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

// schedules returns request and state of all schedules, in order of creation.
func (fx *fixture) schedules() (all []string) {
	fx.t.Helper()
	fx.must(fx.m.EachSchedule(fx.ctx, domain.ScheduleQuery{Provider: fx.p.ID}, func(s *domain.Schedule) error {
		text := s.Request.String() + " " + s.State.String()
		if s.Code != "" {
			text += " " + string(s.Code)
		}
		all = append(all, text)
		return nil
	}))
	return all
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
	fx.wantSchedules("suspend done")
	fx.finish(fx.attempt(domain.PartnerDelivery), domain.OutboxDone, nil)
	fx.confirm(1, playBasic, true)
	fx.wantStatus(1, playBasic, domain.Suspended)
	fx.check(t)
}

// A schedule is performed once, when it is due, even if the clock is set back afterwards.
func TestAScheduledOperationIsDoneOnceWhenItIsDue(t *testing.T) {
	fx := newFixture(t, 10)
	fx.active(1, playBasic)
	fx.schedule(domain.RequestDeactivate, playBasic, time.Hour, doc(1))
	fx.now = fx.now.Add(time.Hour - time.Microsecond)
	fx.perform()
	fx.wantStatus(1, playBasic, domain.Active)
	fx.now = fx.now.Add(time.Microsecond)
	fx.perform()
	fx.wantStatus(1, playBasic, domain.WaitingCancellation)
	fx.confirm(1, playBasic, false) // a second deactivation would be accepted
	fx.now = fx.now.Add(-30 * time.Minute)
	fx.perform()
	fx.now = fx.now.Add(time.Hour)
	fx.perform()
	fx.wantStatus(1, playBasic, domain.InError)
}

func TestASchedulesSubscriberAndServiceAreCheckedAtOnce(t *testing.T) {
	fx := newFixture(t, 10)
	fx.active(1, playBasic)
	fx.active(2, music)
	fx.do(domain.RequestDeactivate, music, 2)
	// Its status is checked when it is due: until the partner confirms, the service is live.
	if r := fx.schedule(domain.RequestSuspend, music, time.Hour, doc(2))[0]; r.Kind != rules.ResultAccepted || r.Status != domain.WaitingCancellation {
		t.Errorf("a service that is being cancelled: got %+v, want accepted", r)
	}
	fx.confirm(2, music, true)
	fx.wantSchedules("suspend cancelled")
	results, err := fx.m.Schedule(fx.ctx, fx.call(), domain.RequestSuspend, music, []string{doc(1), doc(2), doc(3), "12"}, fx.now.Add(rules.MaxScheduleTime))
	fx.must(err)
	for i, want := range []domain.Code{domain.ServiceNotFound, domain.ServiceNotFound, domain.SubscriberNotFound, "invalid_length"} {
		if r := results[i]; r.Kind != rules.ResultFailed || r.Code != want {
			t.Errorf("result %d: got %+v, want %s", i, r, want)
		}
	}
	fx.wantSchedules("suspend cancelled")
}

func TestSchedulesAreErasedWithTheSubscriberAndPurgedWithTheHistory(t *testing.T) {
	fx := newFixture(t, 10)
	fx.active(1, playBasic)
	fx.active(2, playBasic)
	fx.schedule(domain.RequestDeactivate, playBasic, time.Hour, docs(1, 2)...)
	fx.schedule(domain.RequestSettle, playBasic, 300*24*time.Hour, doc(2))
	fx.now = fx.now.Add(time.Hour)
	fx.perform()
	fx.wantSchedules("deactivate done", "deactivate done", "settle cancelled")
	fx.confirm(2, playBasic, false)
	fx.schedule(domain.RequestSettle, playBasic, 300*24*time.Hour, doc(2))
	data, err := fx.m.PersonalData(fx.ctx, fx.p.Name, document(2))
	fx.must(err)
	if len(data.Schedules) != 3 {
		t.Errorf("got %d schedules in the personal data, want 3", len(data.Schedules))
	}
	fx.confirm(1, playBasic, true)
	fx.must(fx.m.DeleteSubscriber(fx.ctx, fx.call(), document(1)))
	fx.wantSchedules("deactivate done", "settle cancelled", "settle waiting")
	fx.check(t)
	fx.now = fx.now.Add(31 * 24 * time.Hour)
	fx.must(fx.store.Purge(fx.ctx, domain.RetentionPeriods{History: 30 * 24 * time.Hour}.Cutoffs(fx.now)))
	fx.wantSchedules("settle waiting")
}

// A schedule is of a service, so after a change it names the product that it will be performed on.
func TestASchedulesProductIsThatOfItsService(t *testing.T) {
	fx := newFixture(t, 10)
	fx.active(1, playBasic)
	fx.schedule(domain.RequestOverdue, playBasic, time.Hour, doc(1))
	fx.schedule(domain.RequestDeactivate, playBasic, 2*time.Hour, doc(1))
	want := func(step string, products ...int) {
		t.Helper()
		var got []int
		fx.must(fx.m.EachSchedule(fx.ctx, domain.ScheduleQuery{Provider: fx.p.ID}, func(s *domain.Schedule) error {
			got = append(got, s.ProductID)
			return nil
		}))
		if !slices.Equal(got, products) {
			t.Errorf("%s: got products %v, want %v", step, got, products)
		}
	}
	fx.must(errorOf(fx.m.ChangeProduct(fx.ctx, fx.call(), document(1), playBasic, playPremium)))
	want("a change", playPremium, playPremium)
	fx.confirm(1, playPremium, false)
	want("a failed change", playBasic, playBasic)
	fx.confirm(1, playBasic, true)
	want("its late confirmation", playPremium, playPremium)
	fx.now = fx.now.Add(time.Hour)
	fx.perform()
	fx.confirm(1, playPremium, true)
	fx.do(domain.RequestSettle, playPremium, 1)
	fx.confirm(1, playPremium, true)
	fx.do(domain.RequestActivate, playBasic, 1)
	fx.wantSchedules("overdue done", "deactivate waiting")
	want("a change after the first was done", playPremium, playBasic)
	fx.check(t)
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
	fx.wantSchedules("deactivate cancelled", "deactivate waiting")
	fx.check(t)
}
