package outbox_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/outbox"
)

// fakeOutbox is an outbox in memory, for tests of the worker alone.
type fakeOutbox struct {
	mu         sync.Mutex
	deliveries []domain.ClaimedDelivery
	finished   []domain.Job
	confirms   []domain.Confirmation
	answered   []bool
	claims     []time.Time // that were not in vain
}

func (o *fakeOutbox) Now() time.Time { return time.Now().UTC() }

func (o *fakeOutbox) DueDestinations(_ context.Context, kind domain.JobKind) (due []domain.Destination, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	seen := map[int64]bool{}
	for _, d := range o.deliveries {
		if o.isDue(&d, kind) && !seen[d.Job.Destination] {
			seen[d.Job.Destination] = true
			due = append(due, d.Destination)
		}
	}
	return due, nil
}

func (o *fakeOutbox) isDue(d *domain.ClaimedDelivery, kind domain.JobKind) bool {
	at := d.NextAt.Add(d.Destination.Partner.Delay)
	return d.Kind == kind && d.State < domain.JobDone && !at.After(time.Now())
}

func (o *fakeOutbox) Claim(_ context.Context, to domain.Destination, n int, lease time.Duration) ([]domain.ClaimedDelivery, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var claimed []domain.ClaimedDelivery
	for i := range o.deliveries {
		d := &o.deliveries[i]
		if d.Job.Destination == to.ID && o.isDue(d, to.Kind) && len(claimed) < n {
			d.State, d.NextAt = domain.JobLeased, time.Now().Add(lease)
			claimed = append(claimed, *d)
		}
	}
	if len(claimed) > 0 {
		o.claims = append(o.claims, time.Now())
	}
	return claimed, nil
}

func (o *fakeOutbox) Finish(_ context.Context, jobs []domain.Job, _ []domain.ClaimedDelivery) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, j := range jobs {
		j.Attempts++
		o.put(j)
		o.finished = append(o.finished, j)
	}
	return nil
}

func (o *fakeOutbox) put(j domain.Job) {
	for i := range o.deliveries {
		if o.deliveries[i].Job.ID == j.ID {
			o.deliveries[i].Job = j
		}
	}
}

func (o *fakeOutbox) Confirm(_ context.Context, all []domain.Confirmation) ([]domain.PartnerEventState, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.confirms = append(o.confirms, all...)
	for _, c := range all {
		if j := c.Delivery; j.ID != 0 {
			j.Attempts++
			o.put(j)
			o.finished = append(o.finished, j)
		}
	}
	return make([]domain.PartnerEventState, len(all)), nil
}

func (o *fakeOutbox) GiveUp(_ context.Context, jobs []domain.Job, reason string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, j := range jobs {
		j.State, j.LastError = domain.JobDead, reason
		o.put(j)
		o.finished = append(o.finished, j)
	}
	return nil
}

func (o *fakeOutbox) RecordCallbackResult(_ context.Context, _ domain.ProviderID, well bool) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.answered = append(o.answered, well)
	return nil
}

func (o *fakeOutbox) FailRefused(context.Context, domain.Job) error         { return nil }
func (o *fakeOutbox) Expire(context.Context) (int, error)                   { return 0, nil }
func (o *fakeOutbox) Promote(context.Context) (bool, error)                 { return false, nil }
func (o *fakeOutbox) PerformSchedules(context.Context) (bool, error)        { return false, nil }
func (o *fakeOutbox) SetActivationDeadlines(context.Context) error          { return nil }
func (o *fakeOutbox) CorrectSchedule(context.Context) error                 { return nil }
func (o *fakeOutbox) SinceLastEvent(context.Context) (time.Duration, error) { return 0, nil }

func newClaimed(id int, kind domain.JobKind) domain.ClaimedDelivery {
	return domain.ClaimedDelivery{
		Job: domain.Job{ID: domain.JobID(id), Kind: kind, Operation: domain.OperationID(id), CreatedAt: time.Now(), NextAt: time.Now()},
		ServiceDetails: domain.ServiceDetails{
			Provider: domain.Provider{Name: "Provedor Açaí"}, Product: domain.Product{Name: "Play Básico"},
			Subscriber: domain.Subscriber{Name: "João da Silva", Email: "joao@example.com.br"},
		},
		Destination: domain.Destination{Kind: kind},
		LinkSecret:  fmt.Sprintf("secret-%d", id),
	}
}

