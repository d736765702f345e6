package run_test

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/client"
	"ativa/internal/run"
	"ativa/internal/sheet"
)

func TestAnErrorOfTheFileEndsTheRun(t *testing.T) {
	broken := errors.New("record too long")
	seq := func(yield func(*sheet.Row, error) bool) {
		rows(15)(yield)
		yield(nil, broken)
		rows(20)(yield) // what is known of the rows behind
	}
	s, sent, notSent := &memoryJob{}, 0, 0
	err := run.Run(t.Context(), s, seq, nil, run.Options{Rows: 10}, func(o run.RowResult) error {
		if o.IsNotSent() {
			notSent++
		} else {
			sent++
		}
		return nil
	})
	if !errors.Is(err, broken) || sent != 10 || len(s.rows) != 10 || notSent != 25 {
		t.Errorf("got %v after %d rows, and %d not sent, want the error of the file after the first batch, and the rest not sent", err, sent, notSent)
	}
}

// countResults counts rows that are done, refused and unanswered; the others were not sent.
func countResults(all map[string]run.RowResult) (done, refused, unknown int) {
	for _, o := range all {
		switch {
		case o.IsNotSent():
		case o.Err != nil:
			unknown++
		case o.Kind == api.ResultFailed:
			refused++
		default:
			done++
		}
	}
	return done, refused, unknown
}

// suspended counts the subscribers whose first service the server has suspended.
func suspended(f *apitest.Server) (n int) {
	for _, s := range f.Subscribers {
		if s.Services[0].Status == "waitingSuspension" {
			n++
		}
	}
	return n
}

// Failures end a run while a batch is halved, not when it is done. If the server reports each document,
// the failures of one answer end the run before the next batch.
func TestTooManyFailuresEndARun(t *testing.T) {
	for name, c := range map[string]struct {
		extensions    string
		bad           func(n int) bool
		done, refused int
	}{
		"the bad ones first":     {"", func(n int) bool { return n <= 10 }, 0, 4},
		"every twentieth is bad": {"", func(n int) bool { return n%21 == 0 }, 80, 4},
		"each is reported":       {allExtensions, func(n int) bool { return n <= 10 }, 10, 10},
	} {
		f, server := newFixture(t, c.extensions)
		addPeople(f, 210)
		isBad := func(d string) bool { return c.bad(slices.Index(f.Documents, d) + 1) }
		o := run.Options{TooMany: func(failed int) bool { return failed > 3 }}
		if c.extensions == "" {
			f.Refuse = func(r apitest.Request) (int, string) {
				return map[bool]int{true: http.StatusUnprocessableEntity}[slices.ContainsFunc(r.Documents, isBad)], "no"
			}
		} else {
			o.Rows, o.InFlight, o.Idempotency = 20, 1, true
			f.Fails = func(_ apitest.Request, d string) string { return map[bool]string{true: "no"}[isBad(d)] }
		}
		got, err := collect(t, &run.Provision{Client: server, Operation: api.Suspend, Product: 1}, file(f.Documents...), o)
		done, refused, unknown := countResults(got)
		if n := suspended(f); !errors.Is(err, run.ErrTooManyFailures) || n != c.done || done != n || refused != c.refused || unknown != 0 {
			t.Errorf("%s: got %v, %d suspended, %d done, %d refused, %d unknown; want %d, as many done, %d and 0", name, err, n, done, refused, unknown, c.done, c.refused)
		}
	}
}

