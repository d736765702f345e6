package accounts_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/servicetest"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
)

// Every test of this package runs on each database.
func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// The products of a fixture.
const (
	playBasic = 1
	alone     = 4 // no family
)

// fixture is a provider with two products on a real database, and a clock (now) that the test
// sets.
type fixture struct {
	t       *testing.T
	options servicetest.Options
	ctx     context.Context
	m       *servicetest.Service
	store   *store.DB
	p       domain.Provider
	token   string
	now     time.Time
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	fx := &fixture{t: t, ctx: t.Context(), now: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)}
	fx.options = servicetest.Options{Clock: func() time.Time { return fx.now }}
	var err error
	fx.store, err = store.Open(fx.ctx, pgtest.DSN(t), store.Options{})
	fx.must(err)
	t.Cleanup(func() { fx.must(fx.store.Close()) })
	fx.m = servicetest.New(fx.store, fx.options)
	fx.must(fx.m.CreateProduct(fx.ctx, domain.Product{ID: playBasic, Name: "Play Básico", Code: "play-basic", Family: "play", Active: true, Can: domain.CanAll}))
	fx.must(fx.m.CreateProduct(fx.ctx, domain.Product{ID: alone, Name: "Leitura", Code: "leitura", Active: true, Can: domain.CanAll}))
	fx.p, fx.token, err = fx.m.CreateProvider(fx.ctx, domain.Provider{Name: "Provedor", Limit: 10}, playBasic, alone)
	fx.must(err)
	return fx
}

func (fx *fixture) must(err error) {
	fx.t.Helper()
	if err != nil {
		fx.t.Fatal(err)
	}
}

// errorOf returns the error of a call whose result does not matter.
func errorOf[T any](_ T, err error) error { return err }

// createSubscriber creates the nth subscriber, as a caller with the token or with none.
func (fx *fixture) createSubscriber(n int, token domain.TokenID) {
	fx.t.Helper()
	_, err := fx.m.CreateSubscriber(fx.ctx, rules.Call{Provider: fx.p.ID, Token: token}, rules.Fields{
		Name: domain.Some(fmt.Sprintf("Assinante %d", n)), Email: domain.Some(fmt.Sprintf("a%d@example.com.br", n)),
		Document: domain.Some(string(document(n))), Phone: domain.Some("+5511987654321"),
	})
	fx.must(err)
}

// last returns the last event of the nth subscriber.
func (fx *fixture) last(n int) domain.Event {
	fx.t.Helper()
	all, err := fx.m.History(fx.ctx, fx.p.ID, document(n))
	fx.must(err)
	return all[len(all)-1]
}

// document returns the nth valid document of the tests.
func document(n int) cpf.Document { return cpf.WithCheckDigits(fmt.Sprintf("%09d", 100000000+n)) }

func wantCode(t *testing.T, err error, want domain.Code) {
	t.Helper()
	if !domain.IsCode(err, want) {
		t.Fatalf("got error %v, want code %s", err, want)
	}
}
