package outbox_test

import (
	"context"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"ativa/internal/service/outbox"
	"ativa/internal/service/rules"
	"ativa/internal/service/servicetest"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
)

// startOtherServer starts a worker of another server on the same database, whose
// clock is ahead. stop ends it.
func (f *fixture) startOtherServer(ahead time.Duration) (stop func()) {
	f.t.Helper()
	db, err := store.Open(context.Background(), f.path, store.Options{Exclusive: true})
	f.must(err)
	m := servicetest.New(db, servicetest.Options{Clock: func() time.Time { return time.Now().Add(ahead) }})
	ctx, end := context.WithCancel(context.Background())
	var worker sync.WaitGroup
	options := f.options
	options.Feed, options.Purge, options.RecordUse = m, m.Purge, m.RecordUse
	worker.Go(func() { outbox.New(m, m, options).Run(ctx) })
	stop = sync.OnceFunc(func() {
		end()
		worker.Wait()
		f.must(db.Close())
	})
	f.t.Cleanup(stop)
	return stop
}

// waitForDone waits, in real time, until so many jobs of each kind are done.
func (f *fixture) waitForDone(n int) {
	f.t.Helper()
	deadline := time.Now().Add(testTimeout)
	for _, kind := range []rules.JobKind{rules.EmailJob, rules.PartnerJob} {
		for got := -1; got != n; got = len(f.jobs(kind, rules.JobDone)) {
			if time.Now().After(deadline) {
				f.t.Fatalf("%s: %d are done, want %d", kind, got, n)
			}
			<-time.After(10 * time.Millisecond)
		}
	}
}

// The servers of one database share its deliveries, and each is made once. What a
// killed server had claimed is delivered when its lease has ended, and not before.
func TestWorkersOfOneDatabaseShareTheDeliveries(t *testing.T) {
	t.Parallel()
	const people, taken = 200, 40
	partner := &webhookReceiver{t: t}
	receiver := httptest.NewServer(partner)
	defer receiver.Close()
	f := newFixtureOn(t, pgtest.URL(t), rules.Partner{Name: "parceiro", Driver: rules.DriverHTTP, URL: receiver.URL})
	emails := &recordingMailer{}
	f.options.Mailer = emails
	documents := f.register(f.defaultProvider, people, 1)

	for _, kind := range []rules.JobKind{rules.EmailJob, rules.PartnerJob} { // by a server that is killed at once
		due, err := f.manager.DueDestinations(t.Context(), kind)
		f.must(err)
		claimed, err := f.manager.Claim(t.Context(), due[0], taken, time.Minute)
		f.must(err)
		if len(claimed) != taken {
			t.Fatalf("%s: %d were claimed, want %d", kind, len(claimed), taken)
		}
	}
	stop := []func(){f.startOtherServer(0), f.startOtherServer(0), f.startOtherServer(0)}
	f.waitForDone(people - taken)
	if n := len(f.jobs(rules.EmailJob, rules.JobLeased)); n != taken {
		t.Errorf("%d e-mails are still leased, want the %d of the dead server", n, taken)
	}
	for _, end := range stop {
		end()
	}
	stop = []func(){f.startOtherServer(time.Minute + time.Second), f.startOtherServer(time.Minute + time.Second)}
	f.waitForDone(people)
	for _, end := range stop {
		end()
	}

	sent := map[string]int{}
	for _, email := range emails.emails() {
		sent[email.ID]++
	}
	for what, got := range map[string][2]int{"e-mails": {len(emails.emails()), len(sent)}, "partner requests": {len(partner.messages()), len(countByID(partner.messages()))}} {
		if got != [2]int{people, people} {
			t.Errorf("%s: %d were sent, %d different ones, want each of the %d once", what, got[0], got[1], people)
		}
	}
	for _, d := range documents {
		f.wantTold(d, rules.EmailJob, rules.DeliverySent, 1, "")
		f.wantTold(d, rules.PartnerJob, rules.DeliverySent, 1, "")
	}
}
