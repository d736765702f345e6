package outbox_test

import (
	"net/http"
	"sync"
	"testing"

	"ativa/internal/api/apitest"
)

// network is the hosts of a network in memory, so that virtual time passes while a test waits for a
// response.
type network struct {
	*apitest.Network
	mu    sync.Mutex
	hosts map[string]http.Handler
}

func newNetwork(t *testing.T) *network {
	n := &network{Network: apitest.NewNetwork(), hosts: map[string]http.Handler{}}
	s := &http.Server{Handler: n}
	go s.Serve(n.Network)
	t.Cleanup(func() { s.Close() })
	return n
}

func (n *network) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	h := n.hosts[r.Host]
	n.mu.Unlock()
	if h == nil {
		h = http.NotFoundHandler()
	}
	h.ServeHTTP(w, r)
}

// serve answers HTTP at a host and returns its URL.
func (f *fixture) serve(host string, h http.Handler) string {
	f.network.mu.Lock()
	defer f.network.mu.Unlock()
	f.network.hosts[host] = h
	return "http://" + host + "/hook"
}
