package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
)

const testSecret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

// attempt is a message as a receiver gets it, and when.
type attempt struct {
	after time.Duration
	id    string
	body  string
}

// scriptedReceiver answers in turn, the last for ever: a status, or 0 for no answer.
type scriptedReceiver struct {
	t        *testing.T
	began    time.Time
	answers  []int
	attempts []attempt
}

func (r *scriptedReceiver) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	hook, err := webhooks.NewWebhook(testSecret)
	if err != nil {
		return nil, err
	}
	if err := hook.VerifyIgnoringTimestamp(body, req.Header); err != nil {
		r.t.Errorf("attempt %d: %v", len(r.attempts)+1, err)
	}
	if at := req.Header.Get(webhooks.HeaderWebhookTimestamp); at != fmt.Sprint(time.Now().Unix()) {
		r.t.Errorf("attempt %d was signed at %s, want the time of the attempt", len(r.attempts)+1, at)
	}
	r.attempts = append(r.attempts, attempt{time.Since(r.began), req.Header.Get(webhooks.HeaderWebhookID), string(body)})
	status := r.answers[0]
	if len(r.answers) > 1 {
		r.answers = r.answers[1:]
	}
	if status == 0 {
		return nil, errors.New("connection reset by peer")
	}
	return &http.Response{StatusCode: status, Body: http.NoBody, Header: http.Header{}, Request: req}, nil
}

// forwardTo is a forwarder to the receiver that stands behind the cursor a.
func forwardTo(t *testing.T, r *scriptedReceiver, stderr io.Writer) *forwarder {
	t.Helper()
	r.t, r.began = t, time.Now()
	e := &cli.Env{Err: stderr, Out: io.Discard, Getenv: func(name string) string { return map[string]string{webhookSecretVariable: testSecret}[name] }}
	f, made, err := newForwarder(e, eventsOptions{forwardTo: "http://localhost:1/path?key=hidden"})
	if err != nil || made != "" {
		t.Fatalf("made %q, %v", made, err)
	}
	f.http.Transport, f.feed = r, &feed{Env: e, eventsOptions: eventsOptions{after: "a"}}
	return f
}

func page(next string, events ...string) client.EventPage {
	p := client.EventPage{Next: next}
	for _, e := range events {
		p.Events = append(p.Events, eventItem{Raw: json.RawMessage(e)})
	}
	return p
}

func TestForwardingRepeatsTheSameMessageOnTheSchedule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &scriptedReceiver{answers: []int{500, 0, 302, 404, 503, 429, 500, 200}}
		var stderr bytes.Buffer
		f := forwardTo(t, r, &stderr)
		if err := f.deliver(t.Context(), page("b", `{"id":"1","document":null,"own":"<é>"}`, `{"id":"2"}`)); err != nil {
			t.Fatal(err)
		}
		want := []time.Duration{0, 5 * time.Second, 35 * time.Second, 155 * time.Second, 755 * time.Second, 2555 * time.Second, 6155 * time.Second, 9755 * time.Second}
		var got []time.Duration
		for _, a := range r.attempts {
			got = append(got, a.after)
			if a.id != r.attempts[0].id || a.body != `{"type":"events","data":{"events":[{"id":"1","document":null,"own":"<é>"},{"id":"2"}],"next_cursor":"b"}}` {
				t.Errorf("got %+v", a)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("got attempts after %v, want %v", got, want)
		}
		for _, text := range []string{"the receiver answered 500; trying again in 5s\n", "connection reset by peer; trying again in 30s\n", "answered 302; trying again in 2m0s\n", "delivered 2 events\n"} {
			if !strings.Contains(stderr.String(), text) {
				t.Errorf("%q is not told in %s", text, &stderr)
			}
		}
		if strings.Contains(stderr.String(), "hidden") || strings.Contains(stderr.String(), testSecret) {
			t.Errorf("a secret is told: %s", &stderr)
		}
	})
}

