package apicheck_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ativa/internal/api"
	"ativa/internal/api/apicheck"
)

func TestAResponseThatIsNotDescribedIsAnError(t *testing.T) {
	problem := `{"response":"error","type":"urn:x","title":"X","status":404,"code":"not_found","detail":"x","request_id":"x"}`
	for _, c := range []struct {
		name, method, target string
		status               int
		media, body          string
		fits                 bool
	}{
		{"with the prefix", "GET", "/api/subscribers?paginate=x", 200, api.MediaJSON, `{"subscribers":[],"response":"success"}`, true},
		{"a problem anywhere", "GET", "/nothing", 404, api.MediaProblem, problem, true},
		{"a lacking member", "GET", "/subscribers", 200, api.MediaJSON, `{"subscribers":[]}`, false},
		{"an unknown code", "GET", "/subscribers", 404, api.MediaProblem, strings.Replace(problem, "not_found", "oops", 1), false},
		{"another media type", "GET", "/subscribers", 200, "text/html", `x`, false},
		{"no JSON", "GET", "/subscribers", 200, api.MediaJSON, `{`, false},
		{"an unknown path", "GET", "/nothing", 200, api.MediaJSON, `{"response":"success"}`, false},
		{"an unknown method", "PATCH", "/subscribers", 200, api.MediaJSON, `{"response":"success"}`, false},
	} {
		err := apicheck.CheckResponse(c.method, c.target, c.status, http.Header{"Content-Type": {c.media}}, []byte(c.body))
		if (err == nil) != c.fits {
			t.Errorf("%s: got %v", c.name, err)
		}
	}
}

func TestTheProxyReportsUndescribedResponses(t *testing.T) {
	const body = `{"response":"fine"}`
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", api.MediaJSON)
		w.Header().Set("X-Host", r.Host)
		_, _ = w.Write([]byte(body))
	}))
	defer behind.Close()
	var reported []error
	proxy, err := apicheck.Proxy(behind.URL, func(err error) { reported = append(reported, err) })
	if err != nil {
		t.Fatal(err)
	}
	defer proxy.Close()
	res, err := http.Get(proxy.URL + "/products?x=1")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if len(reported) != 1 || !strings.Contains(reported[0].Error(), "/products?x=1") {
		t.Errorf("got %v, want one report", reported)
	}
	if got := res.Header.Get("X-Host"); !strings.HasSuffix(proxy.URL, got) || res.StatusCode != http.StatusOK {
		t.Errorf("got %d for the host %q", res.StatusCode, got)
	}
}
