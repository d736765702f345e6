package outbox_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/outbox"
)

// withoutWork is the service of a worker that has no jobs, so that hours pass quickly.
type withoutWork struct{ workerService }

func (withoutWork) Now() time.Time { return time.Now().UTC() }
func (withoutWork) DueDestinations(context.Context, domain.JobKind) ([]domain.Destination, error) {
	return nil, nil
}
func (withoutWork) Expire(context.Context) error                 { return nil }
func (withoutWork) Promote(context.Context) (bool, error)        { return false, nil }
func (withoutWork) PerformSchedules(context.Context) error       { return nil }
func (withoutWork) SetActivationDeadlines(context.Context) error { return nil }

// The reason is cut between two characters, and what a mail server says of the subscriber is not
// kept (decisions.md 8, Privacy).
func TestWhatIsKeptOfAnError(t *testing.T) {
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
			if d, _ := f.newestDelivery(f.defaultProvider, document, domain.EmailJob); d.LastError != want {
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
		if done := f.jobs(domain.PartnerJob, domain.JobDone); len(done) != 1 {
			t.Errorf("got %+v, want the request done", done)
		}
	})
}

// failingService is a service whose maintenance and claims fail.
type failingService struct{ workerService }

var errMaintenance = errors.New("database is away")

func (failingService) Expire(context.Context) error           { return errMaintenance }
func (failingService) Promote(context.Context) (bool, error)  { return true, errMaintenance }
func (failingService) PerformSchedules(context.Context) error { return errMaintenance }
func (failingService) Claim(context.Context, domain.Destination, int, time.Duration) ([]domain.ClaimedDelivery, error) {
	return nil, errMaintenance
}

// Every second, except for the purge, which is done after an hour.
func TestErrorsOfMaintenanceAndClaimsAreLoggedEachSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		f := newFixture(t, manual)
		f.register(f.defaultProvider, 1, 1)
		fail := func(context.Context) error { return errMaintenance }
		f.workerService, f.options.Log = failingService{f.manager}, slog.New(slog.NewTextHandler(&log, nil))
		f.options.Purge, f.options.RecordUse = fail, fail
		f.start()
		advance(2500 * time.Millisecond)
		f.stop()
		for message, want := range map[string]int{"msg=delivery kind=email": 3, "late operations": 3, "activation queue": 3, "scheduled operations": 3, "retention": 0} {
			if got := strings.Count(log.String(), message); got != want {
				t.Errorf("%s: logged %d times, want %d", message, got, want)
			}
		}
	})
}

// expiringService counts how often late operations are looked for.
type expiringService struct {
	withoutWork
	outbox.Feed
	expired int
}

func (s *expiringService) DueFeedCallbacks(context.Context) ([]domain.FeedCallback, error) {
	return nil, nil
}

func (s *expiringService) Expire(context.Context) error {
	s.expired++
	return nil
}

// A purge that takes longer than an hour stops no other maintenance, and no second one begins.
func TestMaintenanceGoesOnDuringAPurge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const hours = 3
		ctx, cancel := context.WithTimeout(t.Context(), hours*time.Hour+time.Minute)
		defer cancel()
		s, purges := &expiringService{}, 0
		outbox.New(s, s, outbox.Options{Feed: s, RecordUse: func(context.Context) error { return nil }, Purge: func(ctx context.Context) error {
			purges++
			<-ctx.Done()
			return ctx.Err()
		}}).Run(ctx)
		if want := hours * 3600; s.expired < want || purges != 1 {
			t.Errorf("got %d expirations and %d purges, want at least %d and 1", s.expired, purges, want)
		}
	})
}

// pacedService keeps the times of claims that were not in vain, and of writes of outcomes.
type pacedService struct {
	workerService
	claims, outcomes []time.Time
}

func (s *pacedService) Claim(ctx context.Context, to domain.Destination, n int, lease time.Duration) ([]domain.ClaimedDelivery, error) {
	claimed, err := s.workerService.Claim(ctx, to, n, lease)
	if len(claimed) > 0 {
		s.claims = append(s.claims, time.Now())
	}
	return claimed, err
}

func (s *pacedService) Finish(ctx context.Context, jobs []domain.Job, next []domain.ClaimedDelivery) error {
	if len(jobs) > 0 {
		s.outcomes = append(s.outcomes, time.Now())
	}
	return s.workerService.Finish(ctx, jobs, next)
}

// An import stays fast during many deliveries: at most 250 a second are claimed for each destination.
// The outcomes of a batch do not wait for the next claim, because a kill would repeat it.
func TestDeliveriesYieldToAnImport(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const n, batch, takes = 1000, 200, 100 * time.Millisecond
		f := newFixture(t, manual)
		s := &pacedService{workerService: f.manager}
		sent := 0
		f.options.Mailer = &recordingMailer{fail: func(outbox.ActivationEmail) error {
			if sent++; sent%batch == 0 {
				advance(takes)
			}
			return nil
		}}
		f.workerService, f.options.MailBatchSize = s, batch
		f.register(f.defaultProvider, n, 1)
		f.start()
		advance(time.Minute)
		f.stop()
		if done := f.jobs(domain.EmailJob, domain.JobDone); len(done) != n || len(s.claims) != n/batch || len(s.outcomes) != n/batch {
			t.Fatalf("%d of %d are delivered in %d claims and %d writes of outcomes, want %d of each", len(done), n, len(s.claims), len(s.outcomes), n/batch)
		}
		for i, at := range s.claims {
			if i > 0 && at.Sub(s.claims[i-1]) < 800*time.Millisecond {
				t.Errorf("claim %d came %v after the one before", i+1, at.Sub(s.claims[i-1]))
			}
			if got := s.outcomes[i].Sub(at); got >= 2*takes { // the pause lasts eight times as long
				t.Errorf("the outcomes of claim %d were written after %v, want about %v", i+1, got, takes)
			}
		}
	})
}
