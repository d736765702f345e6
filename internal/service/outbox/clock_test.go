package outbox_test

import (
	"bytes"
	"errors"
	"log/slog"
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
				var offset atomic.Int64
				var works atomic.Bool
				respond := func(_ int, w http.ResponseWriter, _ *http.Request) {
					if !works.Load() {
						w.WriteHeader(http.StatusServiceUnavailable)
					}
				}
				options := servicetest.Options{Clock: func() time.Time { return time.Now().Add(time.Duration(offset.Load())) }}
				f, partner, net := newHTTPPartnerFixture(t, options, respond)
				callback, feed := &webhookReceiver{t: t, respond: respond}, &webhookReceiver{t: t, respond: respond}
				f.setCallback(f.defaultProvider, net.serve(t, "azul.example", callback))
				f.setFeedCallback(f.defaultProvider, net.serve(t, "feed.example", feed), true)
				partner.secret = nil // the wrong clock signs
				mailer := &recordingMailer{fail: func(outbox.ActivationEmail) error {
					if works.Load() {
						return nil
					}
					return &outbox.TemporaryError{Err: errors.New("connection refused"), DestinationDown: true}
				}}
				f.options.Mailer = mailer
				f.start()
				offset.Store(int64(c.ahead))
				documents := f.register(f.defaultProvider, 20, 1)
				for _, d := range documents[:10] {
					f.resend(f.defaultProvider, d)
				}
				advance(time.Minute)
				if c.restart {
					f.stop()
				}
				offset.Store(0)
				works.Store(true)
				if c.restart {
					f.restart()
				}
				advance(3 * time.Minute) // longer than a circuit breaker stays open by now
				for _, kind := range []domain.JobKind{domain.EmailJob, domain.CallbackJob, domain.PartnerJob} {
					if open := f.jobs(kind, domain.JobDue, domain.JobLeased, domain.JobDead); len(open) != 0 {
						t.Errorf("%s: %d are not delivered; the first is %s for %s more, after %d attempts", kind, len(open), open[0].State, time.Until(open[0].NextAt), open[0].Attempts)
					}
				}
				if n := f.feedCallback(f.defaultProvider).EventsBehind(); n != 0 {
					t.Errorf("the feed is %d events behind", n)
				}
				made := func() int {
					return len(mailer.emails()) + len(partner.messages()) + len(callback.messages()) + len(feed.messages())
				}
				before := made()
				f.stop()
				advance(c.ahead) // the clock shows these times a second time
				f.start()
				advance(10 * time.Second)
				if n := made() - before; n != 0 {
					t.Errorf("%d deliveries were made again", n)
				}
				for _, d := range documents {
					f.wantStatus(f.defaultProvider, d, domain.InProgress)
				}
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
		var offset atomic.Int64
		slow := func(int, http.ResponseWriter, *http.Request) { advance(5 * time.Second) }
		options := servicetest.Options{Clock: func() time.Time { return time.Now().Add(time.Duration(offset.Load())) }}
		f, partner, net := newHTTPPartnerFixture(t, options, slow)
		callback, feed := &webhookReceiver{t: t, respond: slow}, &webhookReceiver{t: t, respond: slow}
		f.setCallback(f.defaultProvider, net.serve(t, "azul.example", callback))
		f.setFeedCallback(f.defaultProvider, net.serve(t, "feed.example", feed), true)
		partner.secret = nil // the wrong clock signs
		mailer := &recordingMailer{fail: func(outbox.ActivationEmail) error { advance(5 * time.Second); return nil }}
		f.options.Mailer = mailer
		f.start()
		_, secret, err := f.manager.CreateToken(t.Context(), domain.Caller{Provider: f.defaultProvider.ID}, domain.AccessToken{Name: "painel"})
		f.must(err)
		kept, err := f.manager.Authenticate(t.Context(), secret)
		f.must(err)
		advance(58 * time.Minute)
		documents := f.register(f.defaultProvider, 6, 1)
		for _, d := range documents {
			f.resend(f.defaultProvider, d)
		}
		advance(2 * time.Second)
		offset.Store(int64(60 * 24 * time.Hour))
		advance(5 * time.Minute) // an hour after the worker began
		offset.Store(0)
		advance(3 * time.Minute)
		if _, err := f.manager.Identify(t.Context(), kept.Token); err != nil {
			t.Errorf("the bearer token: %v, want that it was kept", err)
		}
		for _, kind := range []domain.JobKind{domain.EmailJob, domain.CallbackJob, domain.PartnerJob} {
			if open := f.jobs(kind, domain.JobDue, domain.JobLeased, domain.JobDead); len(open) != 0 {
				t.Errorf("%s: %d are not delivered; the first is %s, after %d attempts", kind, len(open), open[0].State, open[0].Attempts)
			}
		}
		if n := f.feedCallback(f.defaultProvider).EventsBehind(); n != 0 {
			t.Errorf("the feed is %d events behind", n)
		}
		for _, d := range documents {
			f.wantStatus(f.defaultProvider, d, domain.InProgress)
		}
		made := map[string]int{}
		for _, e := range mailer.emails() {
			made["e-mail "+e.ID]++
		}
		for name, h := range map[string]*webhookReceiver{"partner ": partner, "callback ": callback, "feed ": feed} {
			for _, m := range h.messages() {
				made[name+m.id]++
			}
		}
		for id, n := range made {
			if n > 2 {
				t.Errorf("%s was delivered %d times, want twice at most", id, n)
			}
		}
	})
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
				_, secret, err := f.manager.CreateToken(t.Context(), domain.Caller{Provider: f.defaultProvider.ID}, domain.AccessToken{Name: "painel"})
				f.must(err)
				kept, err := f.manager.Authenticate(t.Context(), secret)
				f.must(err)
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
				if _, err := f.manager.Identify(t.Context(), kept.Token); (err == nil) != c.kept {
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
