package outbox_test

import (
	"bytes"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"

	"ativa/internal/service/domain"
)

// sender is a kind of delivery. TestEverySenderReachesRetriesAndStops checks one contract for all kinds.
type sender struct {
	timeout     time.Duration // of one attempt
	concurrency int           // attempts at one destination at once
	// failures are the answers after which a message is repeated, each with the error that is stored.
	failures map[string]string
	// reason is the reason of an operation whose message is refused for good; "" for callbacks, which
	// repeat refused messages.
	reason string
	// open makes destinations. The first gives each answer in turn, then repeats the last; the others
	// accept.
	open func(f *fixture, answers ...string) []destination
}

type destination struct {
	addDelivery  func() dueMessage  // makes a message about a new subscriber due
	attemptTimes func() []time.Time // the times of attempts
	messages     func() []received  // messages that arrived whole
}

// dueMessage is a due message to a destination.
type dueMessage struct {
	mark    string // text of this message alone
	state   func() (state domain.DeliveryState, lastError string)
	service func() (status domain.Status, reason string) // of the message's operation
}

// The answers that every destination can give, besides its failures.
const (
	accepts        = "accepts"
	acceptsLate    = "accepts after ten seconds"
	refusesForGood = "refuses for good"
	hangs          = "hangs"
)

func senders() map[string]sender {
	const lost = "the connection was lost"
	web := map[string]string{
		hangs: "no answer in time", "hangs up": lost, "is away": "HTTP 503", "redirects": "HTTP 307: redirects are not followed",
		"answers without end": "HTTP 500", "trickles": "HTTP 500",
	}
	return map[string]sender{
		"mail": {50 * time.Second, 1, map[string]string{
			hangs: lost, "takes long at each step": lost,
			"hangs up in the text": lost, "hangs up before its answer": lost,
			"refuses the address now": "450 4.2.1 at the recipient", "refuses the text now": "451 4.0.0 at the text",
		}, domain.ReasonUndeliverable, openMail},
		"partner":       {20 * time.Second, 8, web, domain.ReasonRefused, openPartners},
		"callback":      {20 * time.Second, 4, web, "", openCallbacks},
		"feed callback": {20 * time.Second, 1, web, "", openFeeds},
	}
}

func TestEverySenderReachesRetriesAndStops(t *testing.T) {
	for name, s := range senders() {
		t.Run(name, func(t *testing.T) {
			s.run(t, "each message reaches its own destination", s.reaches, accepts)
			s.run(t, "a destination that hangs delays no other", s.delaysNoOther, hangs)
			s.run(t, "a stop lets an attempt end", s.endsAttempt, acceptsLate)
			s.run(t, "a refusal is final or is tried again", s.refused, refusesForGood)
			for failure := range s.failures {
				s.run(t, failure, func(f *fixture, all []destination) { s.repeats(f, all[0], failure) }, failure, failure, accepts)
			}
		})
	}
}

// run runs a test in virtual time, and checks that the log has no secret and no personal data.
func (s sender) run(t *testing.T, name string, test func(*fixture, []destination), answers ...string) {
	inBubble(t, name, func(t *testing.T) {
		var log bytes.Buffer
		f := newFixture(t, manual)
		f.options.Log = slog.New(slog.NewTextHandler(&log, nil))
		all := s.open(f, answers...)
		f.start()
		test(f, all)
		f.stop()
		wantNoSecret(t, log.String())
		advance(11 * time.Minute) // hanging servers end
	})
}

// wantNoSecret checks the stored error and the log of a failed attempt.
func wantNoSecret(t *testing.T, text string) {
	t.Helper()
	for _, secret := range []string{mailPassword, urlSecret, ".example", "@", "Assinante", "joao"} {
		if strings.Contains(text, secret) {
			t.Errorf("the output contains the secret %q: %s", secret, text)
		}
	}
}

func wantState(t *testing.T, o dueMessage, want domain.DeliveryState, failure string) {
	t.Helper()
	state, storedError := o.state()
	if state != want || !strings.Contains(storedError, failure) || failure == "" && storedError != "" {
		t.Errorf("got %s, %q; want %s, %q", state, storedError, want, failure)
	}
	wantNoSecret(t, storedError)
}

