package rules_test

import (
	"context"
	"testing"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/servicetest"
	"ativa/internal/service/store/pgtest"
)

// passingStore runs updates with the context of their caller, for [pgtest.FailEach].
type passingStore struct{ servicetest.Store }

func (s passingStore) Update(ctx context.Context, p domain.ProviderID, fn func(context.Context, rules.Tx) error) error {
	return s.Store.Update(ctx, p, func(_ context.Context, tx rules.Tx) error { return fn(ctx, tx) })
}

// A use case that reads a part does not take it for the whole.
func TestEveryErrorOfAStatementIsReturned(t *testing.T) {
	pgtest.Only(t, "sqlite", "there several statements go out together")
	fx := newFixture(t, 10)
	fx.active(1, playBasic)
	fx.register(2, 2, playBasic)
	link := fx.mails()[doc(2)]
	fx.m = servicetest.New(passingStore{fx.store}, fx.options)
	event := domain.PartnerEvent{Partner: fx.partner.ID, Kind: "suspension", Confirmed: true}
	var schedule domain.Schedule
	for _, c := range []struct {
		name  string
		ready func() // before it; nil: nothing to do
		do    func(context.Context) error
	}{
		{"CreateSubscriber", nil, func(ctx context.Context) error { return errorOf(fx.m.CreateSubscriber(ctx, fx.call(), fields(3))) }},
		{"UpdateSubscriber", nil, func(ctx context.Context) error {
			return errorOf(fx.m.UpdateSubscriber(ctx, fx.call(), document(3), rules.Fields{Email: domain.Some("outra@example.com.br")}))
		}},
		{"DeleteSubscriber", nil, func(ctx context.Context) error { return fx.m.DeleteSubscriber(ctx, fx.call(), document(3)) }},
		{"Import", nil, func(ctx context.Context) error {
			return errorOf(fx.m.Import(ctx, fx.call(), []rules.Registration{{Fields: fields(4), Products: []int{playBasic, music}}}))
		}},
		{"ViewLink", nil, func(ctx context.Context) error { return errorOf(fx.m.ViewLink(ctx, link)) }},
		{"FollowLink", nil, func(ctx context.Context) error { return errorOf(fx.m.FollowLink(ctx, link)) }},
		{"Resend", nil, func(ctx context.Context) error { return errorOf(fx.m.Resend(ctx, fx.call(), document(4))) }},
		{"ChangeProduct", nil, func(ctx context.Context) error {
			return errorOf(fx.m.ChangeProduct(ctx, fx.call(), document(2), playBasic, playPremium))
		}},
		{"Provision", nil, func(ctx context.Context) error {
			return errorOf(fx.m.Provision(ctx, fx.call(), domain.RequestSuspend, playBasic, docs(1, 1)))
		}},
		{"Expire", func() { fx.now = fx.now.Add(25 * time.Hour) }, func(ctx context.Context) error { return fx.m.Expire(ctx) }},
		{"ReceivePartnerEvent", func() { event.Operation = fx.service(1, playBasic).Operation }, func(ctx context.Context) error {
			return errorOf(fx.m.ReceivePartnerEvent(ctx, event))
		}},
		{"Resolve", nil, func(ctx context.Context) error {
			return fx.m.Resolve(ctx, fx.service(2, playPremium).Operation, true, "")
		}},
		{"Schedule", nil, func(ctx context.Context) error {
			return errorOf(fx.m.Schedule(ctx, fx.call(), domain.RequestDeactivate, playBasic, docs(1, 1), fx.now.Add(time.Hour)))
		}},
		{"PerformSchedules", func() { fx.now = fx.now.Add(time.Hour) }, func(ctx context.Context) error {
			return fx.m.PerformSchedules(ctx)
		}},
		{"CancelSchedule", func() {
			fx.schedule(domain.RequestSuspend, playPremium, time.Hour, doc(2))
			fx.must(fx.m.EachSchedule(fx.ctx, domain.ScheduleQuery{Provider: fx.p.ID}, func(s *domain.Schedule) error { schedule = *s; return nil }))
		}, func(ctx context.Context) error { return fx.m.CancelSchedule(ctx, fx.call(), schedule) }},
		{"SetLimit", nil, func(ctx context.Context) error { return errorOf(fx.m.SetLimit(ctx, fx.p.Name, 11)) }},
	} {
		if c.ready != nil {
			c.ready()
		}
		if failed := pgtest.FailEach(t, c.name, c.do); failed == 0 {
			t.Errorf("%s: no statement failed", c.name)
		}
	}
	fx.check(t)
}
