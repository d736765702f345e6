package server_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ativa/internal/cpf"
	"ativa/internal/service/store/pgtest"
)

// Unique personal data of one subscriber, as registered and as changed.
var erased = []string{"Canária Primeira", "canaria1@example.com.br", "+5511912340001", "Plano Canário",
	"Canária Segunda", "canaria2@example.com.br", "+5511912340002"}

// erasedKey begins the idempotency keys of the test, which the database holds as hashes.
const erasedKey = "canary-key-"

// Subscriber 1 goes through all routes that store something about it: responses, an e-mail and a partner
// event. Each of its changes, but no update without effect, stays as an event.
func TestDeletingASubscriberErasesItEverywhere(t *testing.T) {
	f := newParallelFixture(t)
	body := subscriber(1, "name", `"Canária Primeira"`, "email", `"canaria1@example.com.br"`, "phone", `"+5511912340001"`, "customer_plan", `"Plano Canário"`)
	f.do("POST", "/subscribers", body, "Idempotency-Key: "+erasedKey+"a").want(201)
	f.do("POST", "/subscribers/import", rows(body, subscriber(2)), "Idempotency-Key: "+erasedKey+"b").want(200)
	f.do("PUT", "/subscribers/"+doc(1), `{"name":"Canária Segunda","email":"canaria2@example.com.br","phone":"+5511912340002"}`, "Idempotency-Key: "+erasedKey+"c").want(200)
	f.do("PUT", "/subscribers/"+doc(1), `{"name":"Canária Segunda"}`).want(200)
	f.do("POST", "/provision/activate", batch(basic, 1, 2), "Idempotency-Key: "+erasedKey+"d").want(200)
	f.do("POST", "/subscribers/resend_activation_email", `{"document":"`+doc(1)+`"}`, "Idempotency-Key: "+erasedKey+"e").want(200)
	f.do("POST", "/activate/"+f.links()[doc(1)], "").want(200)
	f.do("POST", "/provision/deactivate", batch(basic, 1), "Idempotency-Key: "+erasedKey+"f").want(200)
	report := fmt.Sprintf(`{"type":"service.cancellation.confirmed","operation_id":%q,"reason":"for canaria2@example.com.br, %s"}`, f.operation(doc(1)), doc(1))
	f.do("POST", "/partner/events", report, f.sign("m1", report, 0)...).want(202)
	f.do("GET", "/subscribers/"+doc(1), "").has(map[string]string{"subscriber.services.0.status": "canceled", "subscriber.name": "Canária Segunda"})
	number := binary.BigEndian.AppendUint64(nil, cpf.Document(doc(1)).Number())[2:] // as SQLite keeps it
	if !strings.HasPrefix(f.dsn, "sqlite:") {
		number = []byte(doc(1))
	}
	kept := pgtest.Kept(t, f.dsn)
	if !bytes.Contains(kept, number) || !slices.ContainsFunc(erased, func(s string) bool { return bytes.Contains(kept, []byte(s)) }) {
		t.Fatal("no canary is in the database: the test looks in the wrong place")
	}
	if bytes.Contains(kept, []byte(erasedKey)) {
		t.Error("the database holds idempotency keys in the clear")
	}
	f.do("DELETE", "/subscribers/"+doc(1), "", "Idempotency-Key: g").want(200)
	f.must(f.m.Purge(t.Context()))

	kept = pgtest.Kept(t, f.dsn)
	for _, canary := range append(slices.Clone(erased), doc(1), erasedKey) {
		if i := bytes.Index(kept, []byte(canary)); i >= 0 {
			t.Errorf("%q is left in the database: %q", canary, kept[max(0, i-60):min(len(kept), i+60)])
		}
	}
	if bytes.Contains(kept, number) {
		t.Error("the document's number is left in the database")
	}
	for _, path := range []string{"/subscribers", "/events", "/subscribers/search/can%C3%A1ria", "/subscribers/search/" + doc(1), "/subscribers/search/912340002"} {
		r := f.do("GET", path, "").want(200)
		for _, canary := range append(slices.Clone(erased), doc(1)) {
			if strings.Contains(string(r.body), canary) {
				t.Errorf("%s still has %q", path, canary)
			}
		}
	}
	f.do("GET", "/subscribers/"+doc(2), "").want(200) // other subscribers stay
	changes := regexp.MustCompile(`subscriber\.\w+`).FindAllString(string(f.do("GET", "/events", "").body), -1)
	if want := []string{"subscriber.created", "subscriber.created", "subscriber.updated", "subscriber.deleted"}; !slices.Equal(changes, want) {
		t.Errorf("got the events %v, want %v", changes, want)
	}
}

// Responses about one subscriber are deleted with it; a repetition returns that the request was
// carried out, and does nothing.
func TestStoredAnswersAreErasedWithTheirSubscriber(t *testing.T) {
	f := newParallelFixture(t)
	f.activate(2, basic)
	one := `"document":"` + doc(1) + `"`
	requests := []struct {
		method, path, body string
		kept               bool
	}{
		{"POST", "/subscribers", subscriber(1), false},
		{"PUT", "/subscribers/" + doc(1), `{"name":"Canária"}`, false},
		{"POST", "/provision/activate", batch(basic, 1), false},
		{"POST", "/subscribers/resend_activation_email", "{" + one + "}", false},
		{"POST", "/provision/change", `{"product_id":2,"previous_product_id":1,` + one + `}`, false},
		{"PUT", "/subscribers/" + doc(2), `{"name":"Outra"}`, true},
		{"POST", "/subscribers/import", rows(subscriber(1)), false}, // exists already
		{"POST", "/subscribers/import", rows(subscriber(1), subscriber(2)), true},
		{"DELETE", "/subscribers/" + doc(1), "", true},
	}
	for i, r := range requests {
		switch r.method + " " + r.path {
		case "POST /provision/change":
			f.do("POST", "/activate/"+f.links()[doc(1)], "").want(200)
		case "DELETE /subscribers/" + doc(1):
			f.do("POST", "/provision/deactivate", batch(premium, 1)).want(200)
			f.confirm(doc(1), true)
		}
		if got := f.do(r.method, r.path, r.body, fmt.Sprint("Idempotency-Key: ", i)); got.status >= 300 {
			t.Fatalf("%s %s: got %d %s", r.method, r.path, got.status, got.body)
		}
	}
	for i, r := range requests {
		got := f.do(r.method, r.path, r.body, fmt.Sprint("Idempotency-Key: ", i))
		if r.kept && got.header.Get("Idempotency-Replayed") == "true" {
			continue
		}
		if r.kept || got.status != 404 || got.text("code") != "subscriber_not_found" || !strings.Contains(got.text("detail"), "erased") {
			t.Errorf("%s %s: got %d %s, want the stored response: %t, or else that it was erased", r.method, r.path, got.status, got.body, r.kept)
		}
	}
	f.do("GET", "/subscribers/"+doc(1), "").want(404) // nothing was repeated
	f.do("PUT", "/subscribers/"+doc(1), `{"name":"X"}`, "Idempotency-Key: 1").want(422, "idempotency_key_reused")
}
