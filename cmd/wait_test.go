package cmd

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/run"
)

// roundTrip answers requests without a network.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A subscriber that is deleted during a wait has no service left to wait for; the others are followed.
func TestAWaitOutlivesADeletedSubscriber(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		c := apitest.Client(t, client.Options{Server: "http://127.0.0.1", Retry: apitest.Once(), Transport: func(*http.Transport) http.RoundTripper {
			return roundTrip(func(r *http.Request) (*http.Response, error) {
				status, body := http.StatusOK, `{"subscriber":{"services":[{"content_supplier_product_id":25,"status_id":10,"status":"inProgress"}]},"response":"success"}`
				switch {
				case !strings.HasSuffix(r.URL.Path, ana):
					status, body = http.StatusNotFound, `{"message":"nobody"}`
				case time.Since(begin) > 3*time.Second:
					body = strings.NewReplacer("10", "1", "inProgress", "active").Replace(body)
				}
				return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(body)), Header: http.Header{"Content-Type": {api.MediaJSON}}}, nil
			})
		}})
		e := newUser(t, nil).environment(bytes.NewReader(nil), io.Discard, io.Discard)
		e.Global.Quiet = true
		w := &waiter{Env: e, client: c, pending: map[serviceKey]bool{}, seen: map[serviceKey]run.Service{}}
		for _, document := range []string{ana, "11144477735"} {
			w.add(document, run.Service{ProductID: 25, Status: "inProgress", StatusID: api.StatusInProgress})
		}
		if err := w.wait(t.Context()); err != nil || time.Since(begin) < 3*time.Second {
			t.Errorf("got %v after %v, want the end of the other's activation", err, time.Since(begin))
		}
	})
}

// A wait ends with its --timeout, and sends nothing after it, whether the server is away or answers,
// and whether it has a feed or not.
func TestNoRequestFollowsTheTimeoutOfAWait(t *testing.T) {
	answer := func(body string) roundTrip {
		return func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(body)), Header: http.Header{"Content-Type": {api.MediaJSON}}}, nil
		}
	}
	for name, c := range map[string]struct {
		after  string
		answer roundTrip
	}{
		"away, with a feed":    {"1", func(*http.Request) (*http.Response, error) { return nil, errors.New("connection refused") }},
		"away, without a feed": {"", func(*http.Request) (*http.Response, error) { return nil, errors.New("connection refused") }},
		"silent": {"", func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}},
		"a feed that holds its answers": {"1", func(r *http.Request) (*http.Response, error) {
			select {
			case <-r.Context().Done():
				return nil, r.Context().Err()
			case <-time.After(2 * time.Second):
				return answer(`{"events":[],"next_cursor":"1","response":"success"}`)(r)
			}
		}},
		"without a feed": {"", answer(`{"subscriber":{"document":"52998224725","services":[{"content_supplier_product_id":25,"status_id":10,"status":"inProgress"}]},"response":"success"}`)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const limit = 5 * time.Second
				begin, requests, late := time.Now(), 0, 0
				count := roundTrip(func(r *http.Request) (*http.Response, error) {
					if requests++; r.Context().Err() != nil || time.Since(begin) >= limit {
						late++
					}
					return c.answer(r)
				})
				e := newUser(t, nil).environment(bytes.NewReader(nil), io.Discard, io.Discard)
				e.Global.Timeout, e.Global.Quiet = limit, true
				w := &waiter{Env: e, after: c.after, pending: map[serviceKey]bool{}, seen: map[serviceKey]run.Service{},
					client: apitest.Client(t, client.Options{Server: "http://127.0.0.1", Retry: apitest.Once(), Transport: func(*http.Transport) http.RoundTripper { return count }})}
				w.add(ana, run.Service{ProductID: 25, Status: "inProgress", StatusID: api.StatusInProgress})
				err := w.wait(t.Context())
				if took := time.Since(begin); exitOf(err) != cli.ExitPending || took != limit {
					t.Errorf("got %v after %v, want exit %d after %v", err, took, cli.ExitPending, limit)
				}
				time.Sleep(time.Hour)
				if requests == 0 || late > 0 {
					t.Errorf("%d of %d requests came after the time-out", late, requests)
				}
			})
		})
	}
}
