package server_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"log/slog"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
	"ativa/internal/service/server"
	"ativa/internal/service/servicetest"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
	"ativa/internal/system/systemtest"
)

// On PostgreSQL only the tests run whose result depends on the store: rules and store test the rest
// on both.
func TestMain(m *testing.M) {
	os.Exit(pgtest.Main(m, "RetryNeverDoubles", "DryRun", "Erase", "Feed", "Cursor", "WaitHolds", "Generated", "AThousandRequests", "ProvidersAreApart"))
}

// The products of a fixture: two of one family, one without, and some that allow only some actions.
const (
	basic       = 1
	premium     = 2
	music       = 3
	inactive    = 4
	suspendOnly = 5
	ungranted   = 6
)

// fixture is a server on a real database with one provider and a clock that the test sets; every
// response is checked against openapi.yaml.
type fixture struct {
	t       testing.TB
	dsn     string
	m       *servicetest.Service
	store   *faultyStore
	server  *server.Server
	http    *httptest.Server
	p       domain.Provider
	partner domain.Partner
	access  string
	bearer  string
	log     *lockedBuffer
	watch   *sql.DB // of state
	ana     string  // document of the subscriber of examples

	mu  sync.Mutex
	now time.Time
}

// unreachedLimit is a limit that is recognised in any response: it is between a provider and the operator
// (decisions.md 8).
const unreachedLimit = 1_357_246_809

// fixtureOption changes the settings of a fixture.
type fixtureOption func(*server.Options, *domain.Provider)

func limit(n int) fixtureOption {
	return func(_ *server.Options, p *domain.Provider) { p.Limit = n }
}

