package rules_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/servicetest"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
)

// Tests of the model and of several servers cover both databases, so the others run on one.
func TestMain(m *testing.M) {
	os.Exit(pgtest.Main(m, "Model", "TwoServers", "Fold", "Usage", "Operator", "PartnerEvent", "Schedule", "Retried", "Replay", "HasClaimed", "Erased", "Deleted", "Kept",
		"Promote", "History", "TimeOut", "TimesOut", "Restore", "Clock", "Obsolete", "Urgent", "TakesNoNumbers", "UnderWay"))
}

// The products of a fixture: two families, one product without a family, and
// some that forbid things.
const (
	playBasic   = 1
	playPremium = 2
	music       = 3
	alone       = 4 // no family
	inactive    = 5
	suspendOnly = 6 // cannot be activated
	ungranted   = 7
)

// fixture is a provider with products and a partner on a real database, and a
// clock (now) that the test sets.
type fixture struct {
	t       pgtest.TB
	dsn     string
	options servicetest.Options
	ctx     context.Context
	m       *servicetest.Service
	store   *store.DB
	p       domain.Provider
	token   string
	acting  domain.TokenID // token of the calls; 0: none
	partner domain.Partner
	now     time.Time
	woken   atomic.Int64
}

func newFixture(t pgtest.TB, limit int, options ...func(*servicetest.Options)) *fixture {
	t.Helper()
	fx := &fixture{t: t, ctx: t.Context(), now: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)}
	var err error
	fx.dsn = pgtest.DSN(t)
	fx.options = servicetest.Options{Clock: func() time.Time { return fx.now }, Wake: func() { fx.woken.Add(1) }}
	for _, option := range options {
		option(&fx.options)
	}
	fx.open()
	t.Cleanup(func() {
		if fx.store != nil { // nil: it could not be opened again
			fx.must(fx.store.Close())
		}
	})
	fx.partner, err = fx.m.CreatePartner(fx.ctx, domain.Partner{Name: "parceiro", Driver: domain.DriverManual})
	fx.must(err)
	fx.sell(domain.Product{ID: playBasic, Name: "Play Básico", Code: "play-basic", Family: "play"})
	fx.sell(domain.Product{ID: playPremium, Name: "Play Premium", Code: "play-premium", Family: "play"})
	fx.sell(domain.Product{ID: music, Name: "Música", Code: "musica", Family: "music"})
	fx.sell(domain.Product{ID: alone, Name: "Leitura", Code: "leitura"})
	fx.must(fx.m.CreateProduct(fx.ctx, domain.Product{ID: inactive, Name: "Antigo", Code: "antigo", Can: domain.CanAll, Partner: fx.partner.ID}))
	fx.must(fx.m.CreateProduct(fx.ctx, domain.Product{ID: suspendOnly, Name: "Só suspende", Code: "suspende", Active: true, Can: domain.CanSuspend}))
	fx.p, fx.token, err = fx.m.CreateProvider(fx.ctx, domain.Provider{Name: "Provedor", Limit: limit}, playBasic, playPremium, music, alone, inactive, suspendOnly)
	fx.must(err)
	fx.must(fx.m.CreateProduct(fx.ctx, domain.Product{ID: ungranted, Name: "De outros", Code: "outros", Active: true, Can: domain.CanAll}))
	return fx
}

func (fx *fixture) open() {
	fx.t.Helper()
	var err error
	fx.store, err = store.Open(fx.ctx, fx.dsn, store.Options{})
	fx.must(err)
	fx.m = servicetest.New(fx.store, fx.options)
}

// reopen restarts the server.
func (fx *fixture) reopen() {
	fx.t.Helper()
	fx.must(fx.store.Close())
	fx.open()
}

func (fx *fixture) sell(p domain.Product) {
	fx.t.Helper()
	p.Active, p.Can, p.Partner = true, domain.CanAll, fx.partner.ID
	fx.must(fx.m.CreateProduct(fx.ctx, p))
}

func (fx *fixture) must(err error) {
	fx.t.Helper()
	if err != nil {
		fx.t.Fatal(err)
	}
}

// errorOf returns the error of a call whose result does not matter.
func errorOf[T any](_ T, err error) error { return err }

func (fx *fixture) call() rules.Call {
	return rules.Call{Provider: fx.p.ID, Token: fx.acting}
}

// doc returns the nth valid document of the tests.
func doc(n int) string { return string(cpf.WithCheckDigits(fmt.Sprintf("%09d", 100000000+n))) }

// docs returns the documents from to to, inclusive.
func docs(from, to int) []string {
	var all []string
	for n := from; n <= to; n++ {
		all = append(all, doc(n))
	}
	return all
}

func fields(n int) rules.Fields {
	return rules.Fields{
		Name: domain.Some(fmt.Sprintf("Assinante %d", n)), Email: domain.Some(fmt.Sprintf("a%d@example.com.br", n)),
		Document: domain.Some(doc(n)), Phone: domain.Some("+5511987654321"), Plan: domain.Some("Fibra"),
	}
}

