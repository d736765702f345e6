package outbox_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
	"ativa/internal/service/outbox"
	"ativa/internal/service/rules"
	"ativa/internal/service/server"
	"ativa/internal/service/servicetest"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
	"ativa/internal/system/systemtest"
)

// The databases are of SQLite alone: the tests of package store compare what both write.
func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

const publicURL = "https://ativa.example"

// fixture is a provider with products on a real database, and a worker that can be stopped and started.
type fixture struct {
	t               *testing.T
	path            string
	hosts           *http.ServeMux // partners and callbacks
	managerOptions  servicetest.Options
	options         outbox.Options
	store           *store.DB
	manager         *servicetest.Service
	defaultProvider domain.Provider
	worker          *outbox.Worker
	cancel          context.CancelFunc
	stopped         chan struct{}
	registered      int
	rules           outbox.Rules // of the worker; nil: manager
}

// newFixture returns a fixture whose partner offers the products 1 and 2 of one family.
func newFixture(t *testing.T, partner domain.Partner) *fixture {
	t.Helper()
	network, hosts := newNetwork(t)
	f := &fixture{t: t, path: pgtest.File(t), hosts: hosts}
	f.options = outbox.Options{Transport: network.Transport, PublicURL: publicURL, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Mailer: &recordingMailer{}}
	f.open()
	t.Cleanup(func() { f.stop(); f.must(f.store.Close()) })
	f.createProducts(partner, 1, 2)
	f.defaultProvider = f.createProvider("Provedor Açaí")
	return f
}

func (f *fixture) must(err error) {
	f.t.Helper()
	must(f.t, err)
}

// open opens the database and creates the manager.
func (f *fixture) open() {
	f.t.Helper()
	var err error
	f.store, err = store.Open(context.Background(), f.path, store.Options{Exclusive: true})
	f.must(err)
	f.manage(f.store)
}

// manage creates the manager of a store, which may stand before that of the fixture.
func (f *fixture) manage(s servicetest.Store) {
	options := f.managerOptions
	options.Wake = func() {
		if f.worker != nil {
			f.worker.Wake()
		}
	}
	options.WakeFeed = func() {
		if f.worker != nil {
			f.worker.WakeFeed()
		}
	}
	f.manager = servicetest.New(s, options)
	f.options.EncodeEvents = server.EncodeEvents
	f.options.Purge, f.options.RecordUse = f.manager.Purge, f.manager.RecordUse
}

// start runs the worker.
func (f *fixture) start() {
	var engine outbox.Rules = f.manager
	if f.rules != nil {
		engine = f.rules
	}
	f.worker = outbox.New(f.manager.Queue, f.manager.Feeds, engine, f.options)
	var ctx context.Context
	ctx, f.cancel = context.WithCancel(context.Background())
	f.stopped = make(chan struct{})
	go func() { defer close(f.stopped); f.worker.Run(ctx) }()
}

func (f *fixture) stop() {
	if f.cancel != nil {
		f.cancel()
		<-f.stopped
		f.cancel, f.worker = nil, nil
	}
}

// restart restarts the service on the same database.
func (f *fixture) restart() {
	f.t.Helper()
	f.stop()
	f.must(f.store.Close())
	f.open()
	f.start()
}

// createProducts adds a partner with products of the given ids.
func (f *fixture) createProducts(partner domain.Partner, products ...int) domain.Partner {
	f.t.Helper()
	partner, err := f.manager.CreatePartner(context.Background(), partner)
	f.must(err)
	for _, id := range products {
		f.must(f.manager.CreateProduct(context.Background(), domain.Product{
			ID: id, Name: fmt.Sprintf("Play %d", id), Code: fmt.Sprintf("play-%d", id), Family: partner.Name, Active: true, Can: domain.CanAll, Partner: partner.ID,
		}))
	}
	return partner
}

func (f *fixture) createProvider(name string) domain.Provider {
	f.t.Helper()
	p, _, err := f.manager.CreateProvider(context.Background(), domain.Provider{Name: name, Limit: 100_000, AllProducts: true})
	f.must(err)
	return p
}

// register imports n subscribers with a product and returns their documents.
func (f *fixture) register(p domain.Provider, n, product int) []string {
	f.t.Helper()
	var rows []rules.Registration
	var documents []string
	for range n {
		row := f.registration(product)
		rows, documents = append(rows, row), append(documents, row.Document.Value)
	}
	_, err := f.manager.Import(context.Background(), rules.Call{Provider: p.ID}, rows)
	f.must(err)
	return documents
}

// registration returns a row for a new subscriber with a product.
func (f *fixture) registration(product int) rules.Registration {
	f.registered++
	return rules.Registration{Products: []int{product}, Fields: rules.Fields{
		Name: domain.Some(fmt.Sprintf("Assinante %d", f.registered)), Email: domain.Some(fmt.Sprintf("a%d@example.com.br", f.registered)),
		Document: domain.Some(string(cpf.WithCheckDigits(fmt.Sprintf("%09d", 100000000+f.registered)))), Phone: domain.Some("+5511987654321"),
	}}
}

