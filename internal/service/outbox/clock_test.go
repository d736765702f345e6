package outbox_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/outbox"
	"ativa/internal/service/servicetest"
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
				if _, err := f.manager.Identify(t.Context(), bearer); (err == nil) != c.kept {
					t.Errorf("the bearer token: %v, want that it was kept: %t", err, c.kept)
				}
			})
		})
	}
}