// runWorker runs a worker for the given time.
func runWorker(t *testing.T, o *fakeOutbox, options outbox.Options, for_ time.Duration) {
	t.Helper()
	options.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	ctx, cancel := context.WithTimeout(t.Context(), for_)
	defer cancel()
	outbox.New(o, o, options).Run(ctx)
}

// dialling has connections dialled.
func dialling(dial func(context.Context, string, string) (net.Conn, error)) func(*http.Transport) http.RoundTripper {
	return func(t *http.Transport) http.RoundTripper {
		t.DialContext = dial
		return t
	}
}

// optionsFor returns the options of a worker that uses the network.
func optionsFor(n *network) outbox.Options {
	return outbox.Options{Transport: dialling(n.Dial), PublicURL: publicURL}
}

func codeOf(err error) domain.Code {
	if e, ok := errors.AsType[*domain.Error](err); ok {
		return e.Code
	}
	return ""
}

// countingMailer returns the errors in turn, and then none.
type countingMailer struct {
	errs []error
	sent []outbox.ActivationEmail
	at   []time.Time
}

func (m *countingMailer) Idle() {}

func (m *countingMailer) Send(_ context.Context, email outbox.ActivationEmail) error {
	m.sent, m.at = append(m.sent, email), append(m.at, time.Now())
	if len(m.errs) == 0 {
		return nil
	}
	err := m.errs[0]
	m.errs = m.errs[1:]
	return err
}

func TestALongErrorIsCutBetweenTwoCharacters(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := &fakeOutbox{deliveries: []domain.ClaimedDelivery{newClaimed(1, domain.EmailJob)}}
		m := &countingMailer{errs: []error{errors.New("?" + strings.Repeat("é", 200))}}
		runWorker(t, o, outbox.Options{Mailer: m, PublicURL: "https://ativa.example"}, time.Second)
		if got, want := o.deliveries[0].LastError, "?"+strings.Repeat("é", 149); got != want {
			t.Errorf("got %q, want the first 299 bytes", got)
		}
	})
}

// What a mail server says of the subscriber is not kept (decisions.md 8, Privacy).
func TestAnErrorIsKeptWithoutPersonalData(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newClaimed(1, domain.EmailJob)
		d.Subscriber.Name = "Ana Souza"
		o := &fakeOutbox{deliveries: []domain.ClaimedDelivery{d}}
		m := &countingMailer{errs: []error{errors.New("452 mailbox of ANA SOUZA <ana@example.com>, CPF 529.982.247-25, at 192.168.100.10 is full")}}
		runWorker(t, o, outbox.Options{Mailer: m, PublicURL: "https://ativa.example"}, time.Second)
		if got, want := o.deliveries[0].LastError, "452 mailbox of *** *** <***>, CPF ***, at 192.168.100.10 is full"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestWithoutAMailerEMailsWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := &fakeOutbox{deliveries: []domain.ClaimedDelivery{newClaimed(1, domain.EmailJob)}}
		runWorker(t, o, outbox.Options{}, time.Minute)
		if o.deliveries[0].State != domain.JobDue {
			t.Errorf("got %s, want due", o.deliveries[0].State)
		}
	})
}

func TestTheSimulatedPartnerConfirmsAfterItsDelayOrFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := &fakeOutbox{}
		for id, rate := range []float64{0, 1} {
			d := newClaimed(id+1, domain.PartnerJob)
			d.Destination.Partner = domain.Partner{ID: 3, Driver: domain.DriverSimulator, Delay: 5 * time.Second, FailureRate: rate}
			o.deliveries = append(o.deliveries, d)
		}
		runWorker(t, o, outbox.Options{}, 4*time.Second)
		if len(o.confirms) != 0 {
			t.Fatalf("confirmed before its delay: %+v", o.confirms)
		}
		runWorker(t, o, outbox.Options{}, 10*time.Second)
		if len(o.confirms) != 2 || !o.confirms[0].Confirmed || o.confirms[1].Confirmed || o.confirms[1].Reason == "" {
			t.Errorf("got %+v, want one confirmed and one failed with a reason", o.confirms)
		}
	})
}

