package server_test

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"

	"ativa/internal/api"
)

// jsonTokens are the parts of bodies that make no sense.
func jsonTokens() []string {
	return []string{
		"{", "}", "[", "]", ",", ":", `"`, `"name"`, `"subscribers"`, `"documents"`, `"contentSupplierProduct"`, `"products_ids"`, `"document"`,
		`"access_token"`, `"product_id"`, `"previous_product_id"`, `"email"`, "null", "true", "-0", "1e999", "99999999999999999999", `"\ud800"`,
		`"\u0000"`, "\xff", `"52998224725"`, `"` + strings.Repeat("9", 300) + `"`, "{}", "[]", `""`, "1", " ",
	}
}

// garbage is a random body that is often, but not always, valid JSON.
func garbage(r *rand.Rand, depth int) string {
	all := jsonTokens()
	switch {
	case depth > 3 || r.IntN(8) == 0:
		return all[r.IntN(len(all))]
	case r.IntN(3) == 0:
		var b []string
		for range r.IntN(4) {
			b = append(b, garbage(r, depth+1))
		}
		return "[" + strings.Join(b, ",") + "]"
	}
	var b []string
	for range r.IntN(5) {
		b = append(b, all[7+r.IntN(10)]+":"+garbage(r, depth+1))
	}
	return "{" + strings.Join(b, ",") + "}"
}

func TestNoRequestBreaksTheServer(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.register(1, 2, basic)
	r := rand.New(rand.NewPCG(1, 2))
	words := []string{"..", "%2e%2e", "%00", "%FF", "a b", doc(1), "52998224724", "activate", "change", "search", "history", "%2F", "ev_0", strings.Repeat("x", 2000)}
	for n := range 3000 {
		routes := f.server.Routes()
		route := routes[r.IntN(len(routes))]
		if route.Path == api.PathMetrics || route.Path == api.PathOpenAPI {
			continue
		}
		path := route.Path
		for strings.Contains(path, "{") {
			from, to := strings.Index(path, "{"), strings.Index(path, "}")
			word := words[r.IntN(len(words))]
			if !strings.Contains(word, "%") {
				word = url.PathEscape(word)
			}
			path = path[:from] + word + path[to+1:]
		}
		if r.IntN(2) == 0 {
			path = api.Prefix + path
		}
		if r.IntN(3) == 0 {
			path += fmt.Sprintf("?page=%s&paginate=S&per_page=%s&after=%s&limit=%s", url.QueryEscape(words[r.IntN(len(words))]), "0", "x", "-1")
		}
		body := ""
		if route.Method != "GET" {
			body = garbage(r, 0)
		}
		var headers []string
		switch r.IntN(10) {
		case 0:
			headers = []string{"Idempotency-Key: k"}
		case 1:
			headers = []string{"Content-Encoding: gzip"}
		case 2:
			headers = []string{"Authorization: Bearer " + words[r.IntN(len(words))]}
		}
		got, err := f.send(route.Method, path, body, headers...)
		if err != nil {
			t.Fatalf("request %d, %s %s: %v", n, route.Method, path, err)
		}
		if got.status >= 500 {
			t.Errorf("%s %s %q: got %d %s", route.Method, path, body, got.status, got.body)
		}
	}
}
