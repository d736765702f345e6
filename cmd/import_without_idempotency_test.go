package cmd

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ativa/internal/cli"
	"ativa/internal/cpf"
	"ativa/internal/processtest"
)

// serverWithoutIdempotency implements the API without extensions: it has no idempotency keys,
// reports no rows of an import, is not atomic, aborts at any step, and activates a product
// twice.
type serverWithoutIdempotency struct {
	mu          sync.Mutex
	subscribers []*storedSubscriber
	byDocument  map[string]*storedSubscriber
	breakOff    func() bool // called before each step of a write
	connections atomic.Int32
	address     string
}

type storedSubscriber struct {
	Name            string          `json:"name"`
	Email           string          `json:"email"`
	Document        string          `json:"document"`
	Phone           string          `json:"phone"`
	InternetSpeedID int             `json:"internet_speed_id"`
	CustomerPlan    string          `json:"customer_plan"`
	Products        []int           `json:"products_ids,omitempty"`
	CreatedAt       string          `json:"created_at"`
	Services        []storedService `json:"services"`
}

type storedService struct {
	CreatedAt string `json:"token_created_at"`
	Name      string `json:"content_supplier_product_name"`
	Code      string `json:"content_supplier_product_code"`
	ID        int    `json:"content_supplier_product_id"`
	UpdatedAt string `json:"status_updated_at"`
	StatusID  int    `json:"status_id"`
	Status    string `json:"status"`
}

const storedTime = "2026-01-31T12:34:56.000000Z"

// add registers a subscriber; the caller holds mu.
func (f *serverWithoutIdempotency) add(s *storedSubscriber) {
	digits := s.Document
	s.Document, s.CreatedAt = cpf.Document(digits).Format(), storedTime
	f.subscribers = append(f.subscribers, s)
	f.byDocument[digits] = s
}

func (s *storedSubscriber) activate(product int) {
	s.Services = append(s.Services, storedService{CreatedAt: storedTime, Name: "P", Code: "p", ID: product, UpdatedAt: storedTime, StatusID: 10, Status: "inProgress"})
}

func (f *serverWithoutIdempotency) step() {
	if f.breakOff != nil && f.breakOff() {
		panic(http.ErrAbortHandler)
	}
}

// activateAll activates a product for each document; the caller holds mu.
func (f *serverWithoutIdempotency) activateAll(product int, documents []string) {
	for _, d := range documents {
		f.step()
		if s := f.byDocument[d]; s != nil {
			s.activate(product)
		}
	}
	f.step()
}

// importAll registers rows and activates their products; the caller holds mu.
func (f *serverWithoutIdempotency) importAll(rows []*storedSubscriber) {
	for _, row := range rows {
		f.step()
		if f.byDocument[row.Document] != nil {
			continue
		}
		products := row.Products
		row.Products = nil
		f.add(row)
		for _, p := range products {
			f.step()
			row.activate(p)
		}
	}
	f.step()
}

