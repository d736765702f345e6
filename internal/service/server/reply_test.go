package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ativa/internal/api"
	"ativa/internal/api/apicheck"
)

// reply is a response.
type reply struct {
	t      testing.TB
	status int
	header http.Header
	body   []byte
}

// do sends a request with the fixture's bearer token; headers come as "Name: value".
func (f *fixture) do(method, path, body string, headers ...string) reply {
	f.t.Helper()
	r, err := f.send(method, path, body, headers...)
	f.must(err)
	return r
}

// send is do for use in goroutines.
func (f *fixture) send(method, path, body string, headers ...string) (reply, error) {
	res, err := f.request(context.Background(), method, path, body, headers...)
	if err != nil {
		return reply{}, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	r := reply{t: f.t, status: res.StatusCode, header: res.Header, body: b}
	if err == nil {
		f.check(method, path, r)
	}
	return r, err
}

// chosenID is the request id of every client, which the server replaces because the log has it.
const chosenID = "chosen"

// request begins a request of send, whose response the caller reads and closes.
func (f *fixture) request(ctx context.Context, method, path, body string, headers ...string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, f.http.URL+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+f.bearer)
	req.Header.Set(api.HeaderRequestID, chosenID)
	if body != "" {
		req.Header.Set("Content-Type", api.MediaJSON)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Del(name)
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	return http.DefaultTransport.RoundTrip(req)
}

// check compares a response with openapi.yaml and with what holds for every response.
func (f *fixture) check(method, path string, r reply) {
	f.t.Helper()
	if err := apicheck.CheckResponse(method, path, r.status, r.header, r.body); err != nil {
		f.t.Error(err)
	}
	id, request := r.header.Get(api.HeaderRequestID), method+" "+path
	if id == "" || id == chosenID || r.header.Get(api.HeaderExtensions) != api.Extensions || r.header.Get("X-Content-Type-Options") != "nosniff" {
		f.t.Errorf("%s: got the headers %v", request, r.header)
	}
	if strings.Contains(fmt.Sprint(r.header, string(r.body)), fmt.Sprint(unreachedLimit)) {
		f.t.Errorf("%s: the response shows the limit of the provider: %v %s", request, r.header, r.body)
	}
	needs := map[int]string{401: "WWW-Authenticate", 429: "Retry-After", 503: "Retry-After"}[r.status]
	if needs != "" && r.header.Get(needs) == "" {
		f.t.Errorf("%s, %d: no %s", request, r.status, needs)
	}
	if r.status < 400 || r.header.Get("Content-Type") != api.MediaProblem || method == http.MethodHead {
		return
	}
	r.has(map[string]string{"response": "error", "status": fmt.Sprint(r.status), "request_id": id, "type": "urn:ativa:problem:" + r.text("code")})
	if r.text("title") == "" || r.text("detail") == "" {
		f.t.Errorf("%s: incomplete: %s", request, r.body)
	}
	if r.get("results") == nil {
		f.wantPrivate(request, string(r.body))
	}
}

// dial connects to a server for at most a minute, until the test ends.
func (f *fixture) dial(addr string) (net.Conn, *bufio.Reader) {
	f.t.Helper()
	conn, err := net.Dial("tcp", addr)
	f.must(err)
	f.t.Cleanup(func() { _ = conn.Close() })
	f.must(conn.SetDeadline(time.Now().Add(time.Minute)))
	return conn, bufio.NewReader(conn)
}

// readReply reads a response from a connection, which may be reset within the body.
func readReply(t testing.TB, in *bufio.Reader) (reply, error) {
	res, err := http.ReadResponse(in, nil)
	if err != nil {
		return reply{t: t}, err
	}
	defer res.Body.Close()
	b, _ := io.ReadAll(res.Body)
	return reply{t: t, status: res.StatusCode, header: res.Header, body: b}, nil
}

// want checks the status, and the code if given.
func (r reply) want(status int, code ...string) reply {
	r.t.Helper()
	if r.status != status || len(code) > 0 && r.text("code") != code[0] {
		r.t.Fatalf("got %d %s, want %d %v", r.status, r.body, status, code)
	}
	return r
}

// get returns the value at a path of names and indexes in the body.
func (r reply) get(steps ...any) any {
	r.t.Helper()
	var v any
	if err := json.Unmarshal(r.body, &v); err != nil {
		r.t.Fatalf("%v: %s", err, r.body)
	}
	for _, step := range steps {
		switch s := step.(type) {
		case string:
			object, _ := v.(map[string]any)
			v = object[s]
		case int:
			list, _ := v.([]any)
			if s >= len(list) {
				r.t.Fatalf("%v: only %d elements: %s", steps, len(list), r.body)
			}
			v = list[s]
		}
	}
	return v
}

// text returns get as text, "" if absent.
func (r reply) text(steps ...any) string {
	r.t.Helper()
	v := r.get(steps...)
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// is compares the body with JSON text, without what changes each time.
func (r reply) is(want string) reply {
	r.t.Helper()
	if diff := cmp.Diff(normal(r.t, string(r.body)), normal(r.t, want)); diff != "" {
		r.t.Errorf("the response differs (-got +want):\n%s", diff)
	}
	return r
}

// has checks values of the body by dotted paths.
func (r reply) has(want map[string]string) reply {
	r.t.Helper()
	for path, value := range want {
		var steps []any
		for _, step := range strings.Split(path, ".") {
			var n int
			if _, err := fmt.Sscanf(step, "%d", &n); err == nil {
				steps = append(steps, n)
			} else {
				steps = append(steps, step)
			}
		}
		if got := r.text(steps...); got != value {
			r.t.Errorf("%s: got %q, want %q in %s", path, got, value, r.body)
		}
	}
	return r
}
