package cmd

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/cli"
	"ativa/internal/processtest"
)

// serverWithoutIdempotency has no idempotency keys, reports no rows of an import, is not atomic,
// aborts at any step, and activates a product twice. It counts its open connections.
type serverWithoutIdempotency struct {
	*apitest.Server
	connections atomic.Int32
	address     string
}

func newServerWithoutIdempotency(t *testing.T) (*serverWithoutIdempotency, *processFixture) {
	t.Helper()
	f := &serverWithoutIdempotency{Server: apitest.New("")}
	f.Products = []api.Product{apitest.Product(1, "P1", "p1"), apitest.Product(3, "P3", "p3")}
	s := httptest.NewUnstartedServer(f)
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
	w := &processFixture{&processtest.Fixture{T: t, Dir: t.TempDir()}}
	w.Env = []string{"HOME=" + w.Dir, "LANG=C.UTF-8", "PAGER=cat", "ATIVA_SERVER=" + f.address, "ATIVA_ACCESS_TOKEN=secret"}
	return f, w
}

// acceptAll returns when the server has accepted, and so counted, every connection made before.
func (f *serverWithoutIdempotency) acceptAll(t *testing.T) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, f.address+"/products", http.NoBody)
	must(t, err)
	request.Close = true
	response, err := http.DefaultClient.Do(request)
	must(t, err)
	_ = response.Body.Close()
}

// check checks that each row and each of its products exists once.
func (f *serverWithoutIdempotency) check(t *testing.T, rows int) {
	t.Helper()
	f.Lock()
	defer f.Unlock()
	if len(f.Subscribers) != rows {
		t.Errorf("got %d subscribers, want %d", len(f.Subscribers), rows)
	}
	wrong := 0
	for _, s := range f.Subscribers {
		var i int
		if _, err := fmt.Sscanf(s.Name, "Pessoa %d", &i); err != nil {
			t.Fatal(err)
		}
		want, got := []api.Int{1}, []api.Int{}
		if i%3 == 0 {
			want = []api.Int{1, 3}
		}
		for _, service := range s.Services {
			got = append(got, service.ProductID)
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
	file := w.WriteRows(0, rows)
	f.checkExact(t, w, rows, file, "subscribers", "import", file, "--batch-size", "50", "--rate", strconv.Itoa(2*rows), "--quiet")
}

// A sync is as exact as an import.
func TestASyncWithoutIdempotencyIsExact(t *testing.T) {
	t.Parallel()
	rows := processtest.FromEnv(t, "ATIVA_KILL_ROWS", 500)
	f, w := newServerWithoutIdempotency(t)
	file := w.WriteRows(0, rows)
	f.checkExact(t, w, rows, file, "sync", file, "--yes", "--batch-size", "20", "--rate", strconv.Itoa(2*rows), "--quiet")
}

// checkExact runs a command that registers the rows of a file until it succeeds.
func (f *serverWithoutIdempotency) checkExact(t *testing.T, w *processFixture, rows int, file string, args ...string) {
	t.Helper()
	chance := rand.New(rand.NewPCG(1, 2))
	f.BreakOff = func() bool { return chance.IntN(60) == 0 }
	for run := range 200 {
		c := w.Command(args...)
		must(t, c.Start())
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
