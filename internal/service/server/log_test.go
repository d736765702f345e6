package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/service/accounts"
	"ativa/internal/service/domain"
	"ativa/internal/service/server"
)

// logLines parses the lines of the log.
func (f *fixture) logLines() (all []map[string]any) {
	f.t.Helper()
	for line := range strings.Lines(f.log.String()) {
		var e map[string]any
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			f.t.Fatalf("%v: %s", err, line)
		}
		all = append(all, e)
	}
	return all
}

func TestEachRequestIsLoggedInOneLine(t *testing.T) {
	f := newParallelFixture(t)
	f.register(1, 1)
	f.do("GET", "/subscribers/"+doc(2), "").want(404)
	f.store.update = func(context.Context) error {
		return fmt.Errorf("constraint on %s, a1@example.com.br, token %s", doc(1), f.access)
	}
	faulty := f.do("POST", "/subscribers", subscriber(3)).want(500)
	if strings.Contains(string(faulty.body), "constraint") {
		t.Errorf("the response has the cause: %s", faulty.body)
	}
	got := f.logLines()
	if len(got) != 3 {
		t.Fatalf("got %d lines, want 3: %s", len(got), f.log.String())
	}
	for i, want := range []string{
		"DEBUG POST /subscribers/import 200 1 <nil> <nil>",
		"INFO GET /subscribers/{document} 404 1 subscriber_not_found <nil>",
		"ERROR POST /subscribers 500 1 internal constraint on ***, ***, token ***",
	} {
		l := got[i]
		line := fmt.Sprintln(l["level"], l["method"], l["route"], l["status"], l["provider"], l["code"], l["cause"])
		if _, timed := l["took"].(float64); !timed || line != want+"\n" {
			t.Errorf("line %d: got %v, want %s, and the duration", i, l, want)
		}
	}
	if id := faulty.text("request_id"); got[2]["request_id"] != id {
		t.Errorf("request id: body %q, log %v", id, got[2]["request_id"])
	}
}

// A refused sign-in, bearer token or partner signature logs the client's address, as a trusted proxy
// reports it; no other line does. Refused sign-ins and signatures are counted by address, for IPv6 by
// network (decisions.md 17).
func TestARefusedSignInNamesTheAddressAndIsCounted(t *testing.T) {
	t.Parallel()
	const client = "203.0.113.9"
	f := newFixture(t, func(o *server.Options, _ *domain.Provider) {
		o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	})
	wrong := fmt.Sprintf(`{"access_token":%q}`, accounts.NewAccessToken())
	for range 57 { // three are left
		f.do("POST", "/authenticate", wrong, "X-Forwarded-For: "+client).want(401)
	}
	for _, c := range []struct {
		method, path, body, token, from string
		status                          int
		named                           bool
	}{
		{"POST", "/authenticate", wrong, "", client, 401, true},
		{"POST", "/authenticate", fmt.Sprintf(`{"access_token":%q}`, f.access), "", client, 200, false},
		{"POST", "/authenticate", `{}`, "", client, 422, false},
		{"POST", "/authenticate", wrong, "", client, 429, true},
		{"POST", "/api/authenticate", wrong, "", "2001:db8::1", 401, true},
		{"GET", "/products", "", "Bearer wrong", client, 401, true},
		{"POST", "/partner/events", "{}", "", client, 401, true},
		{"GET", "/nowhere", "", "", client, 404, false},
	} {
		f.do(c.method, c.path, c.body, "X-Forwarded-For: 198.51.100.1, "+c.from, "Authorization: "+c.token).want(c.status)
		lines := f.logLines()
		if got := lines[len(lines)-1]["address"]; (got != nil) != c.named || c.named && got != c.from {
			t.Errorf("%s %s, %d: got the address %v, want %s: %t", c.method, c.path, c.status, got, c.from, c.named)
		}
	}
	f.must(f.m.RecordRefused(t.Context()))
	all, err := f.m.Record(t.Context(), time.Time{})
	f.must(err)
	var got []string
	for _, e := range all {
		got = append(got, fmt.Sprint(e.Command, " ", e.Address, " ", e.Count))
	}
	slices.Sort(got)
	if want := []string{"POST /authenticate 2001:db8::/64 1", "POST /authenticate 203.0.113.9 59", "POST /partner/events 203.0.113.9 1"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestAPanicIsAProblemAndIsLogged(t *testing.T) {
	f := newParallelFixture(t)
	f.store.update = func(context.Context) error { panic("a defect with a1@example.com.br") }
	r := f.do("POST", "/subscribers", subscriber(1)).want(500, api.CodeInternal)
	if strings.Contains(string(r.body), "defect") {
		t.Errorf("got %s", r.body)
	}
	last := f.logLines()[len(f.logLines())-1]
	cause, _ := last["cause"].(string)
	if last["level"] != "ERROR" || last["request_id"] != r.text("request_id") || !strings.Contains(cause, "a defect with ***") || !strings.Contains(cause, "goroutine") {
		t.Errorf("got %v, want the cause with its stack", last)
	}
	f.store.update = noFault
	f.do("POST", "/subscribers", subscriber(1)).want(201)
}

// A client that disconnects is logged as such, not as an error of the server.
func TestAClientThatDisconnectsIsNotAnError(t *testing.T) {
	f := newParallelFixture(t)
	f.register(1, 700)
	ctx, leave := context.WithCancel(t.Context())
	begun := make(chan struct{})
	f.store.each = func(ctx context.Context, n int) error {
		if n == 600 {
			<-begun
			leave()
			<-ctx.Done()
		}
		return ctx.Err()
	}
	res, err := f.request(ctx, "GET", "/subscribers", "")
	f.must(err)
	close(begun)
	_, _ = io.Copy(io.Discard, res.Body)
	res.Body.Close()
	f.http.Close() // waits for the end of the request
	if last := f.logLines()[len(f.logLines())-1]; last["level"] != "INFO" || last["code"] != "client_gone" || last["status"] != 499.0 {
		t.Errorf("got %v, want a client that is gone", last)
	}
}