// register imports the subscribers from to to with the products.
func (fx *fixture) register(from, to int, products ...int) []rules.ImportResult {
	fx.t.Helper()
	var rows []rules.Registration
	for n := from; n <= to; n++ {
		rows = append(rows, rules.Registration{Fields: fields(n), Products: products})
	}
	results, err := fx.m.Import(fx.ctx, fx.call(), rows)
	fx.must(err)
	for _, r := range results {
		if r.Kind != rules.ResultCreated {
			fx.t.Fatalf("import: got %+v, want created", r)
		}
	}
	return results
}

// do runs a request for one document and returns its result.
func (fx *fixture) do(req domain.Request, product, n int) rules.Result {
	fx.t.Helper()
	results, err := fx.m.Provision(fx.ctx, fx.call(), req, product, []string{doc(n)})
	fx.must(err)
	return results[0]
}

// service returns the last token of the product.
func (fx *fixture) service(n, product int) domain.Service {
	fx.t.Helper()
	s, err := fx.m.Subscriber(fx.ctx, fx.p.ID, cpf.Document(doc(n)))
	fx.must(err)
	for i := len(s.Services) - 1; i >= 0; i-- {
		if s.Services[i].ProductID == product {
			return s.Services[i]
		}
	}
	return domain.Service{}
}

func (fx *fixture) wantStatus(n, product int, want domain.Status) {
	fx.t.Helper()
	if got := fx.service(n, product).Status; got != want {
		fx.t.Fatalf("subscriber %d, product %d: got %s, want %s", n, product, got, want)
	}
}

// confirm confirms or fails the current operation.
func (fx *fixture) confirm(n, product int, confirmed bool) domain.PartnerEventState {
	fx.t.Helper()
	return fx.confirmOperation(fx.service(n, product).Operation, confirmed)
}

func (fx *fixture) confirmOperation(id domain.OperationID, confirmed bool) domain.PartnerEventState {
	fx.t.Helper()
	states, err := fx.m.Confirm(fx.ctx, []domain.Confirmation{{Operation: id, Confirmed: confirmed, Actor: domain.ActorPartner}})
	fx.must(err)
	return states[0]
}

// claim claims up to n deliveries of a kind for each destination, and prepares the attempts.
func claim(ctx context.Context, m *servicetest.Service, kind domain.DeliveryKind, n int, lease time.Duration) (all []domain.ClaimedDelivery, err error) {
	due, err := m.DueDestinations(ctx, kind)
	for _, to := range due {
		claimed, err := m.Claim(ctx, to, n, lease)
		if err != nil {
			return nil, err
		}
		all = append(all, claimed...)
	}
	if err == nil {
		err = m.Finish(ctx, nil, all)
	}
	return all, err
}

// mails claims the e-mails that are due and returns the link of each document.
func (fx *fixture) mails() map[string]string {
	fx.t.Helper()
	claimed, err := claim(fx.ctx, fx.m, domain.EmailDelivery, 1000, time.Minute)
	fx.must(err)
	links := map[string]string{}
	var done []domain.Delivery
	for _, e := range claimed {
		links[string(e.Subscriber.Document)] = e.LinkSecret
		e.Delivery.State = domain.OutboxDone
		done = append(done, e.Delivery)
	}
	fx.must(fx.m.Finish(fx.ctx, done, nil))
	return links
}

// click follows the link of subscriber n's e-mail, which activates the service.
func (fx *fixture) click(n int) {
	fx.t.Helper()
	fx.wantLink(fx.mails()[doc(n)], rules.LinkDone)
}

// wantLink follows a link.
func (fx *fixture) wantLink(secret string, want rules.LinkState) {
	fx.t.Helper()
	if view, err := fx.m.FollowLink(fx.ctx, secret); err != nil || view.State != want {
		fx.t.Fatalf("got link state %d, %v, want %d", view.State, err, want)
	}
}

// active registers subscriber n with an active service of the product.
func (fx *fixture) active(n, product int) {
	fx.t.Helper()
	fx.register(n, n, product)
	fx.click(n)
	fx.wantStatus(n, product, domain.Active)
}

// provider reads the provider with its counters.
func (fx *fixture) provider() domain.Provider {
	fx.t.Helper()
	all, err := fx.m.Providers(fx.ctx)
	fx.must(err)
	return all[slices.IndexFunc(all, func(p domain.Provider) bool { return p.ID == fx.p.ID })]
}

func wantCode(t *testing.T, err error, want domain.Code) {
	t.Helper()
	if refused, ok := errors.AsType[*domain.Error](err); !ok || refused.Code != want {
		t.Fatalf("got error %v, want code %s", err, want)
	}
}

func document(n int) cpf.Document { return cpf.Document(doc(n)) }

// check runs the operator's check of the database.
func (fx *fixture) check(t interface{ Errorf(string, ...any) }) {
	found, err := store.Check(fx.ctx, fx.dsn)
	fx.must(err)
	for _, f := range found {
		if !f.Note {
			t.Errorf("the check finds a fault: %s: %s", f.Check, f.Detail)
		}
	}
}