// Ctrl-C while the server is too busy: the batch is not tried again.
func TestAnInterruptedBatchIsNotRetriedAfterARefusal(t *testing.T) {
	f := apitest.New(allExtensions)
	server := apitest.Serve(t, f, client.Options{Retry: client.RetryPolicy{Random: func() float64 { return 0 }}})
	addPeople(f, 20)
	_, err := server.Statuses(t.Context()) // says that the server has keys
	must(t, err)
	ctx, interrupt := context.WithCancel(t.Context())
	f.Refuse = func(apitest.Request) (int, string) {
		interrupt()
		return http.StatusServiceUnavailable, "busy"
	}
	job := &run.Provision{Client: server, Operation: api.Suspend, Product: 1}
	got, err := send(ctx, job, file(documents(20)...), nil, run.Options{Rows: 10, InFlight: 1, Idempotency: true})
	if done, refused, unknown := countResults(got); !errors.Is(err, context.Canceled) || len(f.Requests) != 1 || done+refused != 0 || unknown != 10 {
		t.Errorf("got %v after %d requests, %d done, %d refused, %d unknown; want the interruption after 1, and 10 rows not sent", err, len(f.Requests), done, refused, unknown)
	}
}

// A server keeps idempotency keys for 7 days. A batch that was not answered is read back when the
// run is resumed after that, and only what the server has not done is sent.
func TestAnUnansweredBatchIsReadBackWhenItsKeyHasExpired(t *testing.T) {
	const day = 24 * time.Hour
	register := func(c *client.Client) run.Job { return &run.Import{Client: c} }
	suspend := func(c *client.Client) run.Job { return &run.Provision{Client: c, Operation: api.Suspend, Product: 7} }
	resend := func(c *client.Client) run.Job { return &run.Resend{Client: c, All: true} }
	for name, c := range map[string]struct {
		job        func(*client.Client) run.Job
		existing   int             // subscribers before the run
		carriedOut int             // rows of the lost request
		resumed    []time.Duration // after the first run, and after each other; the last one is answered
		sent       []string        // documents that the last run sends
		kinds      map[string]int  // its results
	}{
		"import":            {register, 1, 2, []time.Duration{8 * day}, documents(4)[2:], map[string]int{api.ResultExisting: 1, api.ResultCreated: 3}},
		"suspend":           {suspend, 4, 2, []time.Duration{8 * day}, documents(4)[2:], map[string]int{api.ResultAccepted: 4}},
		"suspend in time":   {suspend, 4, 4, []time.Duration{6 * day}, documents(4), map[string]int{api.ResultAccepted: 4}},
		"resend":            {resend, 4, 1, []time.Duration{8 * day}, nil, map[string]int{api.ResultFailed: 4}},
		"resend, two times": {resend, 4, 1, []time.Duration{4 * day, 4 * day}, nil, map[string]int{api.ResultFailed: 4}},
	} {
		f, server := newFixture(t, allExtensions)
		clock := time.Now()
		for _, d := range documents(c.existing) {
			f.Add(d, 7).CreatedAt = api.At(clock.Add(-day))
		}
		f.Only = func(apitest.Request) int { return c.carriedOut }
		f.Lose = func(apitest.Request) bool { return true }
		dir := run.JournalDir{Path: t.TempDir(), Clock: func() time.Time { return clock }}
		sendAll := func() (map[string]run.RowResult, error) {
			j, err := dir.Open(spec, nil)
			must(t, err)
			defer j.Close()
			return send(t.Context(), c.job(server), file(documents(4)...), j, run.Options{Idempotency: true})
		}
		for _, after := range c.resumed {
			if _, err := sendAll(); err == nil {
				t.Fatal("the answer is not lost")
			}
			for _, d := range f.Documents[c.existing:] {
				f.Subscribers[d].CreatedAt = api.At(clock)
			}
			clock = clock.Add(after)
		}
		f.Only, f.Lose = nil, nil
		before := len(f.Requests)
		got, err := sendAll()
		kinds := map[string]int{}
		for _, r := range got {
			kinds[r.Kind]++
		}
		var sent []string
		for _, r := range f.Requests[before:] {
			sent = append(sent, r.Documents...)
		}
		if err != nil || !slices.Equal(sent, c.sent) || !maps.Equal(kinds, c.kinds) {
			t.Errorf("%s: got %v, %v after sending %v, want %v after %v", name, err, kinds, sent, c.kinds, c.sent)
		}
	}
}