func (s sender) reaches(f *fixture, all []destination) {
	var messages []dueMessage
	for _, d := range all {
		messages = append(messages, d.addDelivery())
	}
	advance(2 * time.Second)
	for i, d := range all {
		if got := d.messages(); len(got) != 1 || got[0].id == "" || !strings.Contains(got[0].body, messages[i].mark) {
			f.t.Errorf("destination %d got %+v, want the message of %s alone", i, got, messages[i].mark)
		}
		wantState(f.t, messages[i], domain.DeliverySent, "")
	}
}

func (s sender) delaysNoOther(f *fixture, all []destination) {
	for range 20 {
		all[0].addDelivery()
	}
	for _, d := range all[1:] {
		for n := range 10 {
			d.addDelivery()
			advance(time.Second)
			if got := len(d.messages()); got != n+1 {
				f.t.Fatalf("another destination got %d of %d messages", got, n+1)
			}
		}
	}
	advance(s.timeout / 4)
	if n := len(all[0].attemptTimes()); n == 0 || n > s.concurrency {
		f.t.Errorf("%d attempts at once, want up to %d", n, s.concurrency)
	}
}

// endsAttempt stops the worker during an attempt.
func (s sender) endsAttempt(f *fixture, all []destination) {
	o := all[0].addDelivery()
	advance(5 * time.Second)
	f.stop()
	wantState(f.t, o, domain.DeliverySent, "")
	f.start()
	advance(2 * time.Minute)
	if n := len(all[0].attemptTimes()); n != 1 {
		f.t.Errorf("got %d attempts, want the one that had begun", n)
	}
}

func (s sender) refused(f *fixture, all []destination) {
	o := all[0].addDelivery()
	advance(2 * time.Second)
	state, storedError := o.state()
	if s.reason == "" {
		if state != domain.DeliveryWaiting || storedError == "" {
			f.t.Errorf("got %s, %q, want another attempt", state, storedError)
		}
		return
	}
	if status, reason := o.service(); state != domain.DeliveryFailed || storedError == "" || status != domain.InError || reason != s.reason {
		f.t.Errorf("got %s, %q, and the service %s, %q", state, storedError, status, reason)
	}
	advance(10 * time.Minute)
	if n := len(all[0].attemptTimes()); n != 1 {
		f.t.Errorf("a message that is refused for good was sent %d times", n)
	}
}

// repeats expects two failures, each within the time-out, and then the same message again, after
// increasing waits.
func (s sender) repeats(f *fixture, d destination, failure string) {
	began := time.Now()
	o := d.addDelivery()
	for storedError := ""; storedError == ""; _, storedError = o.state() {
		advance(time.Second)
		if took := time.Since(began); took > s.timeout+2*time.Second {
			f.t.Fatalf("no outcome after %s", took)
		}
	}
	wantState(f.t, o, domain.DeliveryWaiting, s.failures[failure])
	for len(d.attemptTimes()) < 2 {
		advance(time.Second)
	}
	advance(s.timeout + time.Second)
	if len(d.attemptTimes()) == 2 {
		wantState(f.t, o, domain.DeliveryWaiting, s.failures[failure])
	}
	advance(10 * time.Minute)
	wantState(f.t, o, domain.DeliverySent, "")
	attemptTimes, got := d.attemptTimes(), d.messages()
	if len(attemptTimes) != 3 || attemptTimes[2].Sub(attemptTimes[1]) <= attemptTimes[1].Sub(attemptTimes[0]) {
		f.t.Errorf("attempts at %v, want three, the last after a longer wait", attemptTimes)
	}
	links := regexp.MustCompile(`/activate/[\w-]+`) // each attempt has its own
	for _, m := range got {
		if m.id != got[0].id || links.ReplaceAllString(m.body, "") != links.ReplaceAllString(got[0].body, "") || !strings.Contains(m.body, o.mark) {
			f.t.Errorf("got %+v, want the message of %s, like the first %+v", m, o.mark, got[0])
		}
	}
}
