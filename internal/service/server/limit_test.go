package server_test

import (
	"strings"
	"testing"
)

// No response, header or metric for a provider contains its limit, which is between it and the
// operator (decisions.md 8).
func TestTheLimitIsNeverShownToAProvider(t *testing.T) {
	t.Parallel()
	const value = "13"
	f := newFixture(t, limit(13))
	f.register(1, 16, basic)
	look := func(r reply) {
		t.Helper()
		body := string(r.body)
		for _, cut := range []string{`"index":` + value, "2026-01-31T12:00:" + value} {
			body = strings.ReplaceAll(body, cut, "")
		}
		for name, values := range r.header {
			if strings.Contains(strings.ToLower(name), "limit") {
				t.Errorf("the header %s: %v", name, values)
			}
		}
		for _, telling := range []string{`":` + value + `,`, `":` + value + `}`, " " + value + " ", "limit\":", "max_"} {
			if strings.Contains(body, telling) {
				t.Errorf("%q stands in %s", telling, r.body)
			}
		}
	}
	queued := f.do("POST", "/provision/activate", batch(music, 1, 16)).want(200)
	queued.has(map[string]string{"results.0.status": "limitReached", "results.0.queue_position": "4"})
	look(queued)
	look(f.do("POST", "/provision/activate/validate", batch(music, 2)).want(200))
	look(f.do("POST", "/provision/change", `{"product_id":2,"previous_product_id":1,"document":"`+doc(16)+`"}`).want(409))
	look(f.do("POST", "/provision/suspend", batch(basic, 16)).want(422))
	look(f.do("POST", "/subscribers/resend_activation_email", `{"document":"`+doc(16)+`"}`).want(409))
	look(f.do("GET", "/subscribers/"+doc(16), "").want(200))
	look(f.do("GET", "/subscribers/"+doc(16)+"/history", "").want(200))
	look(f.do("GET", "/products", "").want(200))
	look(f.do("GET", "/metrics", "").want(200))
	look(f.do("GET", "/readyz", "").want(200))
}
