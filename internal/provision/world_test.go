package provision_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"ativa/internal/cpf"
	"ativa/internal/provision"
	"ativa/internal/store"
	"ativa/internal/store/pgtest"
)

// Every test of this package runs on each database.
func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// The products of a world: two families, one product that stands alone, and
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

// world is a provider with products and a partner on a real database, and a
// clock that the test turns.
type world struct {
	t       pgtest.TB
	dsn     string
	options provision.Options
	ctx     context.Context
	m       *provision.Manager
	store   *store.DB
	p       provision.Provider
	token   string
	partner provision.Partner
	now     time.Time
	woken   atomic.Int64
}

func newWorld(t pgtest.TB, limit int, options ...func(*provision.Options)) *world {
	t.Helper()
	w := &world{t: t, ctx: t.Context(), now: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)}
	var err error
	w.dsn = pgtest.DSN(t)
	w.options = provision.Options{Clock: func() time.Time { return w.now }, Wake: func() { w.woken.Add(1) }}
	for _, option := range options {
		option(&w.options)
	}
	w.open()
	t.Cleanup(func() { w.must(w.store.Close()) })
	w.partner, err = w.m.CreatePartner(w.ctx, provision.Partner{Name: "parceiro", Driver: provision.DriverManual})
	w.must(err)
	w.sell(provision.Product{ID: playBasic, Name: "Play Básico", Code: "play-basic", Family: "play"})
	w.sell(provision.Product{ID: playPremium, Name: "Play Premium", Code: "play-premium", Family: "play"})
	w.sell(provision.Product{ID: music, Name: "Música", Code: "musica", Family: "music"})
	w.sell(provision.Product{ID: alone, Name: "Leitura", Code: "leitura"})
	w.p, w.token, err = w.m.CreateProvider(w.ctx, provision.Provider{Name: "Provedor", Limit: limit})
	w.must(err)
	w.must(w.m.Grant(w.ctx, w.p.Name, []int{playBasic, playPremium, music, alone}))
	w.must(w.m.CreateProduct(w.ctx, provision.Product{ID: inactive, Name: "Antigo", Code: "antigo", Can: provision.CanAll, Partner: w.partner.ID}))
	w.must(w.m.CreateProduct(w.ctx, provision.Product{ID: suspendOnly, Name: "Só suspende", Code: "suspende", Active: true, Can: provision.CanSuspend}))
	w.must(w.m.Grant(w.ctx, w.p.Name, []int{inactive, suspendOnly}))
	w.must(w.m.CreateProduct(w.ctx, provision.Product{ID: ungranted, Name: "De outros", Code: "outros", Active: true, Can: provision.CanAll}))
	return w
}

func (w *world) open() {
	w.t.Helper()
	var err error
	w.store, err = store.Open(w.ctx, w.dsn, store.Options{})
	w.must(err)
	w.m = provision.NewManager(w.store, w.options)
}

// reopen is a restart of the server.
func (w *world) reopen() {
	w.t.Helper()
	w.must(w.store.Close())
	w.open()
}

func (w *world) sell(p provision.Product) {
	w.t.Helper()
	p.Active, p.Can, p.Partner = true, provision.CanAll, w.partner.ID
	w.must(w.m.CreateProduct(w.ctx, p))
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) call() provision.Call { return provision.Call{Provider: w.p.ID} }

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

func fields(n int) provision.Fields {
	return provision.Fields{
		Name: provision.Some(fmt.Sprintf("Assinante %d", n)), Email: provision.Some(fmt.Sprintf("a%d@example.com.br", n)),
		Document: provision.Some(doc(n)), Phone: provision.Some("+5511987654321"), Plan: provision.Some("Fibra"),
	}
}

// register imports the subscribers from to to with the products.
func (w *world) register(from, to int, products ...int) []provision.ImportResult {
	w.t.Helper()
	var rows []provision.Registration
	for n := from; n <= to; n++ {
		rows = append(rows, provision.Registration{Fields: fields(n), Products: products})
	}
	results, err := w.m.Import(w.ctx, w.call(), rows)
	w.must(err)
	for _, r := range results {
		if r.Kind != provision.ImportCreated {
			w.t.Fatalf("import: got %+v, want created", r)
		}
	}
	return results
}

// do runs a request for one document.
func (w *world) do(req provision.Request, product, n int) provision.Result {
	w.t.Helper()
	results, err := w.m.Provision(w.ctx, w.call(), req, product, []string{doc(n)})
	w.must(err)
	return results[0]
}

// service returns the last token of the product.
func (w *world) service(n, product int) provision.Service {
	w.t.Helper()
	s, err := w.m.Subscriber(w.ctx, w.p.ID, cpf.Document(doc(n)))
	w.must(err)
	for i := len(s.Services) - 1; i >= 0; i-- {
		if s.Services[i].ProductID == product {
			return s.Services[i]
		}
	}
	return provision.Service{}
}

func (w *world) wantStatus(n, product int, want provision.Status) {
	w.t.Helper()
	if got := w.service(n, product).Status; got != want {
		w.t.Fatalf("subscriber %d, product %d: got %s, want %s", n, product, got, want)
	}
}

// confirm lets the partner confirm (or fail) the present operation.
func (w *world) confirm(n, product int, confirmed bool) provision.PartnerEventState {
	w.t.Helper()
	return w.confirmOperation(w.service(n, product).Operation, confirmed)
}

func (w *world) confirmOperation(id provision.OperationID, confirmed bool) provision.PartnerEventState {
	w.t.Helper()
	states, err := w.m.Confirm(w.ctx, []provision.Confirmation{{Operation: id, Confirmed: confirmed, Actor: provision.ActorPartner}})
	w.must(err)
	return states[0]
}

// mails claims the e-mails that are due and returns the link of each document.
func (w *world) mails() map[string]string {
	w.t.Helper()
	errands, err := w.m.Claim(w.ctx, provision.EmailJob, 1000, time.Minute)
	w.must(err)
	links := map[string]string{}
	var done []provision.Job
	for _, e := range errands {
		links[string(e.Subscriber.Document)] = e.LinkSecret
		e.Job.State = provision.JobDone
		done = append(done, e.Job)
	}
	w.must(w.m.Finish(w.ctx, done))
	return links
}

// click follows the link of subscriber n's e-mail.
func (w *world) click(n int) provision.LinkState {
	w.t.Helper()
	view, err := w.m.FollowLink(w.ctx, w.mails()[doc(n)])
	w.must(err)
	return view.State
}

// active registers subscriber n with an active service of the product.
func (w *world) active(n, product int) {
	w.t.Helper()
	w.register(n, n, product)
	if got := w.click(n); got != provision.LinkDone {
		w.t.Fatalf("click: got link state %d, want done", got)
	}
	w.wantStatus(n, product, provision.Active)
}

// provider reads the provider with its counters.
func (w *world) provider() provision.Provider {
	w.t.Helper()
	all, err := w.m.Providers(w.ctx)
	w.must(err)
	return all[0]
}

func wantCode(t *testing.T, err error, want provision.Code) {
	t.Helper()
	if refused, ok := errors.AsType[*provision.Error](err); !ok || refused.Code != want {
		t.Fatalf("got error %v, want code %s", err, want)
	}
}

func document(n int) cpf.Document { return cpf.Document(doc(n)) }

// check lets the operator's own check look at the database.
func (w *world) check(t interface{ Errorf(string, ...any) }) {
	found, err := store.Check(w.ctx, w.dsn)
	w.must(err)
	for _, f := range found {
		if !f.Note {
			t.Errorf("the check finds a fault: %s: %s", f.Check, f.Detail)
		}
	}
}
