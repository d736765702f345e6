package cmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/lang"
)

const testSecret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

// attempt is a received message and its time.
type attempt struct {
	after time.Duration
	id    string
	body  string
}

// scriptedReceiver answers with the statuses in turn, repeating the last; 0 is no answer.
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
	if err := hook.Verify(body, req.Header); err != nil { // signed at the time of the attempt
		r.t.Errorf("attempt %d: %v", len(r.attempts)+1, err)
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

// forwardTo returns a forwarder to the receiver, at the cursor a.
func forwardTo(t *testing.T, r *scriptedReceiver, stderr io.Writer) *forwarder {
	t.Helper()
	r.t, r.began = t, time.Now()
	e := &cli.Env{Err: stderr, Out: io.Discard, Lang: lang.English, Getenv: func(name string) string { return map[string]string{webhookSecretVariable: testSecret}[name] }}
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
		must(t, f.deliver(t.Context(), page("b", `{"id":"1","document":null,"own":"<é>"}`, `{"id":"2"}`)))
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
		for _, text := range []string{"the receiver did not accept it: it reports an internal error; trying again in 5s\n", "the receiver gave no answer: the connection was cut; trying again in 30s\n", "the receiver did not accept it: it redirects to another address, which is not followed; trying again in 2m0s\n", "delivered 2 events\n"} {
			if !strings.Contains(stderr.String(), text) {
				t.Errorf("%q is missing in %s", text, &stderr)
			}
		}
		must(t, f.deliver(t.Context(), page("c", `{"id":"3"}`)))
		if last := r.attempts[len(r.attempts)-1]; last.id == r.attempts[0].id {
			t.Errorf("other events have the same id: %+v", last)
		}
		if strings.Contains(stderr.String(), "hidden") || strings.Contains(stderr.String(), testSecret) {
			t.Errorf("a secret is printed: %s", &stderr)
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
