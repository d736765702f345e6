package cmd

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
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

// serverWithoutIdempotency is another server with the API and none of our extensions: it keeps
// no keys, says nothing about the rows of an import, is not atomic, breaks off
// wherever it likes, and would activate a product twice.
type serverWithoutIdempotency struct {
	mu          sync.Mutex
	subscribers []*storedSubscriber
	byDocument  map[string]*storedSubscriber
	breakOff    func() bool // asked before each step of a write
	connections atomic.Int32
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

func (f *serverWithoutIdempotency) importAll(rows []*storedSubscriber) {
	f.mu.Lock()
	defer f.mu.Unlock()
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

func (f *serverWithoutIdempotency) start(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	answer := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
	ok := map[string]string{"response": "success"}
	mux.HandleFunc("POST /authenticate", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"authorization": map[string]any{"token": "t", "type": "bearer", "expires_in": 21600}})
	})
	mux.HandleFunc("GET /products", func(w http.ResponseWriter, _ *http.Request) {
		products := []map[string]any{}
		for id := 1; id <= 3; id++ {
			products = append(products, map[string]any{"id": id, "name": fmt.Sprint("P", id), "code": fmt.Sprint("p", id), "active": 1, "can": []string{"activate"}})
		}
		answer(w, map[string]any{"content_supplier_products": products, "message": "success"})
	})
	mux.HandleFunc("GET /products/status", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"status": []any{map[string]any{"id": 10, "name": "inProgress"}}, "response": "success"})
	})
	mux.HandleFunc("GET /subscribers/internet_speeds", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"internet_speeds": []any{map[string]any{"id": 38, "speed": "Não informado", "slug": "Não informado"}}, "response": "success"})
	})
	mux.HandleFunc("GET /subscribers", func(w http.ResponseWriter, _ *http.Request) {
		f.mu.Lock()
		defer f.mu.Unlock()
		answer(w, map[string]any{"subscribers": f.subscribers, "response": "success"})
	})
	mux.HandleFunc("GET /subscribers/{document}", func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		defer f.mu.Unlock()
		if s := f.byDocument[r.PathValue("document")]; s != nil {
			answer(w, map[string]any{"subscriber": s, "response": "success"})
			return
		}
		http.Error(w, `{"message":"not found"}`, http.StatusNotFound)
	})
	mux.HandleFunc("POST /subscribers/import", func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Subscribers []*storedSubscriber }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		f.importAll(body.Subscribers)
		answer(w, ok)
	})
	mux.HandleFunc("POST /provision/activate", func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Product   int `json:"contentSupplierProduct"`
			Documents []string
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, d := range body.Documents {
			f.step()
			if s := f.byDocument[d]; s != nil {
				s.activate(body.Product)
			}
		}
		f.step()
		answer(w, ok)
	})
	s := httptest.NewUnstartedServer(mux)
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
	return s.URL
}

func newServerWithoutIdempotency(t *testing.T) (*serverWithoutIdempotency, *processFixture) {
	t.Helper()
	f := &serverWithoutIdempotency{subscribers: []*storedSubscriber{}, byDocument: map[string]*storedSubscriber{}}
	w := homeOnly(t, t.TempDir())
	w.Env = []string{"HOME=" + w.Dir, "LANG=C.UTF-8", "PAGER=cat", "ATIVA_SERVER=" + f.start(t), "ATIVA_ACCESS_TOKEN=secret"}
	return f, w
}

// check wants each row once, with each of its products once.
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

// TestAnImportWithoutIdempotencyIsExact breaks off answers at random steps and
// kills the command line now and then.
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
		// A request of a dead process that takes effect after the next has read back
		// cannot be told by a server without keys.
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
