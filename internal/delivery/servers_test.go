package delivery_test

import (
	"context"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"ativa/internal/delivery"
	"ativa/internal/provision"
	"ativa/internal/store"
	"ativa/internal/store/pgtest"
)

// startOtherServer starts a worker of another server of the world's database, whose
// clock is ahead; stop ends it.
func (w *fixture) startOtherServer(ahead time.Duration) (stop func()) {
	w.t.Helper()
	db, err := store.Open(context.Background(), w.path, store.Options{Exclusive: true})
	w.must(err)
	m := provision.NewManager(db, provision.Options{Clock: func() time.Time { return time.Now().Add(ahead) }})
	ctx, end := context.WithCancel(context.Background())
	var worker sync.WaitGroup
	worker.Go(func() { delivery.New(m, w.options).Run(ctx) })
	stop = sync.OnceFunc(func() {
		end()
		worker.Wait()
		w.must(db.Close())
	})
	w.t.Cleanup(stop)
	return stop
}

// waitForDone waits, in real time, until so many jobs of each kind are done.
func (w *fixture) waitForDone(n int) {
	w.t.Helper()
	deadline := time.Now().Add(testTimeout)
	for _, kind := range []provision.JobKind{provision.EmailJob, provision.PartnerJob} {
		for got := -1; got != n; got = len(w.jobs(kind, provision.JobDone)) {
			if time.Now().After(deadline) {
				w.t.Fatalf("%s: %d are done, want %d", kind, got, n)
			}
			<-time.After(10 * time.Millisecond)
		}
	}
}

// Servers of one database share its deliveries: each goes out once. What a
// killed server had taken is taken over when its lease has ended, and not before.
func TestWorkersOfOneDatabaseShareTheDeliveries(t *testing.T) {
	const people, taken = 200, 40
	partner := &webhookReceiver{t: t}
	receiver := httptest.NewServer(partner)
	defer receiver.Close()
	w := newFixtureOn(t, pgtest.URL(t), provision.Partner{Name: "parceiro", Driver: provision.DriverHTTP, URL: receiver.URL})
	letters := &post{}
	w.options.Mailer = letters
	w.register(w.defaultProvider, people, 1)

	for _, kind := range []provision.JobKind{provision.EmailJob, provision.PartnerJob} { // by a server that is killed at once
		claimed, err := w.manager.Claim(t.Context(), kind, taken, time.Minute)
		w.must(err)
		if len(claimed) != taken {
			t.Fatalf("%s: %d were claimed, want %d", kind, len(claimed), taken)
		}
	}
	stop := []func(){w.startOtherServer(0), w.startOtherServer(0), w.startOtherServer(0)}
	w.waitForDone(people - taken)
	if n := len(w.jobs(provision.EmailJob, provision.JobLeased)); n != taken {
		t.Errorf("%d e-mails are still leased, want the %d of the dead server", n, taken)
	}
	for _, end := range stop {
		end()
	}
	stop = []func(){w.startOtherServer(time.Minute + time.Second), w.startOtherServer(time.Minute + time.Second)}
	w.waitForDone(people)
	for _, end := range stop {
		end()
	}

	sent := map[string]int{}
	for _, l := range letters.letters() {
		sent[l.ID]++
	}
	for what, got := range map[string][2]int{"letters": {len(letters.letters()), len(sent)}, "partner requests": {len(partner.messages()), len(countByID(partner.messages()))}} {
		if got != [2]int{people, people} {
			t.Errorf("%s: %d were sent, %d different ones, want each of the %d once", what, got[0], got[1], people)
		}
	}
}
