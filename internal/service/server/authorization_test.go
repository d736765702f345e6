package server_test

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/service/domain"
	"ativa/internal/service/server"
)

func TestAnAccessTokenIsExchangedForABearerToken(t *testing.T) {
	f := newParallelFixture(t)
	f.do("POST", "/api/authenticate", `{"access_token":"`+f.access+`"}`, "Authorization").want(200).
		has(map[string]string{"authorization.name": "default", "authorization.access_token_expires_at": ""})
	const missing, wrong = `Bearer realm="ativa"`, `Bearer realm="ativa", error="invalid_token", error_description="the bearer token is not valid"`
	for _, c := range []struct {
		header          string
		status          int
		code, challenge string
	}{
		{"bEARER " + f.bearer, 200, "", ""},
		{"", 401, api.CodeTokenMissing, missing},
		{"Basic YTpi", 401, api.CodeTokenMissing, missing},
		{"Bearer", 401, api.CodeTokenMissing, missing},
		{"Bearer nonsense", 401, api.CodeTokenInvalid, wrong},
		{"Bearer " + f.access, 401, api.CodeTokenInvalid, wrong},
	} {
		r := f.do("GET", "/products", "", "Authorization: "+c.header).want(c.status, c.code)
		if got := r.header.Get("WWW-Authenticate"); got != c.challenge {
			t.Errorf("%q: WWW-Authenticate: got %s, want %s", c.header, got, c.challenge)
		}
	}
	f.advance(6*time.Hour - time.Second)
	f.do("GET", "/products", "").want(200)
	f.advance(time.Second)
	f.do("GET", "/products", "").want(401, api.CodeTokenExpired)
}

// Clients keep their attempts apart: TestOnlyATrustedProxyNamesTheClient. A throttle knows a bounded
// number of keys.
func TestAThrottleRegainsAnAttemptASecond(t *testing.T) {
	throttle, at := server.NewThrottle(), time.Unix(1e9, 0)
	attempts := func(n int) {
		t.Helper()
		for range n {
			must(t, throttle("first", at))
		}
		if throttle("first", at) == nil {
			t.Errorf("an attempt after %d was not refused", n)
		}
	}
	attempts(60)
	at = at.Add(time.Second)
	attempts(1)
	at = at.Add(-time.Hour) // after the clock was set back, the limit starts again
	attempts(60)
	for n := range 30_000 {
		must(t, throttle(fmt.Sprint(n), at))
	}
	if err := throttle("first", at); err != nil {
		t.Errorf("the first key is still remembered: %v", err)
	}
}

func TestOnlyATrustedProxyNamesTheClient(t *testing.T) {
	t.Parallel()
	forwarded := func(f *fixture, who string) (status int) { // of the last of as many attempts as an address has
		for range 60 {
			status = f.do("POST", "/authenticate", `{"access_token":"wrong"}`, "X-Forwarded-For: "+who).status
		}
		return status
	}
	none := newFixture(t)
	if first, second := forwarded(none, "192.0.2.1"), forwarded(none, "192.0.2.2"); first != 401 || second != 429 {
		t.Errorf("without a proxy: got %d, %d: the header was believed", first, second)
	}
	f := newFixture(t, func(o *server.Options, _ *domain.Provider) {
		o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8")}
	})
	for _, c := range []struct {
		who    string
		status int
	}{
		{"192.0.2.1", 401}, {"192.0.2.2", 401}, {"192.0.2.1", 429}, {"::ffff:192.0.2.1", 429},
		{"198.51.100.7, 192.0.2.2", 429},       // the client wrote the first part
		{"192.0.2.3, 10.1.2.3", 401},           // two trusted proxies
		{"192.0.2.3, 10.9.9.9", 429},           // the same client, another proxy
		{"10.0.0.1, 192.0.2.9, 10.1.2.3", 401}, // it stops at an untrusted address
		{"10.0.0.2, 192.0.2.9, 10.1.2.3", 429},
		{"192.0.2.20:50001", 401}, {"192.0.2.20:50002", 429}, // some proxies add the port
		{"[2001:db8::1]:50001", 401}, {"[2001:db8::2]:50002", 429}, {"2001:db8::3", 429}, {"2001:db8:0:1::1", 401},
	} {
		if got := forwarded(f, c.who); got != c.status {
			t.Errorf("%s: got %d, want %d", c.who, got, c.status)
		}
	}
}
