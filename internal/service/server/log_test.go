package server_test

import (
	"context"
	"encoding/json"
	"errors"
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

// The response to a fault has neither its cause nor the stack of a panic; the log has both, without
// personal data and secrets.
func TestEachRequestIsLoggedInOneLine(t *testing.T) {
	f := newParallelFixture(t)
	f.register(1, 1)
	f.do("GET", "/subscribers/"+doc(2), "").want(404)
	cause := fmt.Sprintf("constraint on %s, a1@example.com.br, token %s", doc(1), f.access)
	f.store.update = func(context.Context) error { return errors.New(cause) }
	failed := f.do("POST", "/subscribers", subscriber(3)).want(500, api.CodeInternal)
	f.store.update = func(context.Context) error { panic(cause) }
	panicked := f.do("POST", "/subscribers", subscriber(3)).want(500, api.CodeInternal)
	f.store.update = noFault
	created := f.do("POST", "/subscribers", subscriber(3)).want(201)
	got := f.logLines()
	if len(got) != 5 {
		t.Fatalf("got %d lines, want 5: %s", len(got), f.log.String())
	}
	for i, want := range []string{
		"DEBUG POST /subscribers/import 200 1 <nil> <nil>\n",
		"INFO GET /subscribers/{document} 404 1 subscriber_not_found <nil>\n",
		"ERROR POST /subscribers 500 1 internal constraint on ***, ***, token ***\n",
		"ERROR POST /subscribers 500 1 internal panic: constraint on ***, ***, token ***\ngoroutine ",
		"DEBUG POST /subscribers 201 1 <nil> <nil>\n",
	} {
		l := got[i]
		line := fmt.Sprintln(l["level"], l["method"], l["route"], l["status"], l["provider"], l["code"], l["cause"])
		if _, timed := l["took"].(float64); !timed || !strings.HasPrefix(line, want) {
			t.Errorf("line %d: got %v, want %s, and the duration", i, l, want)
		}
	}
	for i, r := range []reply{failed, panicked, created} {
		if strings.Contains(string(r.body), "constraint") || got[i+2]["request_id"] != r.header.Get(api.HeaderRequestID) {
			t.Errorf("got the response %v %s with the log %v", r.header, r.body, got[i+2])
		}
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
