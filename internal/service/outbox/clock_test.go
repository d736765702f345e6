package outbox_test

import (
	"bytes"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/outbox"
	"ativa/internal/service/servicetest"
	"ativa/internal/service/store/pgtest"
)

// clockFixture is a fixture with a delivery of each kind. offset is how far its clock is ahead.
type clockFixture struct {
	*fixture
	offset                  atomic.Int64
	mailer                  *recordingMailer
	partner, callback, feed *webhookReceiver
}

// newClockFixture returns a fixture whose destinations answer with respond and send.
func newClockFixture(t *testing.T, respond func(int, http.ResponseWriter, *http.Request), send func(outbox.ActivationEmail) error) *clockFixture {
	t.Helper()
	f := &clockFixture{
		mailer:   &recordingMailer{fail: send},
		callback: &webhookReceiver{t: t, respond: respond}, feed: &webhookReceiver{t: t, respond: respond},
	}
	options := servicetest.Options{Clock: func() time.Time { return time.Now().Add(time.Duration(f.offset.Load())) }}
	var net *network
	f.fixture, f.partner, net = newHTTPPartnerFixture(t, options, respond)
	f.setCallback(f.defaultProvider, net.serve(t, "azul.example", f.callback))
	f.setFeedCallback(f.defaultProvider, net.serve(t, "feed.example", f.feed), true)
	f.partner.secret = nil // the wrong clock signs
	f.options.Mailer = f.mailer
	return f
}

// registerAndResend makes one e-mail and one request to the partner due for each of n subscribers,
// and a callback for the first ones.
func (f *clockFixture) registerAndResend(n, callbacks int) []string {
	f.t.Helper()
	documents := f.register(f.defaultProvider, n, 1)
	for _, d := range documents[:callbacks] {
		f.resend(f.defaultProvider, d)
	}
	return documents
}

// made returns how often each message was delivered, by kind and id.
func (f *clockFixture) made() map[string]int {
	made := map[string]int{}
	for _, e := range f.mailer.emails() {
		made["e-mail "+e.ID]++
	}
	for name, h := range map[string]*webhookReceiver{"partner ": f.partner, "callback ": f.callback, "feed ": f.feed} {
		for _, m := range h.messages() {
			made[name+m.id]++
		}
	}
	return made
}

// wantAllDelivered checks that nothing waits or was given up.
func (f *clockFixture) wantAllDelivered(documents []string) {
	f.t.Helper()
	for _, kind := range []domain.JobKind{domain.EmailJob, domain.CallbackJob, domain.PartnerJob} {
		if open := f.jobs(kind, domain.JobDue, domain.JobLeased, domain.JobDead); len(open) != 0 {
			f.t.Errorf("%s: %d are not delivered; the first is %s for %s more, after %d attempts", kind, len(open), open[0].State, time.Until(open[0].NextAt), open[0].Attempts)
		}
	}
	if n := f.feedCallback(f.defaultProvider).EventsBehind(); n != 0 {
		f.t.Errorf("the feed is %d events behind", n)
	}
	for _, d := range documents {
		f.wantStatus(f.defaultProvider, d, domain.InProgress)
	}
}

// The clock is hours ahead while every destination is down, and is then set back. The deliveries
// scheduled meanwhile, attempted or not, are made once the destinations are back, by the running
// server and by a new one.
func TestAClockThatIsSetBackByHoursStopsNoDelivery(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ahead   time.Duration
		restart bool
	}{"same server": {5 * time.Hour, false}, "restarted": {30 * time.Hour, true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var works atomic.Bool
				f := newClockFixture(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
					if !works.Load() {
						w.WriteHeader(http.StatusServiceUnavailable)
					}
				}, func(outbox.ActivationEmail) error {
					if works.Load() {
						return nil
					}
					return &outbox.TemporaryError{Err: errors.New("connection refused"), DestinationDown: true}
				})
				f.start()
				f.offset.Store(int64(c.ahead))
				documents := f.registerAndResend(20, 10)
				advance(time.Minute)
				if c.restart {
					f.stop()
				}
				f.offset.Store(0)
				works.Store(true)
				if c.restart {
					f.restart()
				}
				advance(3 * time.Minute) // longer than a circuit breaker stays open by now
				f.wantAllDelivered(documents)
				before := f.made()
				f.stop()
				advance(c.ahead) // the clock shows these times a second time
				f.start()
				advance(10 * time.Second)
				if after := f.made(); !maps.Equal(after, before) {
					t.Errorf("deliveries were made again: got %v, before %v", after, before)
				}
				f.wantAllDelivered(documents)
			})
		})
	}
}

// The clock is set ahead by days, during a delivery of each kind while more wait, and back five
// minutes later. Every delivery is made, none is given up, one in progress is repeated at most once
// under its id, and retention deletes nothing.
func TestAClockThatIsSetAheadByDaysEndsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newClockFixture(t, func(int, http.ResponseWriter, *http.Request) { advance(5 * time.Second) },
			func(outbox.ActivationEmail) error { advance(5 * time.Second); return nil })
		f.start()
		bearer := f.bearer()
		advance(58 * time.Minute)
		documents := f.registerAndResend(6, 6)
		advance(2 * time.Second)
		f.offset.Store(int64(60 * 24 * time.Hour))
		advance(5 * time.Minute) // an hour after the worker began
		f.offset.Store(0)
		advance(3 * time.Minute)
		if _, err := f.manager.Identify(t.Context(), bearer); err != nil {
			t.Errorf("the bearer token: %v, want that it was kept", err)
		}
		f.wantAllDelivered(documents)
		for id, n := range f.made() {
			if n > 2 {
				t.Errorf("%s was delivered %d times, want twice at most", id, n)
			}
		}
	})
}

