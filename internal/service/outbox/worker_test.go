package outbox_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/outbox"
)

// periodicRules replace what the rules do again and again.
type periodicRules struct {
	outbox.Rules
	do func() error
}

func (r periodicRules) Expire(context.Context) error                 { return r.do() }
func (r periodicRules) Promote(context.Context) error                { return r.do() }
func (r periodicRules) PerformSchedules(context.Context) error       { return r.do() }
func (r periodicRules) SetActivationDeadlines(context.Context) error { return r.do() }

// withoutWork are rules that have nothing to do, so that hours pass quickly.
var withoutWork = periodicRules{do: func() error { return nil }}

// The reason is cut between two characters, and what a mail server says of the subscriber is not
// kept (decisions.md 8, Privacy).
func TestStoredErrorsAreCutAndMasked(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		"?" + strings.Repeat("é", 200): "?" + strings.Repeat("é", 149),
		"452 mailbox of ASSINANTE <ana@example.com>, CPF 529.982.247-25, at 192.168.100.10 is full": "452 mailbox of *** <***>, CPF ***, at 192.168.100.10 is full",
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFixture(t, manual)
			f.options.Mailer = &recordingMailer{fail: func(outbox.ActivationEmail) error { return errors.New(answer) }}
			document := f.register(f.defaultProvider, 1, 1)[0]
			f.start()
			advance(time.Second)
			if d, _ := f.newestDelivery(f.defaultProvider, document, domain.EmailDelivery); d.LastError != want {
				t.Errorf("got %q, want %q", d.LastError, want)
			}
		})
	}
}

func TestAManualPartnerIsNotAsked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, manual)
		document := f.registerActive(f.defaultProvider, 1, 1)[0]
		f.request(f.defaultProvider, domain.RequestSuspend, 1, document)
		f.start()
		advance(5 * time.Second)
		f.wantStatus(f.defaultProvider, document, domain.WaitingSuspension)
		if done := f.deliveries(domain.PartnerDelivery, domain.OutboxDone); len(done) != 1 {
			t.Errorf("got %+v, want the request done", done)
		}
	})
}

// They happen every second; the purge is done after an hour.
func TestErrorsOfMaintenanceAndClaimsAreLoggedOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		f := newFixture(t, manual)
		f.register(f.defaultProvider, 1, 1)
		fail := func(context.Context) error { return errors.New("database is away") }
		f.manage(&watchedStore{DB: f.store, after: func(call string, _ int) error {
			if strings.HasPrefix(call, claimOf) || call == readFeeds {
				return fail(t.Context())
			}
			return nil
		}})
		f.rules, f.options.Log = periodicRules{f.manager, func() error { return fail(t.Context()) }}, slog.New(slog.NewTextHandler(&log, nil))
		f.options.Purge, f.options.RecordUse = fail, fail
		f.start()
		advance(61500 * time.Millisecond)
		f.stop()
		for message, want := range map[string]int{"msg=delivery kind=email": 2, "feed callbacks": 2, "late operations": 2, "activation queue": 2, "scheduled operations": 2, "retention": 0} {
			if got := strings.Count(log.String(), message); got != want {
				t.Errorf("%s: logged %d times, want %d", message, got, want)
			}
		}
	})
}

// A purge that takes longer than an hour stops no other maintenance, and no second one begins.
func TestMaintenanceGoesOnDuringAPurge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const hours = 3
		f := newFixture(t, manual)
		f.manage(&watchedStore{DB: f.store, idle: true})
		var done, purges atomic.Int64
		f.rules = periodicRules{do: func() error { done.Add(1); return nil }}
		f.options.Purge = func(ctx context.Context) error {
			purges.Add(1)
			<-ctx.Done()
			return ctx.Err()
		}
		f.start()
		advance(hours*time.Hour + time.Minute)
		f.stop()
		if want := int64(hours * 3600 * 3); done.Load() < want || purges.Load() != 1 { // expirations, promotions, schedules
			t.Errorf("got %d calls of the rules and %d purges, want at least %d and 1", done.Load(), purges.Load(), want)
		}
	})
}

// An import stays fast during many deliveries: at most 250 a second are claimed for each destination.
// The outcomes of a batch do not wait for the next claim, because a kill would repeat it.
func TestDeliveriesYieldToAnImport(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const n, batch, takes = 1000, 200, 100 * time.Millisecond
		f := newFixture(t, manual)
		var claims, outcomes []time.Time // those that were not in vain
		f.manage(&watchedStore{DB: f.store, after: func(call string, rows int) error {
			switch {
			case rows == 0:
			case call == claimOf+domain.EmailDelivery.String():
				claims = append(claims, time.Now())
			case call == writeOutcomes:
				outcomes = append(outcomes, time.Now())
			}
			return nil
		}})
		sent := 0
		f.options.Mailer = &recordingMailer{fail: func(outbox.ActivationEmail) error {
			if sent++; sent%batch == 0 {
				advance(takes)
			}
			return nil
		}}
		f.options.MailBatchSize = batch
		f.register(f.defaultProvider, n, 1)
		f.start()
		advance(time.Minute)
		f.stop()
		if done := f.deliveries(domain.EmailDelivery, domain.OutboxDone); len(done) != n || len(claims) != n/batch || len(outcomes) != n/batch {
			t.Fatalf("%d of %d are delivered in %d claims and %d writes of outcomes, want %d of each", len(done), n, len(claims), len(outcomes), n/batch)
		}
		for i, at := range claims {
			if i > 0 && at.Sub(claims[i-1]) < 800*time.Millisecond {
				t.Errorf("claim %d came %v after the one before", i+1, at.Sub(claims[i-1]))
			}
			if got := outcomes[i].Sub(at); got >= 2*takes { // the pause lasts eight times as long
				t.Errorf("the outcomes of claim %d were written after %v, want about %v", i+1, got, takes)
			}
		}
	})
}
