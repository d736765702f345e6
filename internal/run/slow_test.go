package run_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
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

// slowNetwork carries requests to a server that finishes a request after the client's time-out,
// and refuses a key that it is processing.
type slowNetwork struct {
	server  *apitest.Server
	takes   time.Duration // of a write
	arrived []int         // the number of rows of each request

	mu      sync.Mutex
	running map[string]bool // by idempotency key
}

func (n *slowNetwork) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	httptrace.ContextClientTrace(r.Context()).GotConn(httptrace.GotConnInfo{})
	there := r.Clone(context.WithoutCancel(r.Context()))
	there.Header, there.Body = http.Header{}, io.NopCloser(bytes.NewReader(body))
	for name, values := range r.Header { // as they arrive over a network
		there.Header[http.CanonicalHeaderKey(name)] = values
	}
	answer := make(chan *http.Response, 1)
	go func() {
		w := httptest.NewRecorder()
		n.serve(w, there, bytes.Count(body, []byte(`"document"`)))
		answer <- w.Result()
	}()
	select {
	case a := <-answer:
		return a, nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

func (n *slowNetwork) serve(w http.ResponseWriter, r *http.Request, rows int) {
	if r.Method == http.MethodGet {
		n.server.ServeHTTP(w, r)
		return
	}
	key := r.Header.Get(api.HeaderIdempotencyKey)
	n.mu.Lock()
	n.arrived = append(n.arrived, rows)
	running := n.running[key]
	n.running[key] = true
	n.mu.Unlock()
	if running {
		w.Header().Set("Retry-After", "1")
		http.Error(w, `{"response":"error","code":"`+api.CodeRequestInProgress+`"}`, http.StatusConflict)
		return
	}
	if !n.server.HasStored(key) {
		time.Sleep(n.takes)
	}
	n.server.ServeHTTP(w, r)
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.running, key)
}

// client returns a client that waits two seconds.
func (n *slowNetwork) client(t *testing.T) *client.Client {
	t.Helper()
	c := apitest.Client(t, client.Options{Server: "http://localhost", Timeout: 2 * time.Second,
		Transport: func(*http.Transport) http.RoundTripper { return n }})
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
				n := &slowNetwork{server: apitest.New(allExtensions), takes: takes, running: map[string]bool{}}
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
				if len(n.server.CarriedOut) != 1 || !slices.Equal(slices.Compact(n.arrived), []int{100}) {
					t.Errorf("got requests of %v rows, %d carried out, want the same one", n.arrived, len(n.server.CarriedOut))
				}
			})
		})
	}
}