// ServeHTTP implements [http.Handler] on top of the usual answers of a [plainServer].
func (f *serverWithoutIdempotency) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var body struct {
		Subscribers []*storedSubscriber
		Product     int `json:"contentSupplierProduct"`
		Documents   []string
	}
	if r.Method == http.MethodPost && json.NewDecoder(r.Body).Decode(&body) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	answer := map[string]any{"response": "success"}
	switch document := path.Base(r.URL.Path); {
	case r.URL.Path == "/subscribers":
		answer["subscribers"] = f.subscribers
	case r.URL.Path == "/subscribers/import":
		f.importAll(body.Subscribers)
	case r.URL.Path == "/provision/activate":
		f.activateAll(body.Product, body.Documents)
	case f.byDocument[document] != nil:
		answer["subscriber"] = f.byDocument[document]
	default:
		w.WriteHeader(http.StatusNotFound)
		return
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// start starts the server. It counts open connections.
func (f *serverWithoutIdempotency) start(t *testing.T) {
	s := httptest.NewUnstartedServer(&plainServer{map[string]string{
		"GET /products": `{"content_supplier_products":[{"id":1,"name":"P1","code":"p1","active":1},{"id":2,"name":"P2","code":"p2","active":1},{"id":3,"name":"P3","code":"p3","active":1}]}`,
	}, f.ServeHTTP})
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			f.connections.Add(1)
		case http.StateClosed:
			f.connections.Add(-1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	f.address = s.URL
}

// acceptAll returns when the server has accepted, and so counted, every connection made before.
func (f *serverWithoutIdempotency) acceptAll(t *testing.T) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, f.address+"/products", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Close = true
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
}

func newServerWithoutIdempotency(t *testing.T) (*serverWithoutIdempotency, *processFixture) {
	t.Helper()
	f := &serverWithoutIdempotency{subscribers: []*storedSubscriber{}, byDocument: map[string]*storedSubscriber{}}
	w := &processFixture{&processtest.Fixture{T: t, Dir: t.TempDir()}}
	f.start(t)
	w.Env = []string{"HOME=" + w.Dir, "LANG=C.UTF-8", "PAGER=cat", "ATIVA_SERVER=" + f.address, "ATIVA_ACCESS_TOKEN=secret"}
	return f, w
}

// check checks that each row and each of its products exists once.
func (f *serverWithoutIdempotency) check(t *testing.T, rows int) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.subscribers) != rows {
		t.Errorf("got %d subscribers, want %d", len(f.subscribers), rows)
	}
	wrong := 0
	for _, s := range f.subscribers {
		var i int
		if _, err := fmt.Sscanf(s.Name, "Pessoa %d", &i); err != nil {
			t.Fatal(err)
		}
		want, got := []int{1}, []int{}
		if i%3 == 0 {
			want = []int{1, 3}
		}
		for _, service := range s.Services {
			got = append(got, service.ID)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			if wrong++; wrong < 5 {
				t.Errorf("subscriber %d has the products %v, want %v", i, got, want)
			}
		}
	}
}

// TestAnImportWithoutIdempotencyIsExact aborts responses at random steps and sometimes
// kills the command line.
func TestAnImportWithoutIdempotencyIsExact(t *testing.T) {
	t.Parallel()
	rows := processtest.FromEnv(t, "ATIVA_KILL_ROWS", 2000)
	f, w := newServerWithoutIdempotency(t)
	file := w.WriteRows(rows)
	f.checkExact(t, w, rows, file, "subscribers", "import", file, "--batch-size", "50", "--rate", strconv.Itoa(2*rows), "--quiet")
}

// A sync is as exact as an import.
func TestASyncWithoutIdempotencyIsExact(t *testing.T) {
	t.Parallel()
	rows := processtest.FromEnv(t, "ATIVA_KILL_ROWS", 500)
	f, w := newServerWithoutIdempotency(t)
	file := w.WriteRows(rows)
	f.checkExact(t, w, rows, file, "sync", file, "--yes", "--batch-size", "20", "--rate", strconv.Itoa(2*rows), "--quiet")
}

// checkExact runs a command that registers the rows of a file until it succeeds.
func (f *serverWithoutIdempotency) checkExact(t *testing.T, w *processFixture, rows int, file string, args ...string) {
	t.Helper()
	chance := rand.New(rand.NewPCG(1, 2))
	f.breakOff = func() bool { return chance.IntN(60) == 0 }
	for run := range 200 {
		c := w.Command(args...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if run < 10 {
			time.Sleep(time.Duration(20+rand.IntN(200)) * time.Millisecond)
			_ = c.Process.Kill()
		}
		err := c.Wait()
		// Without keys, a dead process's request may take effect unnoticed after the next
		// process has read the state.
		f.acceptAll(t)
		eventually(t, "the end of its requests", func() bool { return f.connections.Load() == 0 })
		if err == nil {
			f.check(t, rows)
			t.Logf("exact after %d runs", run+1)
			w.CheckReport(file, rows)
			return
		}
		if code := c.ProcessState.ExitCode(); code != cli.ExitUnavailable && code != -1 {
			t.Fatalf("run %d: exit %d", run, code)
		}
	}
	t.Fatal("200 runs did not bring it to an end")
}
