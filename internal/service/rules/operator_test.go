package rules_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/servicetest"
	"ativa/internal/service/store"
)

// races is the number of races between two operators.
const races = 20

// operators returns the fixture's manager and one with its own connection to the database, like
// `ativa admin` while a server runs.
func (fx *fixture) operators() (first, second *servicetest.Service) {
	fx.t.Helper()
	db, err := store.Open(fx.ctx, fx.dsn, store.Options{})
	fx.must(err)
	fx.t.Cleanup(func() { fx.must(db.Close()) })
	options := fx.options
	options.Clock = func() time.Time { return fx.now.Add(time.Second) }
	return fx.m, servicetest.New(db, options)
}

// atOnce runs the calls at the same time.
func atOnce(calls ...func()) {
	var all sync.WaitGroup
	start := make(chan struct{})
	for _, call := range calls {
		all.Go(func() { <-start; call() })
	}
	close(start)
	all.Wait()
}

// Two operators who change different parts of one thing both succeed.
func TestAChangeKeepsWhatAnotherOperatorChanges(t *testing.T) {
	t.Parallel()
	fx := newFixture(t, 10)
	first, second := fx.operators()
	done := func(_ any, err error) {
		if err != nil {
			t.Error(err)
		}
	}
	product := func(m *servicetest.Service, change func(*domain.Product)) {
		done(m.UpdateProduct(fx.ctx, alone, func(p *domain.Product) error { change(p); return nil }))
	}
	partner := func(m *servicetest.Service, change func(*domain.Partner)) {
		done(m.UpdatePartner(fx.ctx, "simulado", func(p *domain.Partner) error { change(p); return nil }))
	}
	brand := func(m *servicetest.Service, change func(*domain.Brand)) {
		done(m.UpdateBrand(fx.ctx, fx.p.Name, func(b *domain.Brand) error { change(b); return nil }))
	}
	_, err := fx.m.CreatePartner(fx.ctx, domain.Partner{Name: "simulado", Driver: domain.DriverSimulator})
	fx.must(err)
	for n := range races {
		name, active, delay, rate := fmt.Sprint("Leitura ", n), n%2 == 0, time.Duration(n+1)*time.Second, float64(n)/races
		phone := fmt.Sprintf("0800 123 %04d", n)
		atOnce(
			func() { product(first, func(p *domain.Product) { p.Name = name }) },
			func() { product(second, func(p *domain.Product) { p.Active = active }) },
			func() { partner(first, func(p *domain.Partner) { p.Delay = delay }) },
			func() { partner(second, func(p *domain.Partner) { p.FailureRate = rate }) },
			func() { brand(first, func(b *domain.Brand) { b.Phone = phone }) },
			func() { brand(second, func(b *domain.Brand) { b.DisplayName = name }) },
		)
		products, err := fx.m.Products(fx.ctx)
		fx.must(err)
		if got := products[alone-1]; got.Name != name || got.Active != active {
			t.Errorf("round %d: got product %q, active %t, want %q, %t", n, got.Name, got.Active, name, active)
		}
		partners, err := fx.m.Partners(fx.ctx)
		fx.must(err)
		if got := partners[1]; got.Delay != delay || got.FailureRate != rate {
			t.Errorf("round %d: got delay %v, failure rate %v, want %v, %v", n, got.Delay, got.FailureRate, delay, rate)
		}
		got, err := fx.m.Brand(fx.ctx, fx.p.Name)
		fx.must(err)
		if got.Phone != phone || got.DisplayName != name {
			t.Errorf("round %d: got phone %q and name %q, want %q and %q", n, got.Phone, got.DisplayName, phone, name)
		}
	}
}

// If two operators revoke a token at once, the second finds it revoked.
func TestATokenIsRevokedOnce(t *testing.T) {
	t.Parallel()
	fx := newFixture(t, 10)
	first, second := fx.operators()
	operator := domain.Caller{Provider: fx.p.ID}
	for n := range races {
		made, _, err := first.CreateToken(fx.ctx, operator, domain.AccessToken{Name: fmt.Sprint("cron ", n)})
		fx.must(err)
		var ended [3]time.Time
		revoke := func(m *servicetest.Service, i int) func() {
			return func() {
				token, err := m.RevokeToken(fx.ctx, operator, made.Name)
				if err != nil {
					t.Error(err)
				}
				ended[i] = token.RevokedAt
			}
		}
		atOnce(revoke(first, 0), revoke(second, 1))
		revoke(first, 2)() // changes nothing
		if !ended[0].Equal(ended[1]) || !ended[0].Equal(ended[2]) {
			t.Errorf("round %d: it was revoked at %v", n, ended)
		}
	}
}

// A subscriber has at most one live token of a family, whatever operators and requests do at the same
// time (decisions.md 8).
func TestOperatorsNeverGiveASubscriberTwoOfAFamily(t *testing.T) {
	t.Parallel()
	fx := newFixture(t, 1000)
	first, second := fx.operators()
	join := func(m *servicetest.Service, product int, family string) (joined bool) {
		_, err := m.UpdateProduct(fx.ctx, product, func(p *domain.Product) error { p.Family = family; return nil })
		if err != nil && !errors.Is(err, &domain.Error{Code: domain.FamilyConflict}) {
			t.Error(err)
		}
		return err == nil
	}
	for n := range races {
		a, b, c := 100+3*n, 101+3*n, 102+3*n
		family := fmt.Sprint("family ", n)
		for _, id := range []int{a, b, c} {
			fx.sell(domain.Product{ID: id, Name: "Produto", Code: fmt.Sprint("product-", id)})
		}
		fx.must(fx.m.Grant(fx.ctx, fx.p.Name, []int{a, b, c}, true))
		fx.register(n, n, a, b)
		var joined [2]bool
		atOnce(
			func() { joined[0] = join(first, a, family) },
			func() { joined[1] = join(second, b, family) },
		)
		if joined[0] == joined[1] {
			t.Errorf("round %d: got %v of two products that a subscriber has, want one in the family", n, joined)
		}
		atOnce(
			func() { join(first, c, family) },
			func() {
				if _, err := second.Provision(fx.ctx, fx.call(), domain.RequestActivate, c, []string{doc(n)}); err != nil {
					t.Error(err)
				}
			},
		)
	}
	fx.check(t)
}
