package simulation_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"ativa/internal/api"
	"ativa/internal/service/domain"
	"ativa/internal/service/outbox"
	"ativa/internal/service/server"
	"ativa/internal/service/servicetest"
	"ativa/internal/service/store"
)

const (
	serviceAddress = "localhost:8080" // the load balancer before the servers
	mailAddress    = "localhost:25"
	publicURL      = "http://" + serviceAddress
	bearerToken    = "a bearer token"
)

// instance is one server process: the real handlers, rules and workers.
type instance struct {
	w      *week
	name   string
	store  *slowStore
	api    *server.Server
	http   *http.Server
	cancel context.CancelFunc
	done   chan struct{} // closed when its workers have ended
}

// open opens the database, like the first server that starts.
func (w *week) open() {
	db, err := store.Open(context.Background(), "sqlite:"+w.path, store.Options{Exclusive: true})
	w.must(err)
	w.opened.Lock()
	w.db = db
	w.opened.Unlock()
}

// start starts a server on the shared store.
func (w *week) start(name string) *instance {
	i := &instance{w: w, name: name, done: make(chan struct{})}
	i.store = &slowStore{Store: w.db, w: w, name: name, die: func() { i.die() }}
	var worker *outbox.Worker
	manager := servicetest.New(i.store, servicetest.Options{Clock: w.now, ConfirmTimeout: confirmWithin,
		Wake: func() { worker.Wake() }, WakeFeed: func() { worker.WakeFeed() }})
	log := slog.New(slog.NewTextHandler(&w.logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	mail, err := outbox.ParseMailServer("smtp://"+mailAddress, "")
	w.must(err)
	mailer, err := outbox.NewSMTPMailer(mail, "ativacao@provedor.example")
	w.must(err)
	mailer.DialWith(w.network.dialer(name))
	worker = outbox.New(manager.Queue, manager.Feeds, manager, outbox.Options{
		Mailer: mailer, PublicURL: publicURL, Log: log, EncodeEvents: server.EncodeEvents, Purge: manager.Purge, RecordUse: manager.RecordUse, Transport: w.network.transport(name),
		Random: func() float64 { return w.chance.float("worker " + name) },
	})
	i.api = server.New(manager.Parts(), server.Options{PublicURL: publicURL, Log: log, DatabaseFault: store.Fault})
	i.http = server.NewHTTPServer(w.faults.handler(&front{w: w, name: name, api: i.api}, log), log)
	var work context.Context
	work, i.cancel = context.WithCancel(context.Background())
	listener := w.network.listen(name, name+":80")
	go func() { defer close(i.done); worker.Run(work) }()
	go func() { _ = i.http.Serve(listener) }()
	w.note(name, "starts")
	return i
}

// stop ends a server as SIGTERM does.
func (i *instance) stop() {
	i.w.note(i.name, "stops")
	i.api.BeginShutdown()
	i.cancel()
	_ = i.http.Shutdown(context.Background())
	<-i.done
	i.store.kill()
}

// kill ends a server like SIGKILL: nothing it does from now on has an effect.
func (i *instance) kill() {
	if !i.store.isDead() {
		i.w.note(i.name, "is killed")
		i.store.kill()
	}
}

func (i *instance) die() {
	i.w.kills++
	i.w.network.kill(i.name)
	i.cancel()
	go func() { _ = i.http.Close() }()
}

// reopen leaves the database as after a crash of all servers: the file and its write-ahead log at
// this instant, without a checkpoint.
func (w *week) reopen() {
	w.note("disk", "the database is opened again")
	next := filepath.Join(w.t.TempDir(), "ativa.db")
	for _, part := range []string{"", "-wal"} {
		if part != "" && w.faults.name == "a crash loses the write-ahead log" {
			continue
		}
		b, err := os.ReadFile(w.path + part)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		w.must(err)
		w.must(os.WriteFile(next+part, b, 0o600))
	}
	w.opened.Lock()
	w.must(w.db.Close())
	w.db = nil
	w.opened.Unlock()
	w.path = next
	w.open()
}

// lastEvent returns the provider's newest event, which tells the order of events when clocks jump.
// ok is false while the database is opened again.
func (w *week) lastEvent(p domain.ProviderID) (last domain.EventID, ok bool) {
	w.opened.Lock()
	defer w.opened.Unlock()
	if w.db == nil {
		return 0, false
	}
	last, err := w.db.LastEvent(context.Background(), p)
	w.must(err)
	return last, true
}

// front records what the servers acknowledge.
type front struct {
	w    *week
	name string
	api  http.Handler
}

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		f.api.ServeHTTP(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	path := strings.TrimPrefix(r.URL.Path, api.Prefix)
	link := strings.HasPrefix(path, "/activate/")
	ctx := r.Context()
	if !link { // those of links cannot be told apart
		ctx = context.WithValue(ctx, requestName{}, fmt.Sprint(f.name, path, string(body)))
	}
	r = r.WithContext(ctx)
	r.Body = io.NopCloser(bytes.NewReader(body))
	a := httptest.NewRecorder()
	f.api.ServeHTTP(a, r)
	if link {
		f.w.followed(path[len("/activate/"):], a)
		path = "/activate/…"
	}
	f.w.note(f.name, "answers %s %s with %d", r.Method, path, a.Code)
	f.w.acknowledged(path, r, body, a)
	maps.Copy(w.Header(), a.Header())
	w.WriteHeader(a.Code)
	_, _ = w.Write(a.Body.Bytes())
}

// acknowledged records what a server has acknowledged.
func (w *week) acknowledged(path string, r *http.Request, body []byte, a *httptest.ResponseRecorder) {
	if a.Code != http.StatusOK {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.bearers[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
	switch path {
	case api.PathAuthenticate:
		var res struct {
			Authorization struct{ Token string }
		}
		if json.Unmarshal(a.Body.Bytes(), &res) == nil && res.Authorization.Token != "" {
			for _, p := range w.providers {
				if bytes.Contains(body, []byte(p.token)) {
					w.bearers[res.Authorization.Token] = p
				}
			}
			w.secrets[res.Authorization.Token] = bearerToken
		}
	case api.PathImport:
		var res api.ImportResponse
		if p != nil && json.Unmarshal(a.Body.Bytes(), &res) == nil {
			for _, one := range res.Results {
				if one.Result == api.ResultCreated || one.Result == api.ResultExisting {
					p.acknowledged[one.Document] = true
				}
			}
		}
	case api.PathSuspend, api.PathDeactivate, api.PathActivate, api.PathOverdue, api.PathSettle:
		var res api.BatchResponse
		if p != nil && json.Unmarshal(a.Body.Bytes(), &res) == nil {
			for _, one := range res.Results {
				if one.OperationID != "" {
					p.operations[one.OperationID] = true
				}
			}
		}
	}
}