func newFixture(t testing.TB, options ...fixtureOption) *fixture {
	t.Helper()
	f := &fixture{t: t, dsn: pgtest.DSN(t), now: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC), log: &lockedBuffer{}, ana: ana}
	db, err := store.Open(context.Background(), f.dsn, store.Options{})
	f.must(err)
	t.Cleanup(func() { f.must(db.Close()) })
	f.store = &faultyStore{Store: db, update: noFault, each: noFaultEach}
	f.m = servicetest.New(f.store, servicetest.Options{Clock: f.clock})
	f.partner, err = f.m.CreatePartner(t.Context(), domain.Partner{Name: "parceiro", Driver: domain.DriverManual})
	f.must(err)
	for _, p := range []domain.Product{
		{ID: basic, Name: "Play Básico", Code: "play-basic", Family: "play", Active: true, Can: domain.CanAll},
		{ID: premium, Name: "Play Premium", Code: "play-premium", Family: "play", Active: true, Can: domain.CanAll},
		{ID: music, Name: "Música", Code: "musica", Active: true, Can: domain.CanAll},
		{ID: inactive, Name: "Antigo", Code: "antigo", Can: domain.CanAll},
		{ID: suspendOnly, Name: "Só suspende", Code: "suspende", Active: true, Can: domain.CanSuspend},
		{ID: ungranted, Name: "De outros", Code: "outros", Active: true, Can: domain.CanAll},
	} {
		p.Partner = f.partner.ID
		f.must(f.m.CreateProduct(t.Context(), p))
	}
	o := server.Options{PublicMetrics: true, DatabaseFault: store.Fault, Ready: db.Ready, Log: slog.New(slog.NewJSONHandler(f.log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	p := domain.Provider{Name: "Provedor", Limit: unreachedLimit}
	for _, set := range options {
		set(&o, &p)
	}
	f.p, f.access = f.provider(p)
	f.server = server.New(f.m.Parts(), o)
	f.http = httptest.NewServer(f.server)
	t.Cleanup(f.http.Close)
	f.bearer = f.login(f.access)
	t.Cleanup(func() { f.wantPrivate("the log", f.log.String()) })
	return f
}

// newParallelFixture marks the test as parallel and returns a fixture.
func newParallelFixture(t *testing.T, options ...fixtureOption) *fixture {
	t.Helper()
	t.Parallel()
	return newFixture(t, options...)
}

// provider adds a provider that may sell most products.
func (f *fixture) provider(p domain.Provider) (domain.Provider, string) {
	f.t.Helper()
	p, token, err := f.m.CreateProvider(f.t.Context(), p)
	f.must(err)
	f.must(f.m.Grant(f.t.Context(), p.Name, []int{basic, premium, music, inactive, suspendOnly}, true))
	return p, token
}

// wantPrivate checks that a text holds neither personal data nor secrets.
func (f *fixture) wantPrivate(what, text string) {
	f.t.Helper()
	canaries := []string{"@example", "canary", "Assinante", "987654321", "98765-4321", "Canári", "100.000.0", ana, f.access, f.bearer, "Bearer "}
	for n := range 20 {
		canaries = append(canaries, doc(n))
	}
	for _, canary := range canaries {
		if i := strings.Index(text, canary); i >= 0 {
			f.t.Errorf("%s holds %q: …%s", what, canary, text[max(0, i-200):min(len(text), i+100)])
		}
	}
}

func (f *fixture) login(access string) string {
	f.t.Helper()
	b, err := f.m.Authenticate(f.t.Context(), access)
	f.must(err)
	return b.Token
}

// createToken creates an access token of the provider.
func (f *fixture) createToken(t domain.AccessToken) (created domain.AccessToken, secret string) {
	f.t.Helper()
	created, secret, err := f.m.CreateToken(f.t.Context(), domain.Caller{Provider: f.p.ID}, t)
	f.must(err)
	return created, secret
}

// token creates an access token and returns the header of its bearer token.
func (f *fixture) token(name string, scopes domain.Scopes) string {
	f.t.Helper()
	_, secret := f.createToken(domain.AccessToken{Name: name, Scopes: scopes})
	return "Authorization: Bearer " + f.login(secret)
}

func (f *fixture) clock() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

// advance moves the clock forward.
func (f *fixture) advance(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = f.now.Add(d)
}

func (f *fixture) must(err error) {
	f.t.Helper()
	must(f.t, err)
}

var must = systemtest.Must

// doc returns the nth valid document of the tests.
func doc(n int) string { return string(cpf.WithCheckDigits(fmt.Sprintf("%09d", 100000000+n))) }

// subscriber returns the body of subscriber n; more replaces or adds members.
func subscriber(n int, more ...string) string {
	fields := map[string]any{
		"name": fmt.Sprintf("Assinante %d", n), "email": fmt.Sprintf("a%d@example.com.br", n),
		"document": doc(n), "phone": "(11) 98765-4321",
	}
	for i := 0; i < len(more); i += 2 {
		fields[more[i]] = json.RawMessage(more[i+1])
	}
	b, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// rows returns the body of an import.
func rows(all ...string) string { return `{"subscribers":[` + strings.Join(all, ",") + `]}` }

// register imports subscribers from to to with the products.
func (f *fixture) register(from, to int, products ...int) {
	f.t.Helper()
	var all []string
	for n := from; n <= to; n++ {
		ids, err := json.Marshal(products)
		f.must(err)
		all = append(all, subscriber(n, "products_ids", string(ids)))
	}
	f.do("POST", "/subscribers/import", rows(all...)).want(200).has(map[string]string{"response": "success"})
}

// links claims the activation e-mails and returns the link of each document.
func (f *fixture) links() map[string]string {
	f.t.Helper()
	deliveries, err := f.m.Claim(f.t.Context(), domain.Destination{Kind: domain.EmailDelivery}, 1000, time.Minute)
	f.must(err)
	f.must(f.m.Finish(f.t.Context(), nil, deliveries))
	links := map[string]string{}
	var done []domain.Delivery
	for _, e := range deliveries {
		links[string(e.Subscriber.Document)] = e.LinkSecret
		e.Delivery.State, e.Delivery.LastAttemptAt = domain.OutboxDone, f.clock()
		done = append(done, e.Delivery)
	}
	f.must(f.m.Finish(f.t.Context(), done, nil))
	return links
}

// activate registers subscriber n with an active service.
func (f *fixture) activate(n, product int) {
	f.t.Helper()
	f.register(n, n, product)
	f.do("POST", "/activate/"+f.links()[doc(n)], "").want(200)
}

// batch returns the body of a batch for the subscribers.
func batch(product int, subscribers ...int) string {
	var documents []string
	for _, n := range subscribers {
		documents = append(documents, `"`+doc(n)+`"`)
	}
	return fmt.Sprintf(`{"contentSupplierProduct":%d,"documents":[%s]}`, product, strings.Join(documents, ","))
}

// operation returns the last operation of a subscriber's last service.
func (f *fixture) operation(document string) domain.OperationID {
	f.t.Helper()
	s, err := f.m.Subscriber(f.t.Context(), f.p.ID, cpf.Document(document))
	f.must(err)
	return s.Services[len(s.Services)-1].Operation
}

// confirm confirms the operation of a subscriber, or fails it.
func (f *fixture) confirm(document string, confirmed bool) {
	f.t.Helper()
	_, err := f.m.Confirm(f.t.Context(), []domain.Confirmation{{Operation: f.operation(document), Confirmed: confirmed, Actor: domain.ActorPartner}})
	f.must(err)
}

// lockedBuffer is a buffer for concurrent writers.
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

// brand gives the provider a logo, a colour, a name and a telephone number.
func (f *fixture) brand() {
	f.t.Helper()
	var logo bytes.Buffer
	f.must(png.Encode(&logo, image.NewRGBA(image.Rect(0, 0, 240, 80))))
	_, err := f.m.UpdateBrand(f.t.Context(), f.p.Name, func(b *domain.Brand) error {
		b.DisplayName, b.Color, b.Phone, b.Logo = "Azul & Filhos", "#0b3d91", "0800 123-4569", logo.Bytes()
		return nil
	})
	f.must(err)
}
