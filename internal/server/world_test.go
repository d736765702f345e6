package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"ativa/internal/cpf"
	"ativa/internal/provision"
	"ativa/internal/server"
	"ativa/internal/store"
	"ativa/internal/store/pgtest"
)

// Every test of this package runs on each database.
func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// The products of a world: two of one family, one that stands alone, and some
// that forbid things.
const (
	basic       = 1
	premium     = 2
	music       = 3
	inactive    = 4
	suspendOnly = 5
	ungranted   = 6
)

// world is a server over a real database with one provider, and a clock that
// the test turns. Every answer that passes through it is held against
// openapi.yaml.
type world struct {
	t       testing.TB
	dsn     string
	m       *provision.Manager
	store   *faultyStore
	server  *server.Server
	http    *httptest.Server
	p       provision.Provider
	partner provision.Partner
	access  string
	bearer  string
	log     *lockedBuffer

	mu  sync.Mutex
	now time.Time
}

// setting changes how a world is made.
type setting func(*server.Options, *provision.Provider)

func limit(n int) setting {
	return func(_ *server.Options, p *provision.Provider) { p.Limit = n }
}

func newWorld(t testing.TB, settings ...setting) *world {
	t.Helper()
	w := &world{t: t, now: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC), log: &lockedBuffer{}}
	w.dsn = pgtest.DSN(t)
	db, err := store.Open(context.Background(), w.dsn, store.Options{})
	w.must(err)
	t.Cleanup(func() { w.must(db.Close()) })
	w.store = &faultyStore{Store: db}
	w.m = provision.NewManager(w.store, provision.Options{Clock: w.clock})
	w.partner, err = w.m.CreatePartner(t.Context(), provision.Partner{Name: "parceiro", Driver: provision.DriverManual})
	w.must(err)
	for _, p := range []provision.Product{
		{ID: basic, Name: "Play Básico", Code: "play-basic", Family: "play", Active: true, Can: provision.CanAll},
		{ID: premium, Name: "Play Premium", Code: "play-premium", Family: "play", Active: true, Can: provision.CanAll},
		{ID: music, Name: "Música", Code: "musica", Active: true, Can: provision.CanAll},
		{ID: inactive, Name: "Antigo", Code: "antigo", Can: provision.CanAll},
		{ID: suspendOnly, Name: "Só suspende", Code: "suspende", Active: true, Can: provision.CanSuspend},
		{ID: ungranted, Name: "De outros", Code: "outros", Active: true, Can: provision.CanAll},
	} {
		p.Partner = w.partner.ID
		w.must(w.m.CreateProduct(t.Context(), p))
	}
	o := server.Options{Clock: w.clock, Fault: store.Fault, Ready: db.Ready, Log: slog.New(slog.NewJSONHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	p := provision.Provider{Name: "Provedor", Limit: 1_000_000}
	for _, set := range settings {
		set(&o, &p)
	}
	w.p, w.access = w.provider(p)
	w.server = server.New(w.m, o)
	w.http = httptest.NewServer(w.server)
	t.Cleanup(w.http.Close)
	w.bearer = w.login(w.access)
	t.Cleanup(w.discreet)
	return w
}

// provider sets up one more provider that may sell most products.
func (w *world) provider(p provision.Provider) (provision.Provider, string) {
	w.t.Helper()
	p, token, err := w.m.CreateProvider(w.t.Context(), p)
	w.must(err)
	w.must(w.m.Grant(w.t.Context(), p.Name, []int{basic, premium, music, inactive, suspendOnly}))
	return p, token
}

// discreet looks for personal data and secrets in all that was logged.
func (w *world) discreet() {
	log := w.log.String()
	canaries := []string{"@example", "Assinante", "987654321", "98765-4321", w.access, w.bearer, "Bearer "}
	for n := range 20 {
		canaries = append(canaries, doc(n))
	}
	for _, canary := range canaries {
		if i := strings.Index(log, canary); i >= 0 {
			w.t.Errorf("the log holds %q: …%s", canary, log[max(0, i-200):min(len(log), i+100)])
		}
	}
}

func (w *world) login(access string) string {
	w.t.Helper()
	b, err := w.m.Authenticate(w.t.Context(), access)
	w.must(err)
	return b.Token
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// pass turns the clock.
func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// doc returns the nth valid document of the tests.
func doc(n int) string { return string(cpf.WithCheckDigits(fmt.Sprintf("%09d", 100000000+n))) }

// subscriber is the body of subscriber n; more replaces or adds members.
func subscriber(n int, more ...string) string {
	fields := map[string]json.RawMessage{
		"name":     json.RawMessage(fmt.Sprintf(`"Assinante %d"`, n)),
		"email":    json.RawMessage(fmt.Sprintf(`"a%d@example.com.br"`, n)),
		"document": json.RawMessage(`"` + doc(n) + `"`), "phone": json.RawMessage(`"(11) 98765-4321"`),
	}
	for i := 0; i < len(more); i += 2 {
		fields[more[i]] = json.RawMessage(more[i+1])
		if more[i+1] == "" {
			delete(fields, more[i])
		}
	}
	b, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// rows is the body of an import.
func rows(all ...string) string { return `{"subscribers":[` + strings.Join(all, ",") + `]}` }

// register imports subscribers from to to with the products.
func (w *world) register(from, to int, products ...int) {
	w.t.Helper()
	var all []string
	for n := from; n <= to; n++ {
		ids, err := json.Marshal(products)
		w.must(err)
		all = append(all, subscriber(n, "products_ids", string(ids)))
	}
	w.do("POST", "/subscribers/import", rows(all...)).want(200).has(map[string]string{"response": "success"})
}

// links claims the activation e-mails and returns the link of each document.
func (w *world) links() map[string]string {
	w.t.Helper()
	errands, err := w.m.Claim(w.t.Context(), provision.EmailJob, 1000, time.Minute)
	w.must(err)
	links := map[string]string{}
	var done []provision.Job
	for _, e := range errands {
		links[string(e.Subscriber.Document)] = e.LinkSecret
		e.Job.State = provision.JobDone
		done = append(done, e.Job)
	}
	w.must(w.m.Finish(w.t.Context(), done))
	return links
}

// activate registers subscriber n with an active service.
func (w *world) activate(n, product int) {
	w.t.Helper()
	w.register(n, n, product)
	w.do("POST", "/activate/"+w.links()[doc(n)], "").want(200)
}

// batch is the body of a batch for the subscribers.
func batch(product int, subscribers ...int) string {
	var documents []string
	for _, n := range subscribers {
		documents = append(documents, `"`+doc(n)+`"`)
	}
	return fmt.Sprintf(`{"contentSupplierProduct":%d,"documents":[%s]}`, product, strings.Join(documents, ","))
}

// confirm lets the partner confirm what runs for the subscriber's last service.
func (w *world) confirm(n int) {
	w.t.Helper()
	w.settle(n, true)
}

// settle lets the partner say how the running operation ended.
func (w *world) settle(n int, confirmed bool) {
	w.t.Helper()
	s, err := w.m.Subscriber(w.t.Context(), w.p.ID, cpf.Document(doc(n)))
	w.must(err)
	_, err = w.m.Confirm(w.t.Context(), []provision.Confirmation{
		{Operation: s.Services[len(s.Services)-1].Operation, Confirmed: confirmed, Actor: provision.ActorPartner}})
	w.must(err)
}

// lockedBuffer gathers the log.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
