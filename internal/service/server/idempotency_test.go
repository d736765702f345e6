package server_test

import (
	"bytes"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"ativa/internal/api"
)

// writes are the routes that honour Idempotency-Key, each with a subscriber for whom its request
// succeeds: 1 has an e-mail, 2 is registered, 4 is active, and others are new.
func writes() map[string]int {
	return map[string]int{
		"POST /subscribers": 50, "POST /subscribers/import": 50, "PUT /subscribers/{document}": 1, "DELETE /subscribers/{document}": 2,
		"POST /subscribers/resend_activation_email": 1, "POST /subscribers/resend_activation_email/{product}": 1,
		"POST /provision/activate": 2, "POST /provision/suspend": 4, "POST /provision/deactivate": 4, "POST /provision/overdue": 4, "POST /provision/settle": 4,
		"POST /provision/change": 4, "POST /provision/schedule": 4, "DELETE /provision/schedule/{id}": 4,
	}
}

func TestEveryWriteIsRepeatedFromItsStoredAnswer(t *testing.T) {
	t.Parallel()
	for name, n := range writes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.register(1, 1, basic)
			f.register(2, 2)
			f.activate(4, basic)
			f.do("POST", "/provision/schedule", scheduled("settle", basic, laterOn, 4)).want(200)
			method, _, _ := strings.Cut(name, " ")
			r := routeRequests()[name].about(n)
			first := f.do(method, r.path, r.body, "Idempotency-Key: k")
			if first.status >= 300 || first.header.Get(api.HeaderIdempotencyReplayed) != "" {
				t.Fatalf("first: got %d %s, want a success of its own", first.status, first.body)
			}
			for _, path := range []string{r.path, api.Prefix + r.path} {
				again := f.do(method, path, r.body, "Idempotency-Key: k").want(first.status)
				if !bytes.Equal(again.body, first.body) || strings.TrimPrefix(again.header.Get("Location"), api.Prefix) != first.header.Get("Location") {
					t.Errorf("again: got %s, want %s", again.body, first.body)
				}
				if again.header.Get(api.HeaderIdempotencyReplayed) != "true" {
					t.Error("again: not marked as replayed")
				}
			}
			if other := strings.NewReplacer(doc(n), doc(9), "Nova", "Outra").Replace(r.body); other != r.body {
				f.do(method, r.path, other, "Idempotency-Key: k").want(422, api.CodeIdempotencyKeyReused)
			}
			f.do(method, r.path, r.body, "Idempotency-Key: "+strings.Repeat("x", 256)).want(422, api.CodeValidationFailed)
			if r := f.do(method, r.path, r.body, "Idempotency-Key: "+strings.Repeat("x", 255)); strings.Contains(string(r.body), api.HeaderIdempotencyKey) {
				t.Errorf("a key of 255 characters: got %s", r.body)
			}

			for late, replayed := range []string{"true", ""} { // kept for 7 days; then the key is new
				f.advance(7*24*time.Hour*time.Duration(1-late) + time.Second*time.Duration(late))
				f.bearer = f.login(f.access)
				f.must(f.m.Purge(t.Context()))
				if r := f.do(method, r.path, r.body, "Idempotency-Key: k"); r.header.Get(api.HeaderIdempotencyReplayed) != replayed {
					t.Errorf("7 days and %d s later: replayed: got %q, want %q: %s", late, r.header.Get(api.HeaderIdempotencyReplayed), replayed, r.body)
				}
			}
		})
	}
	for _, r := range newFixture(t).server.Routes() {
		if name := r.Method + " " + r.Path; r.Write != (writes()[name] > 0) {
			t.Errorf("%s: honours Idempotency-Key: %t, has a case: %t", name, r.Write, writes()[name] > 0)
		}
	}
}

func TestAKeyBelongsToItsProvider(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	p := f.p
	p.ID, p.Name = 0, "Outro"
	_, access := f.provider(p)
	f.do("POST", "/subscribers", subscriber(1), "Idempotency-Key: k").want(201)
	r := f.do("POST", "/subscribers", subscriber(1), "Idempotency-Key: k", "Authorization: Bearer "+f.login(access)).want(201)
	if r.header.Get(api.HeaderIdempotencyReplayed) != "" {
		t.Error("another provider got the stored answer")
	}
}

func TestARefusalIsNotStored(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	key := "Idempotency-Key: k"
	f.do("PUT", "/subscribers/"+doc(1), `{"name":"Nova"}`, key).want(404)
	f.do("POST", "/provision/activate", batch(basic, 1), key).want(422, api.CodeBatchFailed)
	f.register(1, 1)
	f.do("PUT", "/subscribers/"+doc(1), `{"name":"Nova"}`, key).want(200)
	f.do("POST", "/provision/activate", batch(basic, 1), key).want(200)
}

func TestAThousandRequestsWithOneKeyHaveOneEffect(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	body := rows(subscriber(1, "products_ids", "[1]"))
	var wait sync.WaitGroup
	var mu sync.Mutex
	seen := map[int]int{}
	fresh := 0
	limit := make(chan struct{}, 64)
	for range 1000 {
		wait.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			r, err := f.send("POST", "/subscribers/import", body, "Idempotency-Key: one")
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			seen[r.status]++
			if r.status == http.StatusOK && r.header.Get(api.HeaderIdempotencyReplayed) == "" {
				fresh++
			}
			if r.status == http.StatusConflict && (r.text("code") != api.CodeRequestInProgress || r.header.Get("Retry-After") == "") {
				t.Errorf("got %s, want request_in_progress with Retry-After", r.body)
			}
		})
	}
	wait.Wait()
	if fresh != 1 || seen[200]+seen[409] != 1000 {
		t.Errorf("got %d effects and %v, want one effect, and 200 or 409 only", fresh, seen)
	}
	if n := len(f.links()); n != 1 {
		t.Errorf("got %d e-mails, want 1", n)
	}
}
