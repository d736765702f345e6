package client_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/client"
	"ativa/internal/failure"
	"ativa/internal/lang"
)

// responseScript responds to each request with the next of its steps, and then
// always with the last.
type responseScript struct {
	steps []http.HandlerFunc
	keys  []string
}

func (s *responseScript) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	step := s.steps[min(len(s.keys), len(s.steps)-1)]
	s.keys = append(s.keys, strings.Join(r.Header.Values(api.HeaderIdempotencyKey), ","))
	step(w, r)
}

// announced returns a client of a server that has named its extensions and now responds with the steps.
func announced(t *testing.T, o client.Options, steps ...http.HandlerFunc) (*client.Client, *responseScript) {
	t.Helper()
	s := &responseScript{steps: []http.HandlerFunc{status(200, api.HeaderExtensions, api.Extensions)}}
	c := apitest.ServeInBubble(t, s, o)
	must(t, statuses(t.Context(), c))
	s.steps, s.keys = steps, nil
	return c, s
}

// abort reads the request and closes the connection without a response.
func abort(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// endEarly responds like a proxy that announces no length and lost the server: with half of the body.
func endEarly(w http.ResponseWriter, _ *http.Request) {
	respond(w, 200, `{"response":"success","results":[`)
}

// abortHalfway closes the connection in the middle of the response.
func abortHalfway(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "1000")
	_, _ = w.Write([]byte(`{"response":`))
	panic(http.ErrAbortHandler)
}

func TestOnlySafeRequestsAreRetried(t *testing.T) {
	ok := status(200)
	for _, c := range []struct {
		name  string
		steps []http.HandlerFunc
		call  func(context.Context, *client.Client) error
		ours  bool // the server has named its extensions before
		tries int
		ok    bool
	}{
		{"a read is", []http.HandlerFunc{abort, status(503), status(502), status(504), ok}, statuses, false, 5, true},
		{"until it was tried often enough", []http.HandlerFunc{status(503)}, statuses, false, 5, false},
		{"a read cut in the answer is", []http.HandlerFunc{abortHalfway, ok}, statuses, false, 2, true},
		{"a read without the end of the answer is", []http.HandlerFunc{endEarly, ok}, statuses, false, 2, true},
		{"a read with 500 is not", []http.HandlerFunc{status(500), ok}, statuses, false, 1, false},
		{"a delete is", []http.HandlerFunc{abort, status(503), ok}, remove, false, 3, true},
		{"a post to another server is not", []http.HandlerFunc{abort, ok}, suspend, false, 1, false},
		{"nor when its end is missing", []http.HandlerFunc{endEarly, ok}, suspend, false, 1, false},
		{"but with 429 it is, it was not run", []http.HandlerFunc{status(429), ok}, suspend, false, 2, true},
		{"a post to ours is", []http.HandlerFunc{abort, abortHalfway, endEarly, status(503), ok}, suspend, true, 5, true},
		{"even when the first is still running", []http.HandlerFunc{inProgress, ok}, suspend, true, 2, true},
		{"however long it runs", slices.Concat([]http.HandlerFunc{abort}, slices.Repeat([]http.HandlerFunc{inProgress}, 6), []http.HandlerFunc{ok}), suspend, true, 8, true},
		{"a conflict is not", []http.HandlerFunc{status(409), ok}, suspend, true, 1, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			cl, s := announced(t, client.Options{}, c.steps...)
			if !c.ours {
				s = &responseScript{steps: c.steps}
				cl = apitest.ServeInBubble(t, s, client.Options{})
			}
			err := c.call(t.Context(), cl)
			if (err == nil) != c.ok || len(s.keys) != c.tries {
				t.Errorf("%s: got %v after %d tries, want ok %t after %d", c.name, err, len(s.keys), c.ok, c.tries)
			}
			if len(slices.Compact(slices.Clone(s.keys))) > 1 {
				t.Errorf("%s: keys: got %q, want the same for each try", c.name, s.keys)
			}
		})
	}
}

// gatewayTimeout responds like a proxy that waited for the server in vain.
func gatewayTimeout(w http.ResponseWriter, _ *http.Request) {
	respond(w, 504, "<html>504 Gateway Time-out</html>")
}

func inProgress(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Retry-After", "1")
	respond(w, 409, `{"response":"error","code":"request_in_progress"}`)
}

// On a kept connection, the transport itself repeats every request with an
// Idempotency-Key. A server that ignores keys would execute it twice.
func TestTransportRepeatsNoPost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := announced(t, client.Options{Retry: apitest.Once()}, abort)
		_, err := c.Do(t.Context(), client.Request{Method: http.MethodPost, Path: "/extra"})
		if len(s.keys) != 1 || s.keys[0] == "" || !client.MayHaveEffect(err) {
			t.Errorf("got the keys %q and %v, want one request and an unknown outcome", s.keys, err)
		}
	})
}

func TestUnsentRequestsAreAlwaysRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := apitest.NewNetwork()
		_ = n.Close()
		c := apitest.Client(t, client.Options{Server: "http://localhost", Transport: n.Transport})
		_, err := c.Change(t.Context(), api.ChangeRequest{}, "")
		if client.KindOf(err) != client.KindUnavailable || client.MayHaveEffect(err) || n.Dials.Load() != 5 {
			t.Errorf("got %v after %d dials, want unavailable without effect after 5", err, n.Dials.Load())
		}
	})
}

func TestTriesForABearerDoNotMultiply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &responseScript{steps: []http.HandlerFunc{status(503)}}
		tokens := &selfAuthenticating{}
		tokens.c = apitest.ServeInBubble(t, s, client.Options{Tokens: tokens})
		_, err := tokens.c.Statuses(t.Context())
		if client.KindOf(err) != client.KindUnavailable || len(s.keys) != 5 {
			t.Errorf("got %v after %d requests, want unavailable after 5", err, len(s.keys))
		}
	})
}

// A write whose answer was lost is done if the repetition finds nothing: a deletion, and a new
// document on a server without idempotency keys, which no longer knows the old one.
func TestAWriteIsDoneWhenTheRepeatFindsNothing(t *testing.T) {
	subscriber := answer(200, `{"response":"success","subscriber":{"document":"52998224725"}}`)
	// It asks for the statuses and the subscriber before the change, and for the subscriber after it.
	move := func(ctx context.Context, c *client.Client) error {
		_, err := c.UpdateSubscriber(ctx, "52998224725", api.SubscriberUpdate{Document: api.Some("11144477735")}, "")
		return err
	}
	for name, c := range map[string]struct {
		send   func(context.Context, *client.Client) error
		before []http.HandlerFunc
		steps  []http.HandlerFunc
		done   bool
	}{
		"a deletion":                          {remove, nil, []http.HandlerFunc{abort, status(404)}, true},
		"a deletion that was turned away":     {remove, nil, []http.HandlerFunc{status(429), status(404)}, false},
		"under the new document":              {move, []http.HandlerFunc{status(200), subscriber}, []http.HandlerFunc{abort, status(404), subscriber}, true},
		"under neither":                       {move, []http.HandlerFunc{status(200), subscriber}, []http.HandlerFunc{abort, status(404), status(404)}, false},
		"a new document that was turned away": {move, []http.HandlerFunc{status(200), subscriber}, []http.HandlerFunc{status(429), status(404), subscriber}, false},
	} {
		for _, kept := range []bool{false, true} { // the connection
			synctest.Test(t, func(t *testing.T) {
				s := &responseScript{steps: []http.HandlerFunc{status(200)}}
				cl := apitest.ServeInBubble(t, s, client.Options{})
				if kept {
					must(t, statuses(t.Context(), cl))
				}
				s.steps, s.keys = slices.Concat(c.before, c.steps), nil
				err := c.send(t.Context(), cl)
				if (err == nil) != c.done || !c.done && client.KindOf(err) != client.KindNotFound {
					t.Errorf("%s, kept connection %v: got %v, want done %v", name, kept, err, c.done)
				}
			})
		}
	}
}

func TestRetryAfterIsObeyedAndCapped(t *testing.T) {
	for _, c := range []struct {
		name, after string
		least, most time.Duration
	}{
		{"seconds", "7", 7 * time.Second, 7 * time.Second},
		{"a date", "Sat, 01 Jan 2000 00:00:09 GMT", 8 * time.Second, 9 * time.Second},
		{"a year", "31536000", time.Minute, time.Minute},
		{"nonsense", "soon", 250 * time.Millisecond, 750 * time.Millisecond},
		{"nothing", "", 250 * time.Millisecond, 750 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &responseScript{steps: []http.HandlerFunc{status(503, "Retry-After", c.after), status(200)}}
			var reported time.Duration
			cl := apitest.ServeInBubble(t, s, client.Options{OnRetry: func(d time.Duration, _ error) { reported += d }})
			start := time.Now()
			if _, err := cl.Statuses(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := time.Since(start); got < c.least || got > c.most || reported != got {
				t.Errorf("%s: waited %v and reported %v, want %v to %v", c.name, got, reported, c.least, c.most)
			}
		})
	}
}

func TestNoWaitGoesBeyondTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &responseScript{steps: []http.HandlerFunc{status(503, "Retry-After", "50")}}
		c := apitest.ServeInBubble(t, s, client.Options{})
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		start := time.Now()
		_, err := c.Statuses(ctx)
		if e, ok := errors.AsType[*client.Error](err); !ok || e.RetryAfter != 50*time.Second || time.Since(start) > time.Second {
			t.Errorf("got %v after %v, want the 503 at once", err, time.Since(start))
		}
	})
}