func TestAManualPartnerIsNotAsked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newClaimed(1, domain.PartnerJob)
		d.Destination.Partner = domain.Partner{Driver: domain.DriverManual}
		o := &fakeOutbox{deliveries: []domain.ClaimedDelivery{d}}
		runWorker(t, o, outbox.Options{}, 5*time.Second)
		if len(o.confirms) != 0 || o.deliveries[0].State != domain.JobDone {
			t.Errorf("got %+v and %s, want nothing confirmed and the job done", o.confirms, o.deliveries[0].State)
		}
	})
}

// failingOutbox is an outbox whose maintenance and claims fail.
type failingOutbox struct{ fakeOutbox }

var errMaintenance = errors.New("database is away")

func (o *failingOutbox) Expire(context.Context) (int, error)   { return 0, errMaintenance }
func (o *failingOutbox) Promote(context.Context) (bool, error) { return true, errMaintenance }
func (o *failingOutbox) PerformSchedules(context.Context) (bool, error) {
	return true, errMaintenance
}
func (o *failingOutbox) CorrectSchedule(context.Context) error { return errMaintenance }
func (o *failingOutbox) Claim(context.Context, domain.Destination, int, time.Duration) ([]domain.ClaimedDelivery, error) {
	return nil, errMaintenance
}

// Every second, except for the purge, which is done every hour.
func TestErrorsOfMaintenanceAndClaimsAreLoggedEachSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		fail := func(context.Context) error { return errMaintenance }
		o := &failingOutbox{fakeOutbox{deliveries: []domain.ClaimedDelivery{newClaimed(1, domain.EmailJob)}}}
		outbox.New(o, o, outbox.Options{Log: slog.New(slog.NewTextHandler(&log, nil)), Mailer: &countingMailer{}, Purge: fail, RecordUse: fail}).Run(ctx)
		for message, want := range map[string]int{"msg=delivery kind=email": 3, "late operations": 3, "activation queue": 3, "scheduled operations": 3, "retention": 1, "schedule of deliveries": 1} {
			if got := strings.Count(log.String(), message); got != want {
				t.Errorf("%s: logged %d times, want %d", message, got, want)
			}
		}
	})
}

// expiringOutbox counts how often late operations are looked for.
type expiringOutbox struct {
	fakeOutbox
	expired int
}

func (o *expiringOutbox) Expire(context.Context) (int, error) {
	o.expired++
	return 0, nil
}

// A purge that takes longer than an hour stops no other maintenance, and no second one begins.
func TestMaintenanceGoesOnDuringAPurge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const hours = 2
		ctx, cancel := context.WithTimeout(t.Context(), hours*time.Hour+time.Minute)
		defer cancel()
		o, purges := &expiringOutbox{}, 0
		outbox.New(o, o, outbox.Options{Purge: func(ctx context.Context) error {
			purges++
			<-ctx.Done()
			return ctx.Err()
		}}).Run(ctx)
		if want := hours * 3600; o.expired < want || purges != 1 {
			t.Errorf("got %d expirations and %d purges, want at least %d and 1", o.expired, purges, want)
		}
	})
}

// An import stays fast during many deliveries: at most 250 a second are claimed for each destination.
func TestDeliveriesYieldToAnImport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 3000
		o := &fakeOutbox{}
		for id := range n {
			o.deliveries = append(o.deliveries, newClaimed(id+1, domain.EmailJob))
		}
		runWorker(t, o, outbox.Options{Mailer: &countingMailer{}, MailBatchSize: 200}, time.Minute)
		if len(o.finished) != n {
			t.Errorf("%d of %d are delivered", len(o.finished), n)
		}
		for i, at := range o.claims[1:] {
			if got := at.Sub(o.claims[i]); got < 800*time.Millisecond {
				t.Errorf("claim %d came %v after the one before", i+2, got)
			}
		}
	})
}
