package delivery_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/delivery"
	"ativa/internal/provision"
)

// The service is killed and started again between and within the steps of the
// retry schedules, a hundred times. Nothing that was owed is lost, and each
// kill repeats at most one delivery, under the same id (reliability.md 6).
func TestRestartsBetweenAllStepsLoseNothing(t *testing.T) {
	const kills, people = 100, 12
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		tries := map[string]int{}
		third := func(id string) bool { // each delivery succeeds at its third attempt
			mu.Lock()
			defer mu.Unlock()
			tries[id]++
			return tries[id] == 3
		}
		refuse := func(_ int, w http.ResponseWriter, r *http.Request) {
			if !third(r.Header.Get("webhook-id")) {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		}
		w, partner, net := newHTTPPartnerFixture(t, provision.Options{}, refuse)
		callback := &webhookReceiver{t: t, respond: refuse}
		callback.secret = w.setCallback(w.defaultProvider, net.serve(t, "azul.example", callback))
		mailer := &post{}
		mailer.fail = func(l delivery.ActivationEmail) error {
			if !third("letter " + l.ID) {
				return errors.New("451 not now")
			}
			return nil
		}
		w.options.Mailer = mailer
		random := rand.New(rand.NewPCG(1, 2))
		w.start()
		documents := w.register(w.defaultProvider, people, 1)
		for range kills {
			if len(documents) > 0 && random.IntN(4) == 0 {
				w.resend(w.defaultProvider, documents[0])
				documents = documents[1:]
			}
			advance(time.Duration(random.Int64N(int64(8 * time.Second))))
			w.stop()
			advance(time.Duration(random.Int64N(int64(4 * time.Hour))))
			w.restart()
		}
		for range 10 { // the rest of the longest waits
			w.stop()
			advance(25 * time.Hour)
			w.restart()
			advance(10 * time.Second)
		}

		for _, kind := range []provision.JobKind{provision.EmailJob, provision.CallbackJob, provision.PartnerJob} {
			if lost := w.jobs(kind, provision.JobDead, provision.JobLeased); len(lost) != 0 {
				t.Errorf("%s: %d are dead or stuck: %+v", kind, len(lost), lost[0])
			}
		}
		wantAttempts(t, "partner", partner.messages(), w.jobs(provision.PartnerJob), func(d provision.Delivery) string { return d.Operation.String() })
		wantAttempts(t, "callback", callback.messages(), w.jobs(provision.CallbackJob), func(d provision.Delivery) string { return d.ID.String() })
		var letters []received
		for _, l := range mailer.letters() {
			letters = append(letters, received{id: l.ID})
		}
		wantAttempts(t, "e-mail", letters, w.jobs(provision.EmailJob), func(d provision.Delivery) string { return d.ID.String() })
	})
}

// wantAttempts compares what the receiver saw with what the outbox counted: a
// stop that waits for what is under way repeats nothing at all.
func wantAttempts(t *testing.T, what string, got []received, owed []provision.Delivery, id func(provision.Delivery) string) {
	t.Helper()
	seen := countByID(got)
	if len(owed) == 0 {
		t.Errorf("%s: nothing was owed", what)
	}
	for _, d := range owed {
		if d.State != provision.JobDone {
			t.Errorf("%s: %s is %s after %d attempts", what, id(d), d.State, d.Attempts)
		}
		if d.Attempts > 0 && seen[id(d)] != d.Attempts {
			t.Errorf("%s: %s arrived %d times in %d attempts", what, id(d), seen[id(d)], d.Attempts)
		}
	}
}

// A process that dies has sent, and not written that it did. The next one
// sends that again, and only that, under the same id: one e-mail, and of
// partner requests those that were under way at once.
func TestAKillRepeatsWhatWasUnderWayAtMost(t *testing.T) {
	const kills, people = 100, 300
	for _, c := range []struct {
		what  string
		kind  provision.JobKind
		slots int
	}{{"e-mails", provision.EmailJob, 1}, {"partner requests", provision.PartnerJob, 8}} {
		t.Run(c.what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, partner, _ := newHTTPPartnerFixture(t, provision.Options{}, nil)
				mailer := &post{}
				w.options.Mailer = mailer
				w.register(w.defaultProvider, people, 1)
				random := rand.New(rand.NewPCG(3, 4))
				for n := range kills {
					ctx, die := context.WithCancel(context.Background())
					dying := &crashingManager{Manager: w.manager, kind: c.kind, left: 1 + random.IntN(3), die: die}
					delivery.New(dying, w.options).Run(ctx)
					if n%10 == 0 {
						w.must(w.store.Close())
						w.open() // frees the leases, as the next process does
						continue
					}
					w.freeLeases()
				}
				w.start()
				advance(time.Minute)
				ids := countByID(partner.messages())
				total := len(partner.messages())
				if c.kind == provision.EmailJob {
					ids, total = map[string]int{}, len(mailer.letters())
					for _, l := range mailer.letters() {
						ids[l.ID]++
					}
				}
				if repeats := total - len(ids); len(ids) != people || repeats == 0 || repeats > kills*c.slots {
					t.Errorf("%d arrived, %d of them repeats, in %d kills; want %d and at most %d repeats", total, repeats, kills, people, kills*c.slots)
				}
				if open := w.jobs(c.kind, provision.JobDue, provision.JobLeased, provision.JobDead); len(open) != 0 {
					t.Errorf("%d are not done", len(open))
				}
			})
		})
	}
}

// freeLeases does what opening the file for itself does at the start of a
// process, at a fraction of the time.
func (w *fixture) freeLeases() {
	w.t.Helper()
	all, err := w.manager.Deliveries(context.Background(), provision.JobFilter{States: []provision.JobState{provision.JobLeased}})
	w.must(err)
	free := make([]provision.Job, len(all))
	for i, d := range all {
		free[i] = d.Job
		free[i].State, free[i].NextAt = provision.JobDue, d.CreatedAt
	}
	w.must(w.store.FinishJobs(context.Background(), free))
}

// crashingManager is the rules until the process dies: after some deliveries of a kind
// nothing is written any more.
type crashingManager struct {
	*provision.Manager
	kind provision.JobKind
	die  func()
	mu   sync.Mutex
	left int
}

// dead counts a delivery down and reports whether the process is dead.
func (m *crashingManager) dead(jobs []provision.Job) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.left > 0 && jobs[0].Kind == m.kind {
		if m.left--; m.left == 0 {
			m.die()
		}
	}
	return m.left == 0
}

func (m *crashingManager) Finish(ctx context.Context, jobs []provision.Job) error {
	if m.dead(jobs) {
		return nil // lost: it is delivered, and nobody will know
	}
	return m.Manager.Finish(ctx, jobs)
}

func (m *crashingManager) Postpone(ctx context.Context, jobs []provision.Job) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.left == 0 {
		return nil // the dead give nothing back
	}
	return m.Manager.Postpone(ctx, jobs)
}
