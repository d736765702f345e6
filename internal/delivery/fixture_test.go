package delivery_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"ativa/internal/cpf"
	"ativa/internal/delivery"
	"ativa/internal/provision"
	"ativa/internal/store"
)

const publicURL = "https://ativa.example"

// fixture is a provider with products on a real database, and a worker that can
// be stopped and started like the service.
type fixture struct {
	t               *testing.T
	path            string
	rules           provision.Options
	options         delivery.Options
	store           *store.DB
	manager         *provision.Manager
	defaultProvider provision.Provider
	worker          *delivery.Worker
	end             context.CancelFunc
	ended           chan struct{}
	registered      int
}

// newFixture has the products of the partner: 1 and 2 of one family.
func newFixture(t *testing.T, partner provision.Partner) *fixture {
	t.Helper()
	return newFixtureOn(t, "sqlite:"+filepath.Join(t.TempDir(), "ativa.db"), partner)
}

func newFixtureOn(t *testing.T, dsn string, partner provision.Partner) *fixture {
	t.Helper()
	w := &fixture{t: t, path: dsn}
	w.options = delivery.Options{PublicURL: publicURL, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Mailer: &post{}}
	w.open()
	t.Cleanup(func() { w.stop(); w.must(w.store.Close()) })
	w.createProducts(partner, 1, 2)
	w.defaultProvider = w.createProvider("Provedor Açaí")
	return w
}

func (w *fixture) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// open starts what a server has, but for the worker.
func (w *fixture) open() {
	w.t.Helper()
	var err error
	w.store, err = store.Open(context.Background(), w.path, store.Options{Exclusive: true})
	w.must(err)
	rules := w.rules
	rules.Wake = func() {
		if w.worker != nil {
			w.worker.Wake()
		}
	}
	w.manager = provision.NewManager(w.store, rules)
}

// start lets the worker run.
func (w *fixture) start() {
	w.worker = delivery.New(w.manager, w.options)
	var ctx context.Context
	ctx, w.end = context.WithCancel(context.Background())
	w.ended = make(chan struct{})
	go func() { defer close(w.ended); w.worker.Run(ctx) }()
}

func (w *fixture) stop() {
	if w.end != nil {
		w.end()
		<-w.ended
		w.end, w.worker = nil, nil
	}
}

// restart is a new process on the same database.
func (w *fixture) restart() {
	w.t.Helper()
	w.stop()
	w.must(w.store.Close())
	w.open()
	w.start()
}

// createProducts adds products of a partner.
func (w *fixture) createProducts(partner provision.Partner, products ...int) provision.Partner {
	w.t.Helper()
	partner, err := w.manager.CreatePartner(context.Background(), partner)
	w.must(err)
	for _, id := range products {
		w.must(w.manager.CreateProduct(context.Background(), provision.Product{
			ID: id, Name: fmt.Sprintf("Play %d", id), Code: fmt.Sprintf("play-%d", id), Family: partner.Name, Active: true, Can: provision.CanAll, Partner: partner.ID,
		}))
	}
	return partner
}

func (w *fixture) createProvider(name string) provision.Provider {
	w.t.Helper()
	p, _, err := w.manager.CreateProvider(context.Background(), provision.Provider{Name: name, Limit: 100_000, AllProducts: true})
	w.must(err)
	return p
}

// register imports n subscribers with a product and returns their documents.
func (w *fixture) register(p provision.Provider, n, product int) []string {
	w.t.Helper()
	var rows []provision.Registration
	var documents []string
	for range n {
		w.registered++
		d := string(cpf.WithCheckDigits(fmt.Sprintf("%09d", 100000000+w.registered)))
		documents = append(documents, d)
		rows = append(rows, provision.Registration{Products: []int{product}, Fields: provision.Fields{
			Name: provision.Some(fmt.Sprintf("Assinante %d", w.registered)), Email: provision.Some(fmt.Sprintf("a%d@example.com.br", w.registered)),
			Document: provision.Some(d), Phone: provision.Some("+5511987654321"),
		}})
	}
	_, err := w.manager.Import(context.Background(), provision.Call{Provider: p.ID}, rows)
	w.must(err)
	return documents
}

