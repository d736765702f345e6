package client_test

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"runtime"
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

// neverRespond reads the request and never responds.
func neverRespond(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// stallHalfway sends a part of the response and nothing more.
func stallHalfway(w http.ResponseWriter, r *http.Request) {
	_, _ = w.Write([]byte(`{"status":[`))
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

// trickle sends a byte every five seconds for ever.
func trickle(w http.ResponseWriter, r *http.Request) {
	for r.Context().Err() == nil {
		_, _ = w.Write([]byte(" "))
		_ = http.NewResponseController(w).Flush()
		pause(r, 5*time.Second)
	}
}

// flow sends 8 KiB a second, which is no silence, for ever.
func flow(w http.ResponseWriter, r *http.Request) {
	for r.Context().Err() == nil {
		_, _ = w.Write([]byte(strings.Repeat(" ", 8<<10)))
		pause(r, time.Second)
	}
}

// pause waits, unless the client has gone.
func pause(r *http.Request, d time.Duration) {
	select {
	case <-time.After(d):
	case <-r.Context().Done():
	}
}

func statuses(ctx context.Context, c *client.Client) error { return errorOf(c.Statuses(ctx)) }

func subscriber(ctx context.Context, c *client.Client) error {
	return errorOf(c.Subscriber(ctx, "52998224725"))
}

func subscribers(ctx context.Context, c *client.Client) error {
	return errorOf(client.Collect(c.Subscribers(ctx)))
}

func remove(ctx context.Context, c *client.Client) error {
	return errorOf(c.DeleteSubscriber(ctx, "52998224725", ""))
}

// suspend may be repeated on a server that keeps idempotency keys.
func suspend(ctx context.Context, c *client.Client) error {
	return errorOf(c.Provision(ctx, api.Suspend, 25, []string{"52998224725"}, "key-1"))
}

// A silent server gets two requests at most, and OnRetry is called. The call ends
// within two minutes and within the user's time-out.
func TestASilentServerGetsTwoRequests(t *testing.T) {
	for _, c := range []struct {
		name    string
		silence http.HandlerFunc
		send    func(context.Context, *client.Client) error
		timeout time.Duration
		within  time.Duration
		tries   int
		effect  bool
	}{
		{"a read", neverRespond, statuses, 0, 2 * time.Minute, 2, false},
		{"a read of a body", stallHalfway, statuses, 0, 2 * time.Minute, 2, false},
		{"a read of a body that trickles", trickle, statuses, 0, 2 * time.Minute, 2, false},
		{"a list that stalls", stallHalfway, subscribers, 0, 56 * time.Second, 1, false},
		{"a read that never ends, in 90 s", flow, statuses, 90 * time.Second, 90 * time.Second, 1, false},
		{"a change", neverRespond, suspend, 0, 2 * time.Minute, 2, true},
		{"a list with a long time-out", neverRespond, subscribers, time.Hour, 2 * time.Minute, 2, false},
		{"a read in 3 s", neverRespond, statuses, 3 * time.Second, 3 * time.Second, 1, false},
		{"an overloaded server, in 3 s", status(503), statuses, 3 * time.Second, 3 * time.Second, 4, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			retries := 0
			cl, s := announced(t, client.Options{Timeout: c.timeout, OnRetry: func(time.Duration, error) { retries++ }}, c.silence)
			start := time.Now()
			err := c.send(t.Context(), cl)
			took := time.Since(start)
			synctest.Wait() // wait for the server to count its last request
			if client.KindOf(err) != client.KindUnavailable || took > c.within {
				t.Errorf("%s: got %v after %v, want unavailable within %v", c.name, err, took, c.within)
			}
			if o := failure.OutcomeOf(err); client.IsTimeout(err) && !c.effect && (failure.Text(lang.English, err) != "the server did not answer in time" || !strings.Contains(o.Hint.String(), "--timeout")) {
				t.Errorf("%s: got the text %q and the hint %s", c.name, failure.Text(lang.English, err), o.Hint)
			}
			if len(s.keys) > c.tries || retries != len(s.keys)-1 {
				t.Errorf("%s: got %d tries and %d calls of OnRetry; want %d, and a call for each further try", c.name, len(s.keys), retries, c.tries)
			}
			if lost, ok := errors.AsType[*client.UnavailableError](err); ok && lost.Unknown != c.effect {
				t.Errorf("%s: may have an effect: got %t, want %t (%v)", c.name, lost.Unknown, c.effect, err)
			}
		})
	}
}

func TestReaderOfAListMayTakeItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		row := `{"document":"52998224725","name":"` + strings.Repeat("x", 4000) + `"},`
		c := apitest.ServeInBubble(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"subscribers":[`+strings.Repeat(row, 20)+strings.TrimSuffix(row, ",")+`]}`)
		}), client.Options{Retry: apitest.Once(), IdleTimeout: 30 * time.Second})
		n := 0
		for _, err := range c.Subscribers(t.Context()) {
			must(t, err)
			time.Sleep(time.Minute)
			n++
		}
		if n != 21 {
			t.Errorf("got %d records, want 21", n)
		}
	})
}

// The outcome of an interrupted write is unknown, an interrupted list is an error, and the error of an
// interrupted wait has the answer before it.
func TestAnInterruptionEndsACallAndAWait(t *testing.T) {
	for name, c := range map[string]struct {
		h                http.HandlerFunc
		send             func(context.Context, *client.Client) error
		answered, effect bool
	}{
		"a write": {neverRespond, suspend, false, true},
		"a list":  {stallHalfway, subscribers, false, false},
		"a wait":  {status(503, "Retry-After", "50"), statuses, true, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			start := time.Now()
			err := c.send(ctx, apitest.ServeInBubble(t, &responseScript{steps: []http.HandlerFunc{c.h}}, client.Options{}))
			_, answered := errors.AsType[*client.Error](err)
			if exit := failure.OutcomeOf(err).Exit; exit != failure.ExitInterrupted || !errors.Is(err, context.Canceled) || time.Since(start) != time.Second {
				t.Errorf("%s: got %v after %v, want it canceled after 1s, exit %d", name, err, time.Since(start), failure.ExitInterrupted)
			}
			if effect := client.MayHaveEffect(err); answered != c.answered || effect != c.effect {
				t.Errorf("%s: answered %t, may have an effect %t; want %t, %t", name, answered, effect, c.answered, c.effect)
			}
		})
	}
}

// endless sends spaces or list elements without end, compressed or not.
func endless(compressed bool, head, more string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var out io.Writer = w
		if compressed {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			defer z.Close()
			out = z
		}
		chunk := []byte(strings.Repeat(more, 64<<10/len(more)))
		_, err := io.WriteString(out, head)
		for err == nil && r.Context().Err() == nil {
			_, err = out.Write(chunk)
		}
	}
}

// Reading an answer takes at most 1.5 times its limit of memory, even if the answer is larger or never
// ends; what is read piece by piece takes no more than that.
func TestALargeAnswerIsBounded(t *testing.T) {
	const limit = 32 << 20
	spaces := func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush() // announces no length
		line := []byte(strings.Repeat(" ", 1<<20))
		for range limit / len(line) {
			_, _ = w.Write(line)
		}
	}
	for _, c := range []struct {
		name string
		h    http.HandlerFunc
		send func(context.Context, *client.Client) error
	}{
		{"as large as the limit", spaces, subscriber},
		{"endless", endless(false, `{"status":[`, " "), statuses},
		{"record as gzip bomb", endless(true, `{"subscribers":[{"name":"`, "x"), subscribers},
		{"field before the list", endless(true, `{"x":"`, "x"), subscribers},
		{"error body", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(422)
			endless(false, `{"detail":"`, "x")(w, r)
		}, statuses},
	} {
		cl := apitest.Serve(t, c.h, client.Options{Retry: apitest.Once(), MaxBody: limit})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := c.send(t.Context(), cl)
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("%s: got no error", c.name)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > limit*3/2+limit/8 { // and a little for the server
			t.Errorf("%s: took %d MiB for a limit of %d MiB", c.name, took>>20, limit>>20)
		}
	}
}
