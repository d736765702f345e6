package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ativa/internal/cpf"
	"ativa/internal/provision"
	"ativa/internal/server"
	"ativa/internal/store/pgtest"
)

// cutEvery is the distance of the bytes at which a connection is cut.
const cutEvery = 16

// cutConn breaks after so many bytes in one direction; 0 is no limit.
type cutConn struct {
	net.Conn
	out, in int
	// Counted by the goroutines of the transport.
	wrote, readed atomic.Int64
}

var errCut = errors.New("the connection was cut")

func (c *cutConn) Write(b []byte) (int, error) {
	if wrote := int(c.wrote.Load()); c.out > 0 && wrote+len(b) >= c.out {
		n, _ := c.Conn.Write(b[:c.out-wrote])
		c.wrote.Add(int64(n))
		_ = c.Conn.Close()
		return n, errCut
	}
	n, err := c.Conn.Write(b)
	c.wrote.Add(int64(n))
	return n, err
}

func (c *cutConn) Read(b []byte) (int, error) {
	if readed := int(c.readed.Load()); c.in > 0 {
		if readed >= c.in {
			_ = c.Conn.Close()
			return 0, errCut
		}
		b = b[:min(len(b), c.in-readed)]
	}
	n, err := c.Conn.Read(b)
	c.readed.Add(int64(n))
	return n, err
}

// over sends a request over one connection, which is cut where out and in say,
// and returns how many bytes went each way.
func (w *world) over(out, in int, method, path, body string, headers []string) (status, wrote, readed int, err error) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(w.http.URL, "http://"))
	if err != nil {
		return 0, 0, 0, err
	}
	defer conn.Close()
	cut := &cutConn{Conn: conn, out: out, in: in}
	transport := &http.Transport{DisableKeepAlives: true, DialContext: func(context.Context, string, string) (net.Conn, error) { return cut, nil }}
	req, err := http.NewRequest(method, w.http.URL+path, strings.NewReader(body))
	if err != nil {
		return 0, 0, 0, err
	}
	req.GetBody = nil // the transport itself repeats nothing
	req.Header.Set("Authorization", "Bearer "+w.bearer)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	res, err := transport.RoundTrip(req)
	if err == nil {
		_, err = io.Copy(io.Discard, res.Body)
		res.Body.Close()
		status = res.StatusCode
	}
	return status, int(cut.wrote.Load()), int(cut.readed.Load()), err
}

// post is a request whose repetition must have no further effect: what must be
// there before, and the request, for the nth subscriber.
type post struct {
	before   func(w *world, n int)
	request  func(w *world, n int) (path, body string, headers []string)
	harmless bool // it has no effect that could double
}

func keyed(path string, body func(n int) string) func(*world, int) (string, string, []string) {
	return func(_ *world, n int) (string, string, []string) {
		return path, body(n), []string{fmt.Sprintf("Idempotency-Key: key-%d", n), "Content-Type: application/json"}
	}
}

func one(product int) func(int) string { return func(n int) string { return batch(product, n) } }