// After the caller's context ends, an answered write is not retried, not even after a wait that has
// begun. A write without an answer is, because its outcome is unknown, and a read is, because it may
// show an outcome.
func TestAFinishedCallIsNotRetriedAfterAnAnswer(t *testing.T) {
	ok := status(200)
	for _, c := range []struct {
		name  string
		steps []http.HandlerFunc
		call  func(context.Context, *client.Client) error
		after time.Duration // of the interruption
		tries int
	}{
		{"too many requests", []http.HandlerFunc{status(429, "Retry-After", "7"), ok}, suspend, 0, 1},
		{"busy", []http.HandlerFunc{status(503), ok}, suspend, 0, 1},
		{"during the wait", []http.HandlerFunc{status(503, "Retry-After", "7"), ok}, suspend, time.Second, 1},
		{"no answer", []http.HandlerFunc{abort, ok}, suspend, 0, 2},
		{"in progress", []http.HandlerFunc{inProgress, ok}, suspend, 0, 2},
		{"a read", []http.HandlerFunc{status(503), ok}, statuses, 0, 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			cl, s := announced(t, client.Options{}, c.steps...)
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			if c.after == 0 {
				interrupt()
			}
			time.AfterFunc(c.after, interrupt)
			began := time.Now()
			err := c.call(client.Finish(ctx), cl)
			if len(s.keys) != c.tries || (c.tries == 1) != errors.Is(err, context.Canceled) || c.tries == 1 && time.Since(began) != c.after {
				t.Errorf("%s: got %v after %d tries and %v; want %d tries and %v", c.name, err, len(s.keys), time.Since(began), c.tries, c.after)
			}
		})
	}
}

// The name of a server that has answered exists: if a resolver no longer knows it, the lookup is
// retried.
func TestANameThatHasAnsweredIsLookedUpAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := 0
		network := roundTripper(func(r *http.Request) (*http.Response, error) {
			if answers++; answers == 2 {
				return nil, &net.DNSError{Err: "no such host", Name: r.URL.Host, IsNotFound: true}
			}
			w := httptest.NewRecorder()
			respond(w, 200, `{"status":[]}`)
			return w.Result(), nil
		})
		cl := apitest.Client(t, client.Options{Server: "http://localhost", Transport: func(*http.Transport) http.RoundTripper { return network }})
		for range 2 {
			if _, err := cl.Statuses(t.Context()); err != nil {
				t.Error(err)
			}
		}
		if answers != 3 {
			t.Errorf("got %d requests, want the second one repeated", answers)
		}
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A refusal means that its own attempt had no effect, not that an earlier one without an answer had
// none. The sign-in has no effect.
func TestTheErrorOfAWriteSaysWhetherItMayHaveHadItsEffect(t *testing.T) {
	for _, c := range []struct {
		name  string
		steps []http.HandlerFunc
		want  bool
	}{
		{"refused", []http.HandlerFunc{status(401)}, false},
		{"refused after a lost answer", []http.HandlerFunc{abort, status(401)}, true},
		{"refused after two temporary refusals", []http.HandlerFunc{status(503), status(429), status(403)}, true},
		{"still being processed", []http.HandlerFunc{inProgress}, true},
		{"broken", []http.HandlerFunc{status(500)}, true},
		{"a page of the proxy in between", []http.HandlerFunc{gatewayTimeout}, true},
		{"a sign-in page in place of the answer", []http.HandlerFunc{answer(200, "<html>")}, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			cl, _ := announced(t, client.Options{}, c.steps...)
			_, err := cl.Provision(t.Context(), api.Suspend, 25, []string{"52998224725"}, "key-1")
			if err == nil || client.MayHaveEffect(err) != c.want {
				t.Errorf("%s: got %v, may have effect %t, want %t", c.name, err, client.MayHaveEffect(err), c.want)
			}
			text, hint := failure.Text(lang.English, err), failure.OutcomeOf(err).Hint.String()
			if strings.Contains(text, "may have been carried out") != c.want || c.want && (strings.Contains(text, "not reach") || strings.Contains(hint, "nothing was changed")) {
				t.Errorf("%s: got %s (%s), want the doubt said: %t", c.name, text, hint, c.want)
			}
		})
	}
	cl := signingIn(t, &responseScript{steps: []http.HandlerFunc{status(502)}}, client.Options{})
	if err := remove(t.Context(), cl); client.KindOf(err) != client.KindUnavailable || client.MayHaveEffect(err) {
		t.Errorf("the sign-in: got %v, may have effect %t", err, client.MayHaveEffect(err))
	}
}
