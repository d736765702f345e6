package run_test

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/client"
	"ativa/internal/run"
)

// slowServer finishes a request after the client's time-out, and refuses a key that it is
// processing.
type slowServer struct {
	*apitest.Server
	takes   time.Duration // of a write
	arrived []int         // the number of rows of each request

	mu      sync.Mutex
	running map[string]bool // by idempotency key
}

func newSlowServer(takes time.Duration) *slowServer {
	return &slowServer{Server: apitest.New(allExtensions), takes: takes, running: map[string]bool{}}
}

func (n *slowServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if r.Method == http.MethodGet {
		n.Server.ServeHTTP(w, r)
		return
	}
	key := r.Header.Get(api.HeaderIdempotencyKey)
	n.mu.Lock()
	n.arrived = append(n.arrived, bytes.Count(body, []byte(`"document"`)))
	running := n.running[key]
	n.running[key] = true
	n.mu.Unlock()
	if running {
		w.Header().Set("Retry-After", "1")
		http.Error(w, `{"response":"error","code":"`+api.CodeRequestInProgress+`"}`, http.StatusConflict)
		return
	}
	if !n.HasStored(key) {
		time.Sleep(n.takes)
	}
	n.Server.ServeHTTP(w, r)
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.running, key)
}

// client returns a client that waits two seconds.
func (n *slowServer) client(t *testing.T) *client.Client {
	t.Helper()
	c := apitest.ServeInBubble(t, n, client.Options{Timeout: 2 * time.Second})
	if _, err := c.Statuses(t.Context()); err != nil { // the answer names the extensions
		t.Fatal(err)
	}
	return c
}

// Rows whose request takes longer than the client's time-out are reported as created, not as
// existing. If the request takes far longer, the run ends, and the same command resumes
// it.
func TestARequestSlowerThanTheTimeoutIsRepeated(t *testing.T) {
	for takes, want := range map[time.Duration]string{2500 * time.Millisecond: api.ResultCreated, 3500 * time.Millisecond: api.ResultCreated, time.Minute: ""} {
		t.Run(takes.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newSlowServer(takes)
				got, err := collect(t, &run.Import{Client: n.client(t)}, file(documents(100)...), run.Options{Idempotency: true})
				for _, d := range documents(100) {
					if got[d].Kind != want {
						t.Errorf("%s: got %+v, want it %q", d, got[d].Result, want)
					}
				}
				if client.HasCode(err, api.CodeRequestInProgress) != (want == "") || want != "" && err != nil {
					t.Errorf("got %v", err)
				}
				time.Sleep(takes) // the running request ends
				synctest.Wait()
				if len(n.CarriedOut) != 1 || !slices.Equal(slices.Compact(n.arrived), []int{100}) {
					t.Errorf("got requests of %v rows, %d carried out, want the same one", n.arrived, len(n.CarriedOut))
				}
			})
		})
	}
}
