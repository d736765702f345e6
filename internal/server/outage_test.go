package server_test

import (
	"log/slog"
	"net/http/httptest"
	"testing"

	"ativa/internal/provision"
	"ativa/internal/server"
	"ativa/internal/store"
	"ativa/internal/store/pgtest"
)

// A database that goes away is a 503 that says when to come back, and needs no
// restart when it is there again.
func TestADatabaseThatGoesAwayIs503AndComesBack(t *testing.T) {
	t.Parallel()
	pgtest.Only(t, "postgres", "a file does not go away")
	f := newFixture(t)
	proxy := pgtest.NewProxy(t, f.dsn)
	db, err := store.Open(t.Context(), proxy.URL, store.Options{Exclusive: true})
	f.must(err)
	t.Cleanup(func() { f.must(db.Close()) })
	m := provision.NewManager(db, provision.Options{Clock: f.clock})
	behind := httptest.NewServer(server.New(m, server.Options{Clock: f.clock, Log: slog.New(slog.DiscardHandler), DatabaseFault: store.Fault}))
	t.Cleanup(behind.Close)
	f.http = behind
	for _, away := range []bool{false, true, false} {
		if away {
			proxy.Cut()
		}
		for _, c := range []struct {
			method, path, body string
			status             int
		}{
			{"GET", "/subscribers", "", 200},
			{"GET", "/products", "", 200},
			{"GET", "/subscribers/search/ana", "", 200},
			{"GET", "/events", "", 200},
			{"GET", "/subscribers/" + doc(1), "", 404},
			{"POST", "/provision/activate", batch(basic, 1), 422},
			{"POST", "/authenticate", `{"access_token":"` + f.access + `"}`, 200},
		} {
			r := f.do(c.method, c.path, c.body)
			if !away {
				r.want(c.status)
				continue
			}
			r.want(503, "unavailable")
			if r.header.Get("Retry-After") == "" {
				t.Errorf("%s %s: no Retry-After", c.method, c.path)
			}
		}
		if away {
			proxy.Restore(t)
		}
	}
}
