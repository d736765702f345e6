package run_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/client"
	"ativa/internal/run"
)

// slowJob is a memoryJob whose requests take a set time on the virtual clock.
type slowJob struct {
	memoryJob
	start          time.Time
	sent           []time.Duration // after start
	takes          func(b run.Batch) time.Duration
	underWay, peak int
}

func (s *slowJob) Send(ctx context.Context, b run.Batch) ([]run.Result, error) {
	s.mu.Lock()
	s.sent = append(s.sent, time.Since(s.start))
	s.underWay++
	s.peak = max(s.peak, s.underWay)
	s.mu.Unlock()
	if s.takes != nil {
		time.Sleep(s.takes(b))
	}
	s.mu.Lock()
	s.underWay--
	s.mu.Unlock()
	return s.memoryJob.Send(ctx, b)
}

// Rows replayed from the journal do not count towards the limit.
func TestRowsPerSecondAreLimited(t *testing.T) {
	for _, c := range []struct {
		rows, perRequest int
		perSec           float64
		want             []time.Duration
	}{
		{400, 100, 100, []time.Duration{0, time.Second, 2 * time.Second, 3 * time.Second}},
		{400, 100, 50, []time.Duration{0, 2 * time.Second, 4 * time.Second, 6 * time.Second}},
		{250, 100, 10, []time.Duration{0, 10 * time.Second, 15 * time.Second}}, // the last has 50 rows
		{400, 100, 0, []time.Duration{0, 0, 0, 0}},
	} {
		synctest.Test(t, func(t *testing.T) {
			dir, s := t.TempDir(), &slowJob{start: time.Now()}
			for range 2 {
				j := open(t, dir)
				err := run.Run(t.Context(), s, rows(c.rows), j, run.Options{Rows: c.perRequest, PerSec: c.perSec, Idempotency: true}, ignore)
				must(t, errors.Join(err, j.Close()))
				slices.Sort(s.sent)
				if took := time.Since(s.start); !slices.Equal(s.sent, c.want) || took != c.want[len(c.want)-1] {
					t.Errorf("%v rows per second: sent after %v, took %v, want %v", c.perSec, s.sent, took, c.want)
				}
			}
		})
	}
}

// A batch of an interrupted run, which is sent again whole, counts with all its rows.
func TestALargeBatchThatIsSentAgainIsLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, s := t.TempDir(), &slowJob{start: time.Now()}
		s.lose = func(int) bool { return true }
		j := open(t, dir)
		if err := run.Run(t.Context(), s, rows(100), j, run.Options{Rows: 100, Idempotency: true}, ignore); err == nil {
			t.Error("no answer is lost")
		}
		must(t, j.Close())
		s.sent, s.lose = nil, nil
		j = open(t, dir)
		err := run.Run(t.Context(), s, rows(110), j, run.Options{Rows: 10, PerSec: 10, Idempotency: true}, ignore)
		must(t, errors.Join(err, j.Close()))
		if want := []time.Duration{9 * time.Second, 10 * time.Second}; !slices.Equal(s.sent, want) {
			t.Errorf("sent after %v, want %v", s.sent, want)
		}
	})
}

// An interruption does not wait for the limit.
func TestAnInterruptionEndsTheWaitForTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer time.AfterFunc(1500*time.Millisecond, cancel).Stop()
		s := &slowJob{start: time.Now()}
		err := run.Run(ctx, s, rows(400), nil, run.Options{Rows: 100, PerSec: 100}, ignore)
		if took := time.Since(s.start); !errors.Is(err, context.Canceled) || took != 1500*time.Millisecond || len(s.sent) != 2 {
			t.Errorf("got %v after %v and %d requests, want the interruption after 1.5 s and 2", err, took, len(s.sent))
		}
	})
}