func TestForwardingIsGivenUpAfterSevenDays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &scriptedReceiver{answers: []int{500}}
		err := forwardTo(t, r, io.Discard).deliver(t.Context(), page("b", `{}`))
		failure, ok := errors.AsType[*cli.Failure](err)
		if took := time.Since(r.began); !ok || failure.Exit != cli.ExitUnavailable || took > forwardingLimit || took < forwardingLimit-time.Hour {
			t.Errorf("after %v: %v", took, err)
		}
	})
}

func TestForwardingStopsWhileItWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r := &scriptedReceiver{answers: []int{500}}
		f := forwardTo(t, r, io.Discard)
		time.AfterFunc(time.Minute, cancel)
		if err := f.deliver(ctx, page("b", `{}`)); !errors.Is(err, context.Canceled) || time.Since(r.began) != time.Minute || f.after != "a" {
			t.Errorf("%v after %v, cursor %q", err, time.Since(r.began), f.after)
		}
	})
}

func TestMessageIDIsThatOfTheEventsAlone(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range [][2]string{{"", "b"}, {"a", "b"}, {"a", "c"}, {"a\nb", "c"}} {
		id := messageID(c[0], c[1])
		if seen[id] || id != messageID(c[0], c[1]) || strings.Contains(id, ".") {
			t.Errorf("%q: got %s", c, id)
		}
		seen[id] = true
	}
}

// feedServer has a feed of three events, two in a page.
func feedServer(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(api.HeaderExtensions, api.ExtEvents)
		switch r.URL.Path + "?" + r.URL.Query().Get("after") {
		case "/authenticate?":
			_, _ = io.WriteString(w, `{"authorization":{"token":"b","expires_in":3600}}`)
		case "/events?":
			_, _ = io.WriteString(w, `{"events":[{"id":"1","new":{"x":[1]}},{"id":"2"}],"next_cursor":"c2"}`)
		case "/events?c2":
			_, _ = io.WriteString(w, `{"events":[{"id":"3"}],"next_cursor":"c3"}`)
		case "/events?c3":
			_, _ = io.WriteString(w, `{"events":[]}`)
		case "/events?old":
			w.WriteHeader(http.StatusUnprocessableEntity)
			_, _ = io.WriteString(w, `{"code":"invalid_cursor"}`)
		case "/events?odd":
			_, _ = io.WriteString(w, `{"events":[{"id":"9"}]}`)
		default:
			_, _ = io.WriteString(w, `{"status":[]}`)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func TestForwardingDeliversInOrderAndSaysTheCursor(t *testing.T) {
	var mu sync.Mutex
	var bodies []string
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		bodies = append(bodies, string(body))
		w.WriteHeader(http.StatusNoContent)
	}))
	defer receiver.Close()
	u := newUser(t, map[string]string{"ATIVA_SERVER": feedServer(t).URL, "ATIVA_ACCESS_TOKEN": "t", webhookSecretVariable: testSecret})
	got := u.run(nil, "events", "--forward-to", receiver.URL)
	want := []string{`{"type":"events","data":{"events":[{"id":"1","new":{"x":[1]}},{"id":"2"}],"next_cursor":"c2"}}`, `{"type":"events","data":{"events":[{"id":"3"}],"next_cursor":"c3"}}`}
	if got.exit != cli.ExitOK || got.stdout != "" || !slices.Equal(bodies, want) || !strings.Contains(got.stderr, "to go on: the same command with --after c3") {
		t.Errorf("exit %d, %s%s\n%q", got.exit, got.stdout, got.stderr, bodies)
	}
	got = u.run(nil, "events", "--forward-to", receiver.URL, "--limit", "2", "--lang", "pt")
	if got.exit != cli.ExitOK || !strings.Contains(got.stderr, "--after c2") || !strings.Contains(got.stderr, "2 eventos entregues") {
		t.Errorf("exit %d, %s", got.exit, got.stderr)
	}
	for _, c := range []struct {
		after, told string
		exit        int
	}{{"old", "the oldest event that is kept", cli.ExitRefused}, {"odd", "no next_cursor", cli.ExitError}} {
		if got := u.run(nil, "events", "--forward-to", receiver.URL, "--after", c.after); got.exit != c.exit || !strings.Contains(got.stderr, c.told) || len(bodies) != 3 {
			t.Errorf("after %s: exit %d, %s", c.after, got.exit, got.stderr)
		}
	}
}