// posts says of every POST route how it is asked.
func posts() map[string]post {
	nothing := func(*world, int) {}
	registered := func(w *world, n int) { w.register(n, n) }
	waiting := func(w *world, n int) { w.register(n, n, basic) }
	active := func(w *world, n int) {
		waiting(w, n)
		_, err := w.m.FollowLink(w.t.Context(), w.links()[doc(n)])
		w.must(err)
	}
	overdue := func(w *world, n int) {
		active(w, n)
		w.do("POST", "/provision/overdue", batch(basic, n)).want(200)
		w.confirm(n)
	}
	return map[string]post{
		"POST /authenticate": {before: nothing, harmless: true, request: func(w *world, _ int) (string, string, []string) {
			return "/authenticate", `{"access_token":"` + w.access + `"}`, nil
		}},
		"POST /subscribers":                 {before: nothing, request: keyed("/subscribers", func(n int) string { return subscriber(n) })},
		"POST /subscribers/import":          {before: nothing, request: keyed("/subscribers/import", func(n int) string { return rows(subscriber(n, "products_ids", "[1]")) })},
		"POST /subscribers/import/validate": {before: nothing, harmless: true, request: keyed("/subscribers/import/validate", func(n int) string { return rows(subscriber(n)) })},
		"POST /subscribers/resend_activation_email": {before: waiting, request: keyed("/subscribers/resend_activation_email", func(n int) string {
			return `{"document":"` + doc(n) + `"}`
		})},
		"POST /provision/activate":   {before: registered, request: keyed("/provision/activate", one(basic))},
		"POST /provision/suspend":    {before: active, request: keyed("/provision/suspend", one(basic))},
		"POST /provision/deactivate": {before: active, request: keyed("/provision/deactivate", one(basic))},
		"POST /provision/overdue":    {before: active, request: keyed("/provision/overdue", one(basic))},
		"POST /provision/settle":     {before: overdue, request: keyed("/provision/settle", one(basic))},
		"POST /provision/change": {before: active, request: keyed("/provision/change", func(n int) string {
			return fmt.Sprintf(`{"product_id":2,"previous_product_id":1,"document":%q}`, doc(n))
		})},
		"POST /provision/{operation}/validate": {before: registered, harmless: true, request: keyed("/provision/activate/validate", one(basic))},
		"POST /partner/events": {before: func(w *world, n int) {
			active(w, n)
			w.do("POST", "/provision/suspend", batch(basic, n)).want(200)
		}, request: func(w *world, n int) (string, string, []string) {
			s, err := w.m.Subscriber(w.t.Context(), w.p.ID, cpf.Document(doc(n)))
			w.must(err)
			body := fmt.Sprintf(`{"type":"service.suspension.confirmed","operation_id":%q}`, s.Services[0].Operation)
			return "/partner/events", body, w.sign(fmt.Sprint("m", n), body, 0)
		}},
		"POST /activate/{link}": {before: waiting, request: func(w *world, n int) (string, string, []string) {
			return "/activate/" + w.links()[doc(n)], "", nil
		}},
	}
}

// effect is what a request changed: events and jobs.
func (w *world) effect(do func()) (events, jobs int) {
	w.t.Helper()
	count := func() (int, int) {
		p, err := w.m.Providers(w.t.Context())
		w.must(err)
		return int(p[0].Events), int(p[0].Jobs)
	}
	e, j := count()
	do()
	events, jobs = count()
	return events - e, jobs - j
}

// Every POST route, cut at every 16th byte of request and answer, and then
// sent twice more: it has happened once (reliability.md, promise 2).
func TestARetryNeverDoublesWhereverTheConnectionWasCut(t *testing.T) {
	cases := posts()
	for _, r := range newWorld(t).server.Routes() {
		c, covered := cases[r.Method+" "+r.Path]
		if r.Method != http.MethodPost {
			continue
		}
		if !covered {
			t.Errorf("%s %s has no case", r.Method, r.Path)
			continue
		}
		t.Run(r.Path, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, generous)
			c.cut(w)
		})
	}
}

func (c post) cut(w *world) {
	w.t.Helper()
	n := 1
	c.before(w, n)
	path, body, headers := c.request(w, n)
	var wrote, readed int
	events, jobs := w.effect(func() {
		status, out, in, err := w.over(0, 0, "POST", path, body, headers)
		if err != nil || status >= 300 {
			w.t.Fatalf("uncut: got %d, %v", status, err)
		}
		wrote, readed = out, in
	})
	if happened := events+jobs > 0; happened == c.harmless {
		w.t.Fatalf("uncut: %d events and %d jobs", events, jobs)
	}
	try := func(out, in int) {
		n++
		c.before(w, n)
		path, body, headers := c.request(w, n)
		gotEvents, gotJobs := w.effect(func() {
			_, _, _, _ = w.over(out, in, "POST", path, body, headers) // it is cut
			w.again(path, body, headers)
			w.again(path, body, headers)
		})
		if gotEvents != events || gotJobs != jobs {
			w.t.Errorf("cut after %d out and %d in: %d events and %d jobs, want %d and %d", out, in, gotEvents, gotJobs, events, jobs)
		}
	}
	every := cutEvery
	if os.Getenv(pgtest.Engine) == "postgres" {
		every *= 4 // the connection is the same; what follows is not
	}
	for at := 1; at < wrote; at += every {
		try(at, 0)
	}
	for at := 1; at < readed; at += every {
		try(0, at)
	}
}

// again sends the request until it is not told that the first still runs.
func (w *world) again(path, body string, headers []string) {
	w.t.Helper()
	for range 20_000 {
		status, _, _, err := w.over(0, 0, "POST", path, body, headers)
		if err != nil {
			w.t.Fatal(err)
		}
		if status != http.StatusConflict {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	w.t.Fatal("the first request still runs")
}

// generous lets as many attempts to authenticate through as a test makes.
func generous(o *server.Options, _ *provision.Provider) { o.AuthenticateBurst = 1_000_000 }
