package accounts_test

import (
	"context"
	"os"
	"slices"
	"testing"
	"time"

	"ativa/internal/service/domain"
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

// creation returns the event of the creation of a token.
func (fx *fixture) creation(id domain.TokenID) domain.Event {
	fx.t.Helper()
	all, _, err := fx.m.Events(fx.ctx, fx.p.ID, 0, 100)
	fx.must(err)
	return all[slices.IndexFunc(all, func(e domain.Event) bool { return e.Type == domain.TokenCreated && e.AboutToken == id })]
}

func wantCode(t *testing.T, err error, want domain.Code) {
	t.Helper()
	if !domain.IsCode(err, want) {
		t.Fatalf("got error %v, want code %s", err, want)
	}
}
