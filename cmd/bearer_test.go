package cmd

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"ativa/internal/api"
)

// countConnections puts a counter of the requests to /authenticate before the service.
func countConnections(t *testing.T, target string) (address string, count *atomic.Int32) {
	t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	count = &atomic.Int32{}
	proxy := httputil.NewSingleHostReverseProxy(u)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, api.PathAuthenticate) {
			count.Add(1)
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, count
}

func TestTwentyRunsAuthenticateOnce(t *testing.T) {
	w := newExampleTemplate(t).copy(t)
	products := func(address string) *exec.Cmd {
		c := exec.CommandContext(t.Context(), "ativa", "products", "--server", address)
		c.Dir, c.Env = w.dir, w.env
		return c
	}
	address, count := countConnections(t, w.url)
	var parallel sync.WaitGroup
	for range 10 {
		parallel.Go(func() {
			if out, err := products(address).CombinedOutput(); err != nil || !strings.Contains(string(out), "play-basic") {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	parallel.Wait()
	for range 10 {
		if out, err := products(address).CombinedOutput(); err != nil || !strings.Contains(string(out), "play-basic") {
			t.Errorf("%v: %s", err, out)
		}
	}
	if got := count.Load(); got != 1 {
		t.Errorf("authenticated %d times, want once", got)
	}
}
