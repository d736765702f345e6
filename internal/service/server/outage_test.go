package server_test

import (
	"bytes"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ativa/internal/api"
	"ativa/internal/service/server"
	"ativa/internal/service/servicetest"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
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
	m := servicetest.New(db, servicetest.Options{Clock: f.clock})
	behind := httptest.NewServer(server.New(m.Parts(), server.Options{Clock: f.clock, Log: slog.New(slog.DiscardHandler), DatabaseFault: store.Fault}))
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

// A PostgreSQL that takes no writes any more, as a standby that was promoted away from,
// is named as such: reads go on, writes are 503 with their cause.
func TestAReadOnlyPostgresAnswersReads(t *testing.T) {
	t.Parallel()
	pgtest.Only(t, "postgres", "a file has no such state")
	f := newFixture(t)
	f.register(1, 1, basic)
	u, err := url.Parse(f.dsn)
	f.must(err)
	q := u.Query()
	q.Set("default_transaction_read_only", "on")
	u.RawQuery = q.Encode()
	db, err := store.Open(t.Context(), u.String(), store.Options{})
	f.must(err)
	t.Cleanup(func() { f.must(db.Close()) })
	m := servicetest.New(db, servicetest.Options{Clock: f.clock})
	f.http = httptest.NewServer(server.New(m.Parts(), server.Options{Clock: f.clock, Log: slog.New(slog.DiscardHandler), DatabaseFault: store.Fault, Ready: db.Ready}))
	t.Cleanup(f.http.Close)
	f.do("GET", "/subscribers/"+doc(1), "").want(200)
	for path, body := range map[string]string{"/subscribers": subscriber(2), "/provision/suspend": batch(basic, 1)} {
		r := f.do("POST", path, body).want(503, api.CodeUnavailable)
		if detail := r.text("detail"); !strings.Contains(detail, "read-only") || r.header.Get("Retry-After") == "" {
			t.Errorf("POST %s: got %s, want that the database is read-only, and Retry-After", path, r.body)
		}
	}
	if ready := f.do("GET", "/readyz", "").want(503, api.CodeUnavailable); !strings.Contains(ready.text("detail"), "read-only") {
		t.Errorf("/readyz: got %s, want that the database is read-only", ready.body)
	}
}

// Damage that is found while a server serves ends all writing, by name; it says so to
// whoever distributes requests, and reads go on.
func TestDamageThatIsFoundWhileServingEndsWriting(t *testing.T) {
	t.Parallel()
	pgtest.Only(t, "sqlite", "PostgreSQL checks its own pages")
	f := newFixture(t)
	f.register(1, 50, basic)
	path := filepath.Join(t.TempDir(), "damaged.db")
	f.must(store.Backup(t.Context(), f.dsn, path))
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	f.must(err)
	info, err := file.Stat()
	f.must(err)
	_, err = file.WriteAt(bytes.Repeat([]byte{0xa5}, 4096), info.Size()-4096)
	f.must(err)
	f.must(file.Close())
	found := make(chan error, 1)
	db, err := store.Open(t.Context(), "sqlite:"+path, store.Options{Exclusive: true, Damaged: func(err error) { found <- err }})
	f.must(err)
	t.Cleanup(func() { f.must(db.Close()) })
	<-found
	m := servicetest.New(db, servicetest.Options{Clock: f.clock})
	f.http = httptest.NewServer(server.New(m.Parts(), server.Options{Clock: f.clock, Log: slog.New(slog.DiscardHandler), DatabaseFault: store.Fault, Ready: db.Ready}))
	t.Cleanup(f.http.Close)
	for path, body := range map[string]string{"/subscribers": subscriber(99), "/provision/suspend": batch(basic, 1), "/subscribers/import": rows(subscriber(98))} {
		if r := f.do("POST", path, body).want(503, "unavailable"); r.header.Get("Retry-After") == "" || !strings.Contains(r.text("detail"), "damaged") {
			t.Errorf("POST %s: got %s, want that the database is damaged, and Retry-After", path, r.body)
		}
	}
	f.do("GET", "/readyz", "").want(503)
	for _, path := range []string{"/subscribers/" + doc(1), "/products", "/subscribers"} {
		f.do("GET", path, "").want(200)
	}
}