// registerActive registers n subscribers whose service is active.
func (w *fixture) registerActive(p provision.Provider, n, product int) []string {
	w.t.Helper()
	documents := w.register(p, n, product)
	for _, d := range documents {
		s := w.service(p, d)
		_, err := w.manager.Confirm(context.Background(), []provision.Confirmation{{Operation: s.Operation, Confirmed: true, Actor: provision.ActorPartner}})
		w.must(err)
	}
	return documents
}

// request runs an operation for the subscribers.
func (w *fixture) request(p provision.Provider, r provision.Request, product int, documents ...string) {
	w.t.Helper()
	results, err := w.manager.Provision(context.Background(), provision.Call{Provider: p.ID}, r, product, documents)
	w.must(err)
	for _, result := range results {
		if result.Kind != provision.ResultAccepted {
			w.t.Fatalf("got %+v, want accepted", result)
		}
	}
}

func (w *fixture) resend(p provision.Provider, document string) {
	w.t.Helper()
	_, err := w.manager.Resend(context.Background(), provision.Call{Provider: p.ID}, cpf.Document(document))
	w.must(err)
}

func (w *fixture) service(p provision.Provider, document string) provision.Service {
	w.t.Helper()
	s, err := w.manager.Subscriber(context.Background(), p.ID, cpf.Document(document))
	w.must(err)
	return s.Services[len(s.Services)-1]
}

func (w *fixture) wantStatus(p provision.Provider, document string, want provision.Status) {
	w.t.Helper()
	if got := w.service(p, document).Status; got != want {
		w.t.Errorf("got status %s, want %s", got, want)
	}
}

// jobs returns the jobs of a kind in the states.
func (w *fixture) jobs(k provision.JobKind, states ...provision.JobState) []provision.Delivery {
	w.t.Helper()
	all, err := w.manager.Deliveries(context.Background(), provision.JobFilter{Kinds: []provision.JobKind{k}, States: states})
	w.must(err)
	return all
}

// lastReason is the reason of the last event of a subscriber.
func (w *fixture) lastReason(p provision.Provider, document string) string {
	w.t.Helper()
	events, err := w.manager.History(context.Background(), p.ID, cpf.Document(document))
	w.must(err)
	return events[len(events)-1].Reason
}

// post is a mailer that keeps what it is given.
type post struct {
	mu   sync.Mutex
	sent []delivery.ActivationEmail
	fail func(delivery.ActivationEmail) error
}

func (p *post) Idle() {}

func (p *post) Send(_ context.Context, l delivery.ActivationEmail) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent = append(p.sent, l)
	if p.fail != nil {
		return p.fail(l)
	}
	return nil
}

func (p *post) letters() []delivery.ActivationEmail {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.sent)
}

// webhookReceiver is a receiver of signed messages. Without an answer it says 200.
type webhookReceiver struct {
	t       *testing.T
	respond func(n int, w http.ResponseWriter, r *http.Request) // n counts from 0
	mu      sync.Mutex
	secret  []byte
	got     []received
}

type received struct {
	at   time.Time
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
	h.got = append(h.got, received{time.Now(), r.Header.Get("webhook-id"), string(body)})
	secret := h.secret
	h.mu.Unlock()
	if secret != nil {
		verifier, err := webhooks.NewWebhookRaw(secret)
		if err == nil {
			err = verifier.Verify(body, r.Header) // its clock is the virtual one
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

func (h *webhookReceiver) messages() []received {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.got)
}

// statuses answers with each in turn, and with the last for ever.
func statuses(all ...int) func(int, http.ResponseWriter, *http.Request) {
	return func(n int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(all[min(n, len(all)-1)]) }
}

// testTimeout is after how long a test gives up, in real time, what ought to have
// happened. Nothing takes so long on the slowest machine.
const testTimeout = 3 * time.Minute

// advance blocks for at least as long; between steps of virtual time.
func advance(d time.Duration) { <-time.After(d) }
