package rules_test

import (
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
func (fx *fixture) atOnce(calls ...func() error) {
	var all sync.WaitGroup
	start := make(chan struct{})
	for _, call := range calls {
		all.Go(func() {
			<-start
			if err := call(); err != nil {
				fx.t.Error(err)
			}
		})
	}
	close(start)
	all.Wait()
}

// Two operators who change different parts of one thing at once both succeed.
func TestAChangeKeepsWhatAnotherOperatorChanges(t *testing.T) {
	t.Parallel()
	fx := newFixture(t, 10)
	first, second := fx.operators()
	fx.must(errorOf(fx.m.CreatePartner(fx.ctx, domain.Partner{Name: "simulado", Driver: domain.DriverSimulator})))
	product := func(m *servicetest.Service, change func(*domain.Product)) func() error {
		return func() error {
			_, err := m.UpdateProduct(fx.ctx, alone, func(p *domain.Product) error { change(p); return nil })
			return err
		}
	}
	partner := func(m *servicetest.Service, change func(*domain.Partner)) func() error {
		return func() error {
			_, err := m.UpdatePartner(fx.ctx, "simulado", func(p *domain.Partner) error { change(p); return nil })
			return err
		}
	}
	brand := func(m *servicetest.Service, change func(*domain.Brand)) func() error {
		return func() error {
			_, err := m.UpdateBrand(fx.ctx, fx.p.Name, func(b *domain.Brand) error { change(b); return nil })
			return err
		}
	}
	for n := range races {
		name, active, delay, rate := fmt.Sprint("Leitura ", n), n%2 == 0, time.Duration(n+1)*time.Second, float64(n)/races
		phone := fmt.Sprintf("0800 123 %04d", n)
		fx.atOnce(
			product(first, func(p *domain.Product) { p.Name = name }), product(second, func(p *domain.Product) { p.Active = active }),
			partner(first, func(p *domain.Partner) { p.Delay = delay }), partner(second, func(p *domain.Partner) { p.FailureRate = rate }),
			brand(first, func(b *domain.Brand) { b.Phone = phone }), brand(second, func(b *domain.Brand) { b.DisplayName = name }),
		)
		products, err := fx.m.Products(fx.ctx)
		fx.must(err)
		partners, err := fx.m.Partners(fx.ctx)
		fx.must(err)
		b, err := fx.m.Brand(fx.ctx, fx.p.Name)
		fx.must(err)
		got := fmt.Sprint(products[alone-1].Name, products[alone-1].Active, partners[1].Delay, partners[1].FailureRate, b.Phone, b.DisplayName)
		if want := fmt.Sprint(name, active, delay, rate, phone, name); got != want {
			t.Errorf("round %d: got %s, want %s", n, got, want)
		}
	}
}
