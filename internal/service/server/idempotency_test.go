package server_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/service/domain"
	"ativa/internal/service/store/pgtest"
)

// writeRequests are requests of every route that honours Idempotency-Key, each with
// another body that is not a repetition.
func writeRequests() map[string][3]string {
	return map[string][3]string{
		"POST /subscribers":                                   {"/subscribers", subscriber(50), subscriber(51)},
		"PUT /subscribers/{document}":                         {"/subscribers/" + doc(1), `{"name":"Nova"}`, `{"name":"Outra"}`},
		"DELETE /subscribers/{document}":                      {"/subscribers/" + doc(2), "", ""}, // has no body that could be another
		"POST /subscribers/import":                            {"/subscribers/import", rows(subscriber(60, "products_ids", "[1]")), rows(subscriber(61))},
		"POST /subscribers/resend_activation_email":           {"/subscribers/resend_activation_email", `{"document":"` + doc(1) + `"}`, `{"document":"` + doc(3) + `"}`},
		"POST /subscribers/resend_activation_email/{product}": {"/subscribers/resend_activation_email/1", `{"document":"` + doc(1) + `"}`, `{"document":"` + doc(3) + `"}`},
		"POST /provision/activate":                            {"/provision/activate", batch(music, 1), batch(music, 3)},
		"POST /provision/suspend":                             {"/provision/suspend", batch(basic, 4), batch(basic, 5)},
		"POST /provision/deactivate":                          {"/provision/deactivate", batch(basic, 4), batch(basic, 5)},
		"POST /provision/overdue":                             {"/provision/overdue", batch(basic, 4), batch(basic, 5)},
		"POST /provision/settle":                              {"/provision/settle", batch(basic, 4), batch(basic, 5)},
		"POST /provision/schedule":                            {"/provision/schedule", scheduled("suspend", basic, laterOn, 4), scheduled("overdue", basic, laterOn, 4)},
		"DELETE /provision/schedule/{id}":                     {api.SchedulePath(domain.ScheduleID(1<<43 + 1).String()), "", ""},
		"POST /provision/change": {"/provision/change", `{"product_id":2,"previous_product_id":1,"document":"` + doc(4) + `"}`,
			`{"product_id":2,"previous_product_id":1,"document":"` + doc(5) + `"}`},
	}
}