// bearer returns a bearer token, which ends after hours.
func (f *fixture) bearer() string {
	f.t.Helper()
	_, secret, err := f.manager.CreateToken(f.t.Context(), domain.Caller{Provider: f.defaultProvider.ID}, domain.AccessToken{Name: "painel"})
	f.must(err)
	b, err := f.manager.Authenticate(f.t.Context(), secret)
	f.must(err)
	return b.Token
}

// A server that starts with a clock days ahead deletes no history if the clock is set right within
// the hour.
func TestAServerStartedUnderAClockThatIsAheadDeletesNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		wrongFor time.Duration
		kept     bool
	}{"set right in time": {50 * time.Minute, true}, "never set right": {3 * time.Hour, false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var offset atomic.Int64
				options := servicetest.Options{Clock: func() time.Time { return time.Now().Add(time.Duration(offset.Load())) }}
				f, _, _ := newHTTPPartnerFixture(t, options, nil)
				var log bytes.Buffer
				f.options.Log = slog.New(slog.NewTextHandler(&log, nil))
				f.start()
				f.register(f.defaultProvider, 1, 1)
				bearer := f.bearer()
				advance(time.Minute)
				f.stop()
				offset.Store(int64(60 * 24 * time.Hour))
				f.restart()
				advance(c.wrongFor)
				offset.Store(0)
				advance(time.Minute)
				synctest.Wait()
				if got := strings.Count(log.String(), `msg="retention waits`); got != 1 || !strings.Contains(log.String(), `last_event="1440h`) {
					t.Errorf("the log tells %d times that retention waits, want once and since when:\n%s", got, log.String())
				}
				if _, err := f.manager.Identify(t.Context(), bearer); (err == nil) != c.kept {
					t.Errorf("the bearer token: %v, want that it was kept: %t", err, c.kept)
				}
			})
		})
	}
}

// Only jobs that a wrong clock scheduled become due, on both databases.
func TestTheScheduleIsCorrectedWhereItIsWrongOnly(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) { checkCorrection(newFixtureOn(t, pgtest.File(t), manual)) })
	t.Run("postgres", func(t *testing.T) { checkCorrection(newFixtureOn(t, pgtest.URL(t), manual)) })
}

func checkCorrection(f *fixture) {
	t := f.t
	f.setCallback(f.defaultProvider, "http://azul.example/hook")
	var jobs []domain.Job
	documents := f.register(f.defaultProvider, 6, 1)
	for _, d := range documents {
		f.resend(f.defaultProvider, d)
	}
	now := f.manager.Now()
	at := now.Add
	cases := []struct {
		name            string
		kind            domain.JobKind
		state           domain.JobState
		attempts        int
		attempted, next time.Duration // from now
		want            bool          // due
	}{
		{"attempted in the future", domain.EmailJob, domain.JobDue, 1, 5 * time.Hour, 5*time.Hour + time.Minute, true},
		{"scheduled in the future", domain.EmailJob, domain.JobDue, 2, -time.Hour, 3 * time.Hour, true},
		{"leased in the future", domain.EmailJob, domain.JobLeased, 0, 0, time.Hour, true},
		{"leased now", domain.EmailJob, domain.JobLeased, 0, 0, time.Minute, false},
		{"a long wait", domain.EmailJob, domain.JobDue, 20, -time.Second, 65 * time.Minute, false},
		{"done", domain.EmailJob, domain.JobDone, 1, 5 * time.Hour, 5 * time.Hour, false},
		{"callback attempted in the future", domain.CallbackJob, domain.JobDue, 5, 5 * time.Hour, 10 * time.Hour, true},
		{"callback never attempted", domain.CallbackJob, domain.JobDue, 0, 0, 5 * time.Hour, true},
		{"callback that waits for a day", domain.CallbackJob, domain.JobDue, 9, -time.Hour, 23 * time.Hour, false},
	}
	emails, callbacks := f.jobs(domain.EmailJob), f.jobs(domain.CallbackJob)
	for _, c := range cases {
		from := &emails
		if c.kind == domain.CallbackJob {
			from = &callbacks
		}
		j := (*from)[0].Job
		*from = (*from)[1:]
		j.State, j.Attempts, j.LastAttemptAt, j.NextAt = c.state, c.attempts, at(c.attempted), at(c.next)
		jobs = append(jobs, j)
	}
	f.must(f.store.FinishJobs(t.Context(), jobs, nil))
	f.must(f.manager.CorrectSchedule(t.Context()))
	after := map[domain.JobID]domain.Delivery{}
	for _, d := range f.jobs(domain.EmailJob) {
		after[d.ID] = d
	}
	for _, d := range f.jobs(domain.CallbackJob) {
		after[d.ID] = d
	}
	for i, c := range cases {
		got := after[jobs[i].ID].NextAt
		if corrected := !got.Equal(at(c.next)); corrected != c.want || corrected && got.Sub(now) > time.Minute {
			t.Errorf("%s: waits for %s, corrected %t, want %t", c.name, got.Sub(now), corrected, c.want)
		}
	}
}
