package accounts_test

import (
	"context"
	"errors"
	"testing"

	"ativa/internal/service/domain"
	"ativa/internal/service/store/pgtest"
)

// What an operator or a token asks for fails if any of its reads fails.
func TestEveryErrorOfAReadIsReturned(t *testing.T) {
	pgtest.Only(t, "sqlite", "there several statements go out together")
	fx := newFixture(t)
	const url = "https://azul.example.com/"
	fx.must(errorOf(fx.m.SetCallback(fx.ctx, fx.p.Name, url, false)))
	fx.must(errorOf(fx.m.SetFeedCallback(fx.ctx, fx.p.Name, url, false, false)))
	bearer, err := fx.m.Authenticate(fx.ctx, fx.token)
	fx.must(err)
	for name, do := range map[string]func(context.Context) error{
		"Callback":       func(ctx context.Context) error { return errorOf(fx.m.Callback(ctx, fx.p.Name)) },
		"SetCallback":    func(ctx context.Context) error { return errorOf(fx.m.SetCallback(ctx, fx.p.Name, url, false)) },
		"EnableCallback": func(ctx context.Context) error { return errorOf(fx.m.EnableCallback(ctx, fx.p.Name, true)) },
		"FeedCallback":   func(ctx context.Context) error { return errorOf(fx.m.FeedCallback(ctx, fx.p.Name)) },
		"SetFeedCallback": func(ctx context.Context) error {
			return errorOf(fx.m.SetFeedCallback(ctx, fx.p.Name, url, false, true))
		},
		"EnableFeedCallback": func(ctx context.Context) error { return errorOf(fx.m.EnableFeedCallback(ctx, fx.p.Name, true)) },
		"Brand":              func(ctx context.Context) error { return errorOf(fx.m.Brand(ctx, fx.p.Name)) },
		"Grant":              func(ctx context.Context) error { return fx.m.Grant(ctx, fx.p.Name, []int{alone}, true) },
		"Enable":             func(ctx context.Context) error { return errorOf(fx.m.Enable(ctx, fx.p.Name, true)) },
		"Operator":           func(ctx context.Context) error { return errorOf(fx.m.Operator(ctx, fx.p.Name)) },
		"Authenticate":       func(ctx context.Context) error { return errorOf(fx.m.Authenticate(ctx, fx.token)) },
		"Identify":           func(ctx context.Context) error { return errorOf(fx.m.Identify(ctx, bearer.Token)) },
		"CreateProvider": func(ctx context.Context) error {
			_, _, err := fx.m.CreateProvider(ctx, domain.Provider{Name: "Novo", Limit: 1}, alone)
			return err
		},
	} {
		if failed := pgtest.FailEach(t, name, do); failed == 0 {
			t.Errorf("%s: no statement failed", name)
		}
	}
}

// A change that is refused, by its caller or by a rule, is not written.
func TestARefusedChangeIsNotWritten(t *testing.T) {
	fx := newFixture(t)
	refusal := errors.New("refused")
	p, err := fx.m.CreatePartner(fx.ctx, domain.Partner{Name: "parceiro", Driver: domain.DriverManual})
	fx.must(err)
	_, err = fx.m.UpdatePartner(fx.ctx, p.Name, func(p *domain.Partner) error { p.Delay = 7; return refusal })
	_, err2 := fx.m.UpdateProduct(fx.ctx, alone, func(p *domain.Product) error { p.Name = "Outro"; return refusal })
	if !errors.Is(err, refusal) || !errors.Is(err2, refusal) {
		t.Errorf("got %v and %v, want the refusals", err, err2)
	}
	if all, err := fx.m.Partners(fx.ctx); err != nil || len(all) != 1 || all[0].Delay != 0 {
		t.Errorf("got %+v, %v, want the partner as it was", all, err)
	}
	wantCode(t, errorOf(fx.m.SetFeedCallback(fx.ctx, fx.p.Name, "https://10.0.0.1/", false, false)), domain.ValidationFailed)
	wantCode(t, errorOf(fx.m.FeedCallback(fx.ctx, fx.p.Name)), domain.NotFound)
	wantCode(t, fx.m.Grant(fx.ctx, fx.p.Name, []int{99}, true), domain.NotFound)
	_, _, err = fx.m.CreateProvider(fx.ctx, domain.Provider{Name: "Novo", Limit: 1}, 99)
	wantCode(t, err, domain.NotFound)
	wantCode(t, errorOf(fx.m.Brand(fx.ctx, "Novo")), domain.NotFound)
}