func TestEveryWriteIsRepeatedFromItsStoredAnswer(t *testing.T) {
	t.Parallel()
	covered := map[string]bool{}
	for name, c := range writeRequests() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.register(1, 1, basic)
			f.register(2, 3)
			f.activate(4, basic)
			f.do("POST", "/provision/schedule", scheduled("settle", basic, laterOn, 4)).want(200)
			method, _, _ := strings.Cut(name, " ")
			first := f.do(method, c[0], c[1], "Idempotency-Key: k")
			if first.status >= 300 || first.header.Get(api.HeaderIdempotencyReplayed) != "" {
				t.Fatalf("first: got %d %s, want a success of its own", first.status, first.body)
			}
			for _, path := range []string{c[0], api.Prefix + c[0]} {
				again := f.do(method, path, c[1], "Idempotency-Key: k").want(first.status)
				if !bytes.Equal(again.body, first.body) || strings.TrimPrefix(again.header.Get("Location"), api.Prefix) != first.header.Get("Location") {
					t.Errorf("again: got %s, want %s", again.body, first.body)
				}
				if again.header.Get(api.HeaderIdempotencyReplayed) != "true" {
					t.Error("again: not marked as replayed")
				}
			}
			if c[2] != "" {
				f.do(method, c[0], c[2], "Idempotency-Key: k").want(422, api.CodeIdempotencyKeyReused)
			}
			f.do(method, c[0], c[1], "Idempotency-Key: "+strings.Repeat("x", 256)).want(422, api.CodeValidationFailed)
			if r := f.do(method, c[0], c[1], "Idempotency-Key: "+strings.Repeat("x", 255)); strings.Contains(string(r.body), api.HeaderIdempotencyKey) {
				t.Errorf("a key of 255 characters: got %s", r.body)
			}

			for late, replayed := range []string{"true", ""} { // kept for 7 days, and then it is a new request
				f.advance(7*24*time.Hour*time.Duration(1-late) + time.Second*time.Duration(late))
				f.bearer = f.login(f.access)
				f.must(f.m.Purge(t.Context()))
				if r := f.do(method, c[0], c[1], "Idempotency-Key: k"); r.header.Get(api.HeaderIdempotencyReplayed) != replayed {
					t.Errorf("7 days and %d s later: replayed: got %q, want %q: %s", late, r.header.Get(api.HeaderIdempotencyReplayed), replayed, r.body)
				}
			}
		})
		covered[name] = true
	}
	for _, r := range newFixture(t).server.Routes() {
		if name := r.Method + " " + r.Path; r.Write != covered[name] {
			t.Errorf("%s: honours Idempotency-Key: %t, has a case: %t", name, r.Write, covered[name])
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

func TestARequestThatStillRunsIsNotRunBesideItself(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	entered, leave := make(chan struct{}), make(chan struct{})
	var once sync.Once
	f.store.update = func(context.Context) error {
		once.Do(func() {
			close(entered)
			<-leave
		})
		return nil
	}
	first := make(chan reply)
	go func() {
		r, _ := f.send("POST", "/subscribers", subscriber(1), "Idempotency-Key: k")
		first <- r
	}()
	<-entered
	r := f.do("POST", "/subscribers", subscriber(1), "Idempotency-Key: k").want(409, api.CodeRequestInProgress)
	if r.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	close(leave)
	if r := <-first; r.status != http.StatusCreated {
		t.Errorf("first: got %d %s, want 201", r.status, r.body)
	}
	f.do("POST", "/subscribers", subscriber(1), "Idempotency-Key: k").want(201)
}

func TestStoredAnswersHoldNothingInTheClear(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.do("POST", "/subscribers", subscriber(1, "name", `"Canary Canário"`, "email", `"canary@example.com"`), "Idempotency-Key: canary-key").want(201)
	f.do("DELETE", "/subscribers/"+doc(1), "", "Idempotency-Key: other").want(200)
	f.advance(time.Hour)
	stored := f.store.responses
	if len(stored) != 2 {
		t.Fatalf("got %d stored answers, want 2", len(stored))
	}
	kept := pgtest.Kept(t, f.dsn)
	for _, canary := range []string{"canary-key", "SpeedID"} {
		if bytes.Contains(kept, []byte(canary)) {
			t.Errorf("the database holds %q", canary)
		}
	}
}

// A server that dies between two parts of an import: the repetition answers that
// all rows were created, and what is stored meanwhile tells nothing to who has
// not sent the request.
func TestAnImportInPartsIsRepeatedAsAWhole(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var all []string
	for n := 1; n <= 1000; n++ {
		all = append(all, subscriber(n, "products_ids", "[1]"))
	}
	parts := 0
	f.store.crowded = true
	f.store.update = func(context.Context) error {
		if parts++; parts == 3 {
			return errors.New("died")
		}
		return nil
	}
	f.do("POST", "/subscribers/import", rows(all...), "Idempotency-Key: k").want(500)
	if len(f.store.responses) != 2 {
		t.Fatalf("got %d stored parts, want 2", len(f.store.responses))
	}
	if bytes.Contains(pgtest.Kept(t, f.dsn), []byte("DuplicateOf")) {
		t.Error("a part is stored in the clear")
	}
	f.do("POST", "/subscribers/import", rows(all[1:]...), "Idempotency-Key: k").want(422, api.CodeIdempotencyKeyReused)
	again := f.do("POST", "/subscribers/import", rows(all...), "Idempotency-Key: k").want(200)
	again.has(map[string]string{"summary.total": "1000", "summary.created": "1000", "results.0.services.0.status": "inProgress"})
	if again.header.Get(api.HeaderIdempotencyReplayed) != "" {
		t.Error("it is marked as replayed although the first try never ended")
	}
	last := f.do("POST", "/subscribers/import", rows(all...), "Idempotency-Key: k").want(200)
	if !bytes.Equal(last.body, again.body) || last.header.Get(api.HeaderIdempotencyReplayed) != "true" {
		t.Error("the whole answer is not repeated")
	}
}
