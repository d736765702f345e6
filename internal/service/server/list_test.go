package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/service/domain"
	"ativa/internal/service/server"
)

func TestThePlainListHoldsAllSubscribersWithTheirServices(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.do("GET", "/subscribers", "").want(200).has(map[string]string{"subscribers": "[]", "response": "success"})
	f.register(1, 700, basic)
	f.register(701, 701)
	r := f.do("GET", "/api/subscribers", "").want(200).has(map[string]string{
		"response": "success", "subscribers.0.document": doc(1), "subscribers.700.document": doc(701), "subscribers.700.services": "[]",
		"subscribers.699.services.0.content_supplier_product_code": "play-basic",
		"subscribers.699.services.0.token_created_at":              "2026-01-31T12:00:00.000000Z",
	})
	if len(r.body) < 2*server.StreamBuffer {
		t.Fatalf("the list is too short to be sent in pieces: %d bytes", len(r.body))
	}
}

// heapInUse is the size of the heap after a collection.
func heapInUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// The plain list of a hundred thousand subscribers, some 30 MB, needs no more
// memory at its end than at its beginning. That the store holds nothing
// either is a test of its own.
func TestThePlainListNeedsTheSameMemoryForAnyNumber(t *testing.T) {
	const all = 100_000
	f := newFixture(t)
	f.register(1, 10, basic)
	f.store.times = all / 10
	var before, after int64
	f.store.each = func(_ context.Context, n int) error {
		switch n {
		case 1000:
			before = heapInUse()
		case all - 1000:
			after = heapInUse()
		}
		return nil
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, f.http.URL+"/subscribers", nil)
	f.must(err)
	req.Header.Set("Authorization", "Bearer "+f.bearer)
	res, err := http.DefaultClient.Do(req)
	f.must(err)
	defer res.Body.Close()
	n, err := io.Copy(io.Discard, res.Body)
	if err != nil || n < 200*all {
		t.Fatalf("got %d bytes, %v", n, err)
	}
	if grown := after - before; before == 0 || grown > 4<<20 {
		t.Errorf("memory grew by %d KiB in a list of %d MiB", grown>>10, n>>20)
	}
}

func TestAListThatBreaksNeverLooksWhole(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.register(1, 700, basic)
	f.store.each = func(_ context.Context, n int) error {
		if n == 600 {
			return errors.New("the disk is gone")
		}
		return nil
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, f.http.URL+"/subscribers", nil)
	f.must(err)
	req.Header.Set("Authorization", "Bearer "+f.bearer)
	res, err := http.DefaultClient.Do(req)
	f.must(err)
	defer res.Body.Close()
	if b, err := io.ReadAll(res.Body); err == nil {
		t.Errorf("got %d bytes without an error, want a broken connection", len(b))
	}
	f.store.each = func(context.Context, int) error { return errors.New("the disk is gone") }
	f.do("GET", "/subscribers", "").want(500, api.CodeInternal)
}

// deadlineListener keeps the read deadline that its newest connection has.
type deadlineListener struct {
	net.Listener
	deadline atomic.Pointer[time.Time]
}

func (l *deadlineListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	return deadlineConn{conn, l}, err
}

type deadlineConn struct {
	net.Conn
	of *deadlineListener
}

func (c deadlineConn) SetReadDeadline(t time.Time) error {
	c.of.deadline.Store(&t)
	return c.Conn.SetReadDeadline(t)
}

// The time-out for reading a request does not bound the time of its response.
func TestALongDownloadOutlivesTheTimeToReadARequest(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.register(1, 700, basic)
	long := httptest.NewUnstartedServer(f.server)
	long.Config = server.NewHTTPServer(f.server, "", nil)
	l := &deadlineListener{Listener: long.Listener}
	long.Listener = l
	long.Start()
	defer long.Close()
	f.http = long
	unbounded := func(what string) {
		if d := l.deadline.Load(); d == nil || !d.IsZero() {
			t.Errorf("%s: the connection is read until %v, want no deadline", what, d)
		}
	}
	f.store.each = func(ctx context.Context, n int) error {
		if n == 600 {
			unbounded("the plain list")
		}
		return ctx.Err()
	}
	f.do("GET", "/subscribers", "").want(200).has(map[string]string{"subscribers.699.document": doc(700)})
	f.store.update = func(ctx context.Context) error {
		unbounded("a write")
		return ctx.Err()
	}
	f.do("POST", "/subscribers", subscriber(701)).want(201)
}

func TestAStoreThatCannotTakeARequestNowIsUnavailable(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.store.update = func(context.Context) error {
		return &domain.Error{Code: domain.Unavailable, Message: "the queue is full"}
	}
	r := f.do("POST", "/subscribers", subscriber(1)).want(503, api.CodeUnavailable)
	if r.header.Get("Retry-After") != "1" {
		t.Errorf("Retry-After: got %q, want 1", r.header.Get("Retry-After"))
	}
	f.store.update = func(context.Context) error { return fmt.Errorf("UNIQUE constraint failed for %s", doc(1)) }
	f.do("POST", "/subscribers", subscriber(1)).want(500, api.CodeInternal)
	f.store.update = func(context.Context) error { panic("a bug") }
	f.do("POST", "/subscribers", subscriber(1)).want(500, api.CodeInternal)
	f.store.update = nil
	f.do("POST", "/subscribers", subscriber(1)).want(201)
}