// registerActive registers n subscribers whose service is active.
func (f *fixture) registerActive(p domain.Provider, n, product int) []string {
	f.t.Helper()
	documents := f.register(p, n, product)
	for _, d := range documents {
		s := f.service(p, d)
		_, err := f.manager.Confirm(context.Background(), []domain.Confirmation{{Operation: s.Operation, Confirmed: true, Actor: domain.ActorPartner}})
		f.must(err)
	}
	return documents
}

// request requests an operation for the subscribers.
func (f *fixture) request(p domain.Provider, r domain.Request, product int, documents ...string) {
	f.t.Helper()
	results, err := f.manager.Provision(context.Background(), rules.Call{Provider: p.ID}, r, product, documents)
	f.must(err)
	for _, result := range results {
		if result.Kind != rules.ResultAccepted {
			f.t.Fatalf("got %+v, want accepted", result)
		}
	}
}

func (f *fixture) resend(p domain.Provider, document string) {
	f.t.Helper()
	_, err := f.manager.Resend(context.Background(), rules.Call{Provider: p.ID}, cpf.Document(document))
	f.must(err)
}

func (f *fixture) service(p domain.Provider, document string) domain.Service {
	f.t.Helper()
	s, err := f.manager.Subscriber(context.Background(), p.ID, cpf.Document(document))
	f.must(err)
	return s.Services[len(s.Services)-1]
}

func (f *fixture) wantStatus(p domain.Provider, document string, want domain.Status) {
	f.t.Helper()
	if got := f.service(p, document).Status; got != want {
		f.t.Errorf("got status %s, want %s", got, want)
	}
}

// deliveries returns the deliveries of a kind in the states.
func (f *fixture) deliveries(k domain.DeliveryKind, states ...domain.OutboxState) []domain.Delivery {
	f.t.Helper()
	all, err := f.manager.Deliveries(context.Background(), domain.DeliveryFilter{Kinds: []domain.DeliveryKind{k}, States: states})
	f.must(err)
	return all
}

// lastReason returns the reason of a subscriber's last event.
func (f *fixture) lastReason(p domain.Provider, document string) string {
	f.t.Helper()
	events, err := f.manager.History(context.Background(), p.ID, cpf.Document(document))
	f.must(err)
	return events[len(events)-1].Reason
}

// recordingMailer keeps the e-mails that it sends.
type recordingMailer struct {
	mu   sync.Mutex
	sent []outbox.ActivationEmail
	fail func(outbox.ActivationEmail) error
}

func (p *recordingMailer) Idle() {}

func (p *recordingMailer) Send(_ context.Context, email outbox.ActivationEmail) error {
	p.mu.Lock()
	p.sent = append(p.sent, email)
	p.mu.Unlock()
	if p.fail != nil {
		return p.fail(email)
	}
	return nil
}

// messages returns the e-mails by their ids.
func (p *recordingMailer) messages() (all []received) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.sent {
		all = append(all, received{id: e.ID})
	}
	return all
}

// webhookReceiver receives signed messages. It responds 200 if respond is nil.
type webhookReceiver struct {
	t       *testing.T
	respond func(n int, w http.ResponseWriter, r *http.Request) // n counts from 0
	mu      sync.Mutex
	secret  []byte
	got     []received
}

type received struct {
	at   time.Time
	from string // of an e-mail
	id   string
	body string
}

func (h *webhookReceiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		h.t.Error(err)
	}
	h.mu.Lock()
	n := len(h.got)
	h.got = append(h.got, received{at: time.Now(), id: r.Header.Get("webhook-id"), body: string(body)})
	secret := h.secret
	h.mu.Unlock()
	if secret != nil {
		verifier, err := webhooks.NewWebhookRaw(secret)
		if err == nil {
			err = verifier.Verify(body, r.Header) // by the virtual clock
		}
		if err != nil {
			h.t.Errorf("message %d: %v", n, err)
		}
	}
	if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
		h.t.Errorf("got %s with %s, want POST with JSON", r.Method, r.Header.Get("Content-Type"))
	}
	if h.respond != nil {
		h.respond(n, w, r)
	}
}

// setSecret sets the secret; it is safe while messages arrive.
func (h *webhookReceiver) setSecret(secret []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.secret = secret
}

func (h *webhookReceiver) messages() []received {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.got)
}

// statuses responds with each status in turn, and then always with the last.
func statuses(all ...int) func(int, http.ResponseWriter, *http.Request) {
	return func(n int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(all[min(n, len(all)-1)]) }
}

// inBubble runs a part of a test beside others and in virtual time.
func inBubble(t *testing.T, name string, test func(t *testing.T)) {
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, test)
	})
}

// testTimeout is the real time for which a test waits for an event. It is longer than any wait on a
// slow machine.
const testTimeout = 3 * time.Minute

// advance lets virtual time pass.
func advance(d time.Duration) { <-time.After(d) }

var must = systemtest.Must
