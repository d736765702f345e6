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

func TestAfterAnErrorNothingFurtherIsStartedAndEveryRowHasAnOutcome(t *testing.T) {
	gone := lost()
	s := &memoryJob{fail: func(request int, _ run.Batch) error {
		if request == 3 {
			return gone
		}
		return nil
	}}
	done, unknown, notSent := 0, 0, 0
	err := run.Run(t.Context(), s, rows(10_000), nil, run.Options{Rows: 10, InFlight: 2, Idempotency: true}, func(o run.RowResult) error {
		switch {
		case o.IsNotSent():
			notSent++
		case o.Err != nil:
			unknown++
		default:
			done++
		}
		return nil
	})
	if !errors.Is(err, gone) || unknown != 10 {
		t.Errorf("got %v and %d rows without an answer, want the loss and 10", err, unknown)
	}
	if done != len(s.rows) || done > 200 || done+unknown+notSent != 10_000 {
		t.Errorf("got %d outcomes for %d rows done, and %d not sent, want the same, soon an end, and the rest", done, len(s.rows), notSent)
	}
}

func TestAnErrorOfTheFileEndsTheRun(t *testing.T) {
	broken := errors.New("record too long")
	seq := func(yield func(*sheet.Row, error) bool) {
		for r := range rows(15) {
			if !yield(r, nil) {
				return
			}
		}
		if yield(nil, broken) {
			for r := range rows(20) { // what is known of the rows behind
				yield(r, nil)
			}
		}
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

// refusingFixture returns a server that refuses a whole batch because of some of its documents
// and does not name them. bad reports whether the n-th document is one of them.
func refusingFixture(t *testing.T, total int, bad func(n int) bool) (*apitest.Server, *client.Client, []string) {
	f, server := newFixture(t, "")
	var documents []string
	refused := map[string]bool{}
	for n := range total {
		d := numbered(n)
		f.Add(d, 7)
		documents = append(documents, d)
		refused[d] = bad(n)
	}
	f.Refuse = func(r apitest.Request) (int, string) {
		if slices.ContainsFunc(r.Documents, func(d string) bool { return refused[d] }) {
			return http.StatusUnprocessableEntity, "no"
		}
		return 0, ""
	}
	return f, server, documents
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

// suspended counts the documents whose service the server has suspended.
func suspended(f *apitest.Server, documents []string) int {
	n := 0
	for _, d := range documents {
		if f.Status(d, 7) == "waitingSuspension" {
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
		"the bad ones first":     {"", func(n int) bool { return n < 10 }, 0, 4},
		"every twentieth is bad": {"", func(n int) bool { return n%21 == 20 }, 80, 4},
		"each is reported":       {allExtensions, func(n int) bool { return n < 10 }, 10, 10},
	} {
		t.Run(name, func(t *testing.T) {
			f, server, documents := refusingFixture(t, 210, c.bad)
			o := run.Options{TooMany: func(failed int) bool { return failed > 3 }}
			if c.extensions != "" {
				o.Rows, o.InFlight, o.Idempotency = 20, 1, true
				f.Extensions, f.Refuse = c.extensions, nil
				f.Fails = func(_ apitest.Request, d string) string {
					if c.bad(slices.Index(documents, d)) {
						return "no"
					}
					return ""
				}
			}
			got, err := collect(t, &run.Provision{Client: server, Operation: api.Suspend, Product: 7}, file(documents...), o)
			if !errors.Is(err, run.ErrTooManyFailures) {
				t.Errorf("got %v, want an end after 4 failures", err)
			}
			done, refused, unknown := countResults(got)
			if n := suspended(f, documents); n != c.done || done != n || refused != c.refused || unknown != 0 {
				t.Errorf("got %d suspended, and outcomes %d done, %d refused, %d unknown; want %d, as many done, %d and 0", n, done, refused, unknown, c.done, c.refused)
			}
		})
	}
}

// Ctrl-C while a batch is sent in parts: no further part is sent, and the next run processes
// exactly the rest.
func TestAnInterruptedBatchSendsNoFurtherParts(t *testing.T) {
	for name, extensions := range map[string]string{"with keys": allExtensions, "without keys": ""} {
		t.Run(name, func(t *testing.T) {
			f, server, documents := refusingFixture(t, 200, func(n int) bool { return n%40 == 39 })
			f.Extensions = extensions
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			refuse := f.Refuse
			f.Refuse = func(r apitest.Request) (int, string) {
				if r.N == 8 {
					interrupt()
				}
				return refuse(r)
			}
			dir := t.TempDir()
			job := &run.Provision{Client: server, Operation: api.Suspend, Product: 7}
			options := run.Options{Idempotency: extensions != ""}
			got, err := sendIn(ctx, t, dir, job, file(documents...), options)
			if n := len(f.Sent("suspend")); !errors.Is(err, context.Canceled) || n != 8 {
				t.Errorf("got %v after %d requests, want the interruption after 8", err, n)
			}
			if done, _, unknown := countResults(got); unknown != 0 || done != suspended(f, documents) {
				t.Errorf("got %d done, %d unknown, %d suspended, want as many done as suspended", done, unknown, suspended(f, documents))
			}
			got, err = sendIn(t.Context(), t, dir, job, file(documents...), options)
			must(t, err)
			if done, refused, unknown := countResults(got); done != 195 || refused != 5 || unknown != 0 || suspended(f, documents) != 195 {
				t.Errorf("got %d done, %d refused, %d unknown, %d suspended in the end, want 195, 5, 0, 195", done, refused, unknown, suspended(f, documents))
			}
		})
	}
}

// Ctrl-C while the server is too busy: the batch is not tried again.
func TestAnInterruptedBatchIsNotRetriedAfterARefusal(t *testing.T) {
	for status, notSent := range map[int]int{http.StatusTooManyRequests: 20, http.StatusServiceUnavailable: 10} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			f := apitest.New(allExtensions)
			server := apitest.Serve(t, f, client.Options{Retry: client.RetryPolicy{Random: func() float64 { return 0 }}})
			addPeople(f, 20)
			_, err := server.Statuses(t.Context()) // says that the server has keys
			must(t, err)
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			f.Refuse = func(apitest.Request) (int, string) {
				interrupt()
				return status, "busy"
			}
			job := &run.Provision{Client: server, Operation: api.Suspend, Product: 1}
			got, err := send(ctx, job, file(documents(20)...), nil, run.Options{Rows: 10, InFlight: 1, Idempotency: true})
			done, refused, unknown := countResults(got)
			if n := len(f.Sent("suspend")); !errors.Is(err, context.Canceled) || n != 1 || done+refused != 0 || len(got)-unknown != notSent {
				t.Errorf("got %v after %d requests, %d done, %d refused, %d unknown; want the interruption after 1, and %d rows not sent", err, n, done, refused, unknown, notSent)
			}
		})
	}
}

// A row whose part of a batch was answered, on a server without keys, is not sent again when the run
// is resumed, even if its operation was undone elsewhere since.
func TestAPartThatWasAnsweredIsNotSentAgain(t *testing.T) {
	f, server, documents := refusingFixture(t, 64, func(n int) bool { return n == 40 })
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	refuse := f.Refuse
	f.Refuse = func(r apitest.Request) (int, string) {
		if r.N == 4 { // the first half is done
			interrupt()
		}
		return refuse(r)
	}
	dir, job := t.TempDir(), &run.Provision{Client: server, Operation: api.Suspend, Product: 7}
	for _, ctx := range []context.Context{ctx, t.Context()} {
		got, err := sendIn(ctx, t, dir, job, file(documents...), run.Options{})
		done, refused, unknown := countResults(got)
		if ctx.Err() == nil && (err != nil || done != 63 || refused != 1 || f.Status(documents[0], 7) != "active") {
			t.Errorf("resumed: got %v, %d done, %d refused, the first %s; want 63, 1 and the first as it was", err, done, refused, f.Status(documents[0], 7))
		}
		if ctx.Err() != nil && (done < 32 || done == 63 || unknown != 0) {
			t.Fatalf("interrupted: got %v, %d done, %d unknown", err, done, unknown)
		}
		f.Lock()
		f.Subscribers[documents[0]].Services[0] = f.Service(7, "active") // reactivated elsewhere
		f.Unlock()
	}
	if info, err := (run.JournalDir{Path: dir}).List(); err != nil || len(info) != 1 || info[0].Done != 64 || info[0].Unanswered != 0 {
		t.Errorf("the list: got %+v, %v, want 64 done", info, err)
	}
}

// A server without keys registered the first row of a batch and broke off, and the run was
// interrupted: the next run activates the products of that row, which it would otherwise take for a
// subscriber that existed before.
func TestAnInterruptedReadBackIsNoBatchThatWasNotSent(t *testing.T) {
	f, server := newFixture(t, "")
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	rows := file(numbered(1), numbered(2))
	for _, row := range rows {
		row.ProductsIDs = []api.Int{7}
	}
	f.Drop = func(apitest.Request) bool {
		f.Add(numbered(1))
		f.Drop = nil
		interrupt()
		return true
	}
	dir := t.TempDir()
	if _, err := sendIn(ctx, t, dir, &run.Import{Client: server}, rows, run.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the interruption", err)
	}
	existing, err := run.ReadDocuments(t.Context(), server)
	must(t, err)
	_, err = sendIn(t.Context(), t, dir, &run.Import{Client: server}, rows, run.Options{Existing: existing})
	must(t, err)
	for _, d := range []string{numbered(1), numbered(2)} {
		if got := f.Status(d, 7); got != "inProgress" || len(f.Documents) != 2 {
			t.Errorf("%s: got %q, with %d subscribers, want inProgress and 2", d, got, len(f.Documents))
		}
	}
}

// A token that is refused in the middle of a run ends it. Refused rows were not processed and are
// sent when the run is resumed, even in a resend, which sends no e-mail twice.
func TestARefusedTokenEndsARunAndTheRestIsSentLater(t *testing.T) {
	jobs := map[string]func(*client.Client) run.Job{
		"resend":  func(c *client.Client) run.Job { return &run.Resend{Client: c, All: true} },
		"import":  func(c *client.Client) run.Job { return &run.Import{Client: c} },
		"suspend": func(c *client.Client) run.Job { return &run.Provision{Client: c, Operation: api.Suspend, Product: 7} },
	}
	for name, job := range jobs {
		for mode, extensions := range map[string]string{"with keys": allExtensions, "without keys": ""} {
			t.Run(name+" "+mode, func(t *testing.T) {
				f, server := newFixture(t, extensions)
				if name != "import" {
					for _, d := range documents(10) {
						f.Add(d, 7)
					}
				}
				revoked := true
				f.Refuse = func(r apitest.Request) (int, string) {
					if revoked && r.N > 3 {
						return http.StatusUnauthorized, api.CodeTokenInvalid
					}
					return 0, ""
				}
				dir := t.TempDir()
				again := func() (done, refused, unknown int, err error) {
					got, err := sendIn(t.Context(), t, dir, job(server), file(documents(10)...), run.Options{Rows: 1, InFlight: 2, Idempotency: extensions != ""})
					done, refused, unknown = countResults(got)
					return done, refused, unknown, err
				}
				if done, refused, unknown, err := again(); client.KindOf(err) != client.KindAuth || done != 3 || refused+unknown != 0 {
					t.Errorf("got %v, %d done, %d refused, %d unknown, want the refusal, 3, 0, 0", err, done, refused, unknown)
				}
				if info, err := (run.JournalDir{Path: dir}).List(); err != nil || len(info) != 1 || info[0].Done != 3 || info[0].Unanswered != 0 {
					t.Errorf("the list: got %+v, %v, want 3 done and none unanswered", info, err)
				}
				revoked = false
				if done, refused, unknown, err := again(); err != nil || done != 10 {
					t.Errorf("the next run: got %v, %d done, %d refused, %d unknown, want 10 done", err, done, refused, unknown)
				}
				var sent []string
				for _, r := range f.CarriedOut {
					sent = append(sent, r.Documents...)
				}
				if slices.Sort(sent); !slices.Equal(sent, documents(10)) {
					t.Errorf("carried out for %v, want each document once", sent)
				}
			})
		}
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
		t.Run(name, func(t *testing.T) {
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
				t.Errorf("got %v, %v after sending %v, want %v after %v", err, kinds, sent, c.kinds, c.sent)
			}
		})
	}
}
