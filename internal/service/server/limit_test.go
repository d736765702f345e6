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
	f.do("POST", "/provision/activate/validate", batch(music, 1, 16)).want(200).has(map[string]string{"results.0.queue_position": "4"})
	for _, c := range []struct {
		request, body string
		status        int
	}{
		{"POST /provision/activate", batch(music, 1, 16), 200},
		{"POST /provision/activate/validate", batch(music, 2), 200},
		{"POST /provision/change", `{"product_id":2,"previous_product_id":1,"document":"` + doc(16) + `"}`, 409},
		{"POST /provision/suspend", batch(basic, 16), 422},
		{"POST /subscribers/resend_activation_email", `{"document":"` + doc(16) + `"}`, 409},
		{"GET /subscribers/" + doc(16), "", 200},
		{"GET /subscribers/" + doc(16) + "/history", "", 200},
		{"GET /products", "", 200},
		{"GET /metrics", "", 200},
		{"GET /readyz", "", 200},
	} {
		method, path, _ := strings.Cut(c.request, " ")
		r := f.do(method, path, c.body).want(c.status)
		for name, values := range r.header {
			if strings.Contains(strings.ToLower(name), "limit") {
				t.Errorf("the header %s: %v", name, values)
			}
		}
		body := strings.NewReplacer(`"index":`+value, "", "2026-01-31T12:00:"+value, "").Replace(string(r.body))
		for _, shown := range []string{`":` + value + `,`, `":` + value + `}`, " " + value + " ", "limit\":", "max_"} {
			if strings.Contains(body, shown) {
				t.Errorf("%s: %q is in %s", c.request, shown, r.body)
			}
		}
	}
}
