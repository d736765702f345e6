package outbox_test

import (
	"net/http"
	"testing"

	"ativa/internal/api/apitest"
)

// newNetwork returns a network in memory, so that virtual time passes while a test waits for a
// response. hosts handles the requests to its hosts.
func newNetwork(t *testing.T) (n *apitest.Network, hosts *http.ServeMux) {
	n, hosts = apitest.NewNetwork(), http.NewServeMux()
	s := &http.Server{Handler: hosts}
	go s.Serve(n)
	t.Cleanup(func() { s.Close() })
	return n, hosts
}

// serve answers HTTP at a host and returns its URL.
func (f *fixture) serve(host string, h http.Handler) string {
	f.hosts.Handle(host+"/", h)
	return "http://" + host + "/hook"
}
