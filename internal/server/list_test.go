package server_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"

	"ativa/internal/api"
	"ativa/internal/provision"
	"ativa/internal/server"
)

func TestThePlainListHoldsAllSubscribersWithTheirServices(t *testing.T) {
	w := newWorld(t)
	w.do("GET", "/subscribers", "").want(200).has(map[string]string{"subscribers": "[]", "response": "success"})
	w.register(1, 700, basic)
	w.register(701, 701)
	r := w.do("GET", "/api/subscribers", "").want(200).has(map[string]string{
		"response": "success", "subscribers.0.document": doc(1), "subscribers.700.document": doc(701), "subscribers.700.services": "[]",
		"subscribers.699.services.0.content_supplier_product_code": "play-basic",
		"subscribers.699.services.0.token_created_at":              "2026-01-31T12:00:00.000000Z",
	})
	if len(r.body) < 2*server.StreamBuffer {
		t.Fatalf("the list is too short to be sent in pieces: %d bytes", len(r.body))
	}
}

func TestAListThatBreaksNeverLooksWhole(t *testing.T) {
	w := newWorld(t)
	w.register(1, 700, basic)
	w.store.each = func(n int) error {
		if n == 600 {
			return errors.New("the disk is gone")
		}
		return nil
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.http.URL+"/subscribers", nil)
	w.must(err)
	req.Header.Set("Authorization", "Bearer "+w.bearer)
	res, err := http.DefaultClient.Do(req)
	w.must(err)
	defer res.Body.Close()
	if b, err := io.ReadAll(res.Body); err == nil {
		t.Errorf("got %d bytes without an error, want a broken connection", len(b))
	}
	w.store.each = func(int) error { return errors.New("the disk is gone") }
	w.do("GET", "/subscribers", "").want(500, api.CodeInternal)
}

func BenchmarkThePlainList(b *testing.B) {
	w := newWorld(b)
	for from := 1; from < 20_000; from += 1000 {
		w.register(from, from+999, basic)
	}
	for b.Loop() {
		if _, err := w.send("GET", "/subscribers", ""); err != nil {
			b.Fatal(err)
		}
	}
}

func TestAStoreThatCannotTakeARequestNowIsUnavailable(t *testing.T) {
	w := newWorld(t)
	w.store.update = func() error { return &provision.Error{Code: provision.Unavailable, Message: "the queue is full"} }
	r := w.do("POST", "/subscribers", subscriber(1)).want(503, api.CodeUnavailable)
	if r.header.Get("Retry-After") != "1" {
		t.Errorf("Retry-After: got %q, want 1", r.header.Get("Retry-After"))
	}
	w.store.update = func() error { return fmt.Errorf("UNIQUE constraint failed for %s", doc(1)) }
	w.do("POST", "/subscribers", subscriber(1)).want(500, api.CodeInternal)
	w.store.update = func() error { panic("a bug") }
	w.do("POST", "/subscribers", subscriber(1)).want(500, api.CodeInternal)
	w.store.update = nil
	w.do("POST", "/subscribers", subscriber(1)).want(201)
}