func TestForwardingInterruptedSaysTheCursor(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var taken atomic.Int32
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if taken.Add(1) > 1 {
			w.WriteHeader(http.StatusInternalServerError)
			cancel()
		}
	}))
	defer receiver.Close()
	var stdout, stderr bytes.Buffer
	env := map[string]string{"HOME": t.TempDir(), "ATIVA_SERVER": feedServer(t).URL, "ATIVA_ACCESS_TOKEN": "t"}
	e := &cli.Env{In: strings.NewReader(""), Out: &stdout, Err: &stderr, Getenv: func(name string) string { return env[name] }}
	exit := Run(ctx, e, []string{"events", "--follow", "--forward-to", receiver.URL, "-o", "json"})
	made := decode[secretRow](t, stdout.String())
	if exit != cli.ExitInterrupted || !strings.Contains(stderr.String(), "--after c2") || !strings.HasPrefix(made.Secret, "whsec_") {
		t.Errorf("exit %d, %s%s", exit, &stdout, &stderr)
	}
	if strings.Contains(stderr.String(), "whsec_") {
		t.Errorf("the secret is on stderr, too: %s", &stderr)
	}
}

func TestForwardingRefusesWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	files := map[string]os.FileMode{"good": 0o600, "open": 0o640, "bad": 0o600}
	for name, mode := range files {
		text := testSecret + "\n"
		if name == "bad" {
			text = "not a secret"
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		told string
		exit int
		args []string
	}{
		{"is a URL like", cli.ExitUsage, []string{"--forward-to", "localhost:8080"}},
		{"is a URL like", cli.ExitUsage, []string{"--forward-to", "ftp://localhost/"}},
		{"--insecure-http", cli.ExitUsage, []string{"--forward-to", "http://example.com/"}},
		{"needs --forward-to", cli.ExitUsage, []string{"--secret-file", filepath.Join(dir, "good")}},
		{"chmod 600", cli.ExitAuth, []string{"--forward-to", "http://localhost:1/", "--secret-file", filepath.Join(dir, "open")}},
		{"no secret like whsec_", cli.ExitAuth, []string{"--forward-to", "http://localhost:1/", "--secret-file", filepath.Join(dir, "bad")}},
		{"there is none", cli.ExitAuth, []string{"--forward-to", "http://localhost:1/", "--secret-file", filepath.Join(dir, "none")}},
		{"there is no \"id\"", cli.ExitUsage, []string{"--forward-to", "http://localhost:1/", "--columns", "id"}},
	} {
		u := newUser(t, map[string]string{"ATIVA_SERVER": "http://127.0.0.1:1", "ATIVA_ACCESS_TOKEN": "t"})
		if got := u.run(nil, append([]string{"events"}, c.args...)...); got.exit != c.exit || !strings.Contains(got.stderr, c.told) {
			t.Errorf("%q: exit %d, %s; want %d and %s", c.args, got.exit, got.stderr, c.exit, c.told)
		}
	}
	u := newUser(t, map[string]string{"ATIVA_SERVER": "http://127.0.0.1:1", "ATIVA_ACCESS_TOKEN": "t", webhookSecretVariable: "canary secret"})
	if got := u.run(nil, "events", "--forward-to", "https://example.com/"); got.exit != cli.ExitAuth || strings.Contains(got.stderr, "canary") {
		t.Errorf("exit %d, %s", got.exit, got.stderr)
	}
}
