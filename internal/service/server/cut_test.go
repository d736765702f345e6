package server_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/cpf"
	"ativa/internal/service/domain"
	"ativa/internal/service/server"
	"ativa/internal/service/store/pgtest"
)

// cutEvery is the distance in bytes between cuts of the connection.
const cutEvery = 16

// sendCut sends a request over a connection that is closed after out bytes of the
// request or in bytes of the response, 0 for neither. It returns how many bytes were
// written and read.
func (f *fixture) sendCut(out, in int, path, body string, headers []string) (status, wrote, read int, err error) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(f.http.URL, "http://"))
	if err != nil {
		return 0, 0, 0, err
	}
	defer conn.Close()
	headers = append([]string{"Host: x", "Connection: close", "Authorization: Bearer " + f.bearer, fmt.Sprintf("Content-Length: %d", len(body))}, headers...)
	request := "POST " + path + " HTTP/1.1\r\n" + strings.Join(headers, "\r\n") + "\r\n\r\n" + body
	if out > 0 {
		request = request[:out]
	}
	if _, err = io.WriteString(conn, request); err != nil || out > 0 {
		return 0, out, 0, err
	}
	if in > 0 {
		_, err = io.ReadFull(conn, make([]byte, in))
		return 0, len(request), in, err
	}
	all, err := io.ReadAll(conn)
	if err == nil {
		_, err = fmt.Sscanf(string(all), "HTTP/1.1 %d", &status)
	}
	return status, len(request), len(all), err
}

// retryCase is a request whose repetition must have no further effect: the set-up for the nth
// subscriber, and the request if it has no idempotency key.
type retryCase struct {
	before   func(f *fixture, n int)
	harmless bool // it has no effect that could double
	request  func(f *fixture, n int) (path, body string, headers []string)
}

// retryCases has a case for every POST route.
func retryCases() map[string]retryCase {
	nothing := func(*fixture, int) {}
	registered := func(f *fixture, n int) { f.register(n, n) }
	waiting := func(f *fixture, n int) { f.register(n, n, basic) }
	active := func(f *fixture, n int) {
		waiting(f, n)
		_, err := f.m.FollowLink(f.t.Context(), f.links()[doc(n)])
		f.must(err)
	}
	suspending := func(f *fixture, n int) {
		active(f, n)
		f.do("POST", "/provision/suspend", batch(basic, n)).want(200)
	}
	overdue := func(f *fixture, n int) {
		active(f, n)
		f.do("POST", "/provision/overdue", batch(basic, n)).want(200)
		f.confirm(n)
	}
	return map[string]retryCase{
		"POST /authenticate": {before: nothing, harmless: true, request: func(f *fixture, _ int) (string, string, []string) {
			return "/authenticate", `{"access_token":"` + f.access + `"}`, nil
		}},
		"POST /subscribers":                                   {before: nothing},
		"POST /subscribers/import":                            {before: nothing},
		"POST /subscribers/import/validate":                   {before: nothing, harmless: true},
		"POST /subscribers/resend_activation_email":           {before: waiting},
		"POST /subscribers/resend_activation_email/{product}": {before: waiting},
		"POST /provision/activate":                            {before: registered},
		"POST /provision/suspend":                             {before: active},
		"POST /provision/deactivate":                          {before: active},
		"POST /provision/overdue":                             {before: active},
		"POST /provision/settle":                              {before: overdue},
		"POST /provision/change":                              {before: active},
		"POST /provision/schedule":                            {before: active, harmless: true}, // no event, no delivery yet
		"POST /provision/schedule/validate":                   {before: active, harmless: true},
		"POST /provision/change/validate":                     {before: active, harmless: true},
		"POST /provision/{operation}/validate":                {before: registered, harmless: true},
		"POST /partner/events": {before: suspending, request: func(f *fixture, n int) (string, string, []string) {
			s, err := f.m.Subscriber(f.t.Context(), f.p.ID, cpf.Document(doc(n)))
			f.must(err)
			body := suspensionConfirmed(s.Services[0].Operation)
			return "/partner/events", body, f.sign(fmt.Sprint("m", n), body, 0)
		}},
		"POST /activate/{link}": {before: waiting, request: func(f *fixture, n int) (string, string, []string) {
			return "/activate/" + f.links()[doc(n)], "", nil
		}},
	}
}