// Results come in order of rows although the first request takes longest, and the defaults are 1,000
// rows and 8 requests at once.
func TestResultsComeInOrderOfRows(t *testing.T) {
	for atOnce, o := range map[int]run.Options{8: {}, 1: {InFlight: 1}, 3: {InFlight: 3}} {
		synctest.Test(t, func(t *testing.T) {
			s := &slowJob{start: time.Now()}
			s.takes = func(b run.Batch) time.Duration { return time.Minute - time.Duration(b.Rows[0].Line)*time.Millisecond }
			var lines []int
			err := run.Run(t.Context(), s, rows(9000), nil, o, func(r run.RowResult) error {
				lines = append(lines, r.Row.Line)
				return nil
			})
			if err != nil || len(lines) != 9000 || !slices.IsSorted(lines) {
				t.Errorf("got %v and %d rows, in order: %v", err, len(lines), slices.IsSorted(lines))
			}
			if s.peak != atOnce || !slices.Equal(s.sizes, slices.Repeat([]int{1000}, 9)) {
				t.Errorf("got requests of %v rows, %d at once, want 9 of 1,000, %d at once", s.sizes, s.peak, atOnce)
			}
		})
	}
}

// planOn plans actions of the kinds, updates or suspensions, for each of n subscribers.
func planOn(s *slowServer, n int, kinds ...string) *run.Plan {
	p := &run.Plan{ID: "plan"}
	for _, d := range documents(n) {
		s.Add(d, 1)
		for _, kind := range kinds {
			a := run.Action{Kind: kind, Document: d, Row: &api.ImportRow{SubscriberCreate: api.SubscriberCreate{Name: "Novo"}}, Fields: []string{api.FieldName}}
			if kind == run.ActionSuspend {
				a.Row, a.ProductID, a.Operation = nil, 1, api.Suspend
			}
			p.Actions = append(p.Actions, a)
		}
	}
	return p
}

// slowServer finishes a request after the client's time-out, and refuses a key that it is
// processing.
type slowServer struct {
	*apitest.Server
	takes   time.Duration // of a write
	running sync.Map      // idempotency keys
}

func newSlowServer(takes time.Duration) *slowServer {
	return &slowServer{Server: apitest.New(allExtensions), takes: takes}
}

func (n *slowServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if key := r.Header.Get(api.HeaderIdempotencyKey); r.Method != http.MethodGet && !n.HasStored(key) {
		if _, isRunning := n.running.LoadOrStore(key, true); isRunning {
			w.Header().Set("Retry-After", "1")
			http.Error(w, `{"response":"error","code":"`+api.CodeRequestInProgress+`"}`, http.StatusConflict)
			return
		}
		defer n.running.Delete(key)
		time.Sleep(n.takes)
	}
	n.Server.ServeHTTP(w, r)
}

// client returns a client that waits two seconds.
func (n *slowServer) client(t *testing.T) *client.Client {
	t.Helper()
	c := apitest.ServeInBubble(t, n, client.Options{Timeout: 2 * time.Second})
	_, err := c.Statuses(t.Context()) // the answer names the extensions
	must(t, err)
	return c
}

// Rows whose request takes longer than the client's time-out are reported as created, not as
// existing. If the request takes far longer, the run ends, and the same command resumes
// it.
func TestARequestSlowerThanTheTimeoutIsRepeated(t *testing.T) {
	for takes, want := range map[time.Duration]string{2500 * time.Millisecond: api.ResultCreated, 3500 * time.Millisecond: api.ResultCreated, time.Minute: ""} {
		synctest.Test(t, func(t *testing.T) {
			n := newSlowServer(takes)
			got, err := collect(t, &run.Import{Client: n.client(t)}, file(documents(100)...), run.Options{Idempotency: true})
			for _, d := range documents(100) {
				if got[d].Kind != want {
					t.Errorf("%v, %s: got %+v, want it %q", takes, d, got[d].Result, want)
				}
			}
			if client.HasCode(err, api.CodeRequestInProgress) != (want == "") || want != "" && err != nil {
				t.Errorf("%v: got %v", takes, err)
			}
			time.Sleep(takes) // the running request ends
			synctest.Wait()
			if len(n.CarriedOut) != 1 || len(n.CarriedOut[0].Documents) != 100 {
				t.Errorf("%v: got %+v, want one request with all rows", takes, n.CarriedOut)
			}
		})
	}
}
