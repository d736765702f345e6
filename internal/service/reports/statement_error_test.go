package reports_test

import (
	"context"
	"testing"
	"time"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
	"ativa/internal/service/reports"
	"ativa/internal/service/rules"
	"ativa/internal/service/servicetest"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
)

// errorOf returns the error of a call whose result does not matter.
func errorOf[T any](_ T, err error) error { return err }

// A report fails if any of its statements fails.
func TestEveryErrorOfAStatementIsReturned(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx, now, document := t.Context(), time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC), cpf.WithCheckDigits("100000001")
	db, err := store.Open(ctx, pgtest.File(t), store.Options{})
	must(err)
	defer func() { must(db.Close()) }()
	s := servicetest.New(db, servicetest.Options{Clock: func() time.Time { return now }})
	must(s.CreateProduct(ctx, domain.Product{ID: 1, Name: "Play", Code: "play", Active: true, Can: domain.CanAll}))
	p, _, err := s.CreateProvider(ctx, domain.Provider{Name: "Provedor", Limit: 10}, 1)
	must(err)
	r := s.Reports
	period, err := r.UsagePeriod("2026-01-31", "2026-01-31", time.UTC)
	must(err)
	usage := func(ctx context.Context) (reports.Usage, error) {
		return r.Usage(ctx, p.ID, period, true, func(*reports.TokenUsage) error { return nil })
	}
	if u, err := usage(ctx); err != nil || !u.EventsSince.IsZero() || len(u.Products) != 0 {
		t.Errorf("before the first event: got %+v, %v, want no usage", u, err)
	}

	call := rules.Call{Provider: p.ID}
	_, err = s.Import(ctx, call, []rules.Registration{{Products: []int{1}, Fields: rules.Fields{Name: domain.Some("Ana Souza"),
		Email: domain.Some("ana@example.com.br"), Document: domain.Some(string(document)), Phone: domain.Some("+5511987654321")}}})
	must(err)
	due, err := s.DueDestinations(ctx, domain.EmailDelivery)
	must(err)
	claimed, err := s.Claim(ctx, due[0], 1, time.Minute)
	must(err)
	must(s.Finish(ctx, nil, claimed))
	must(errorOf(s.FollowLink(ctx, claimed[0].LinkSecret)))
	scheduled, err := s.Schedule(ctx, call, domain.RequestSuspend, 1, []string{string(document)}, now.Add(time.Hour))
	must(err)
	for name, report := range map[string]func(context.Context) error{
		"PersonalData":         func(ctx context.Context) error { return errorOf(r.PersonalData(ctx, p.Name, document)) },
		"Usage":                func(ctx context.Context) error { return errorOf(usage(ctx)) },
		"History":              func(ctx context.Context) error { return errorOf(r.History(ctx, p.ID, document)) },
		"Events":               func(ctx context.Context) error { _, _, err := r.Events(ctx, p.ID, 0, 10); return err },
		"Subscriber":           func(ctx context.Context) error { return errorOf(r.Subscriber(ctx, p.ID, document)) },
		"SubscriberDeliveries": func(ctx context.Context) error { return errorOf(r.SubscriberDeliveries(ctx, p.ID, document)) },
		"ScheduleByID":         func(ctx context.Context) error { return errorOf(r.ScheduleByID(ctx, p.ID, scheduled[0].Schedule)) },
		"EachSchedule": func(ctx context.Context) error {
			return r.EachSchedule(ctx, domain.ScheduleQuery{Provider: p.ID}, func(*domain.Schedule) error { return nil })
		},
	} {
		if failed := pgtest.FailEach(t, name, report); failed == 0 {
			t.Errorf("%s: no statement failed", name)
		}
	}
}