// changes returns the number of events and jobs that do adds.
func (f *fixture) changes(do func()) (events, jobs int) {
	f.t.Helper()
	count := func() (int, int) {
		p, err := f.m.Providers(f.t.Context())
		f.must(err)
		return int(p[0].Events), int(p[0].Jobs)
	}
	e, j := count()
	do()
	events, jobs = count()
	return events - e, jobs - j
}

// Every POST route, cut at every 16th byte of request and response and then sent twice more, has its
// effect once (reliability.md, promise 2).
func TestARetryNeverDoublesWhereverTheConnectionWasCut(t *testing.T) {
	t.Parallel()
	cases := retryCases()
	for _, r := range newFixture(t).server.Routes() {
		c, covered := cases[r.Method+" "+r.Path]
		if r.Method != http.MethodPost || strings.HasPrefix(r.Path, api.PathTokens) { // no secret is stored, and no client repeats them
			continue
		}
		if !covered {
			t.Errorf("%s %s has no case", r.Method, r.Path)
			continue
		}
		if c.request == nil {
			keyed := routeRequests()[r.Method+" "+r.Path]
			c.request = func(_ *fixture, n int) (string, string, []string) {
				r := keyed.about(n)
				return r.path, r.body, []string{fmt.Sprintf("Idempotency-Key: key-%d", n), "Content-Type: application/json"}
			}
		}
		t.Run(r.Path, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, unlimitedLogins)
			c.cut(f)
		})
	}
}

func (c retryCase) cut(f *fixture) {
	f.t.Helper()
	n := 1
	c.before(f, n)
	path, body, headers := c.request(f, n)
	var wrote, read int
	events, jobs := f.changes(func() {
		status, out, in, err := f.sendCut(0, 0, path, body, headers)
		if err != nil || status >= 300 {
			f.t.Fatalf("uncut: got %d, %v", status, err)
		}
		wrote, read = out, in
	})
	if happened := events+jobs > 0; happened == c.harmless {
		f.t.Fatalf("uncut: %d events and %d jobs", events, jobs)
	}
	try := func(out, in int) {
		n++
		c.before(f, n)
		path, body, headers := c.request(f, n)
		gotEvents, gotJobs := f.changes(func() {
			_, _, _, _ = f.sendCut(out, in, path, body, headers) // the connection is cut
			f.sendUntilDone(path, body, headers)
			f.sendUntilDone(path, body, headers)
		})
		if gotEvents != events || gotJobs != jobs {
			f.t.Errorf("cut after %d out and %d in: %d events and %d jobs, want %d and %d", out, in, gotEvents, gotJobs, events, jobs)
		}
	}
	every := cutEvery
	if os.Getenv(pgtest.Engine) == "postgres" {
		every *= 4 // the connection is the same on both databases
	}
	for at := 1; at < wrote; at += every {
		try(at, 0)
	}
	for at := 1; at < read; at += every {
		try(0, at)
	}
}

// sendUntilDone repeats the request while the first one still runs.
func (f *fixture) sendUntilDone(path, body string, headers []string) {
	f.t.Helper()
	for range 20_000 {
		status, _, _, err := f.sendCut(0, 0, path, body, headers)
		must(f.t, err)
		if status != http.StatusConflict {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	f.t.Fatal("the first request still runs")
}

// unlimitedLogins lifts the limit of attempts to authenticate.
func unlimitedLogins(o *server.Options, _ *domain.Provider) { o.AuthenticateBurst = 1_000_000 }
