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
		w, partner, net := called(t, provision.Options{}, refuse)
		callback := &hook{t: t, answer: refuse}
		callback.secret = w.callback(w.p, net.serve(t, "azul.example", callback))
		mailer := &post{}
		mailer.fail = func(l delivery.Letter) error {
			if !third("letter " + l.ID) {
				return errors.New("451 not now")
			}
			return nil
		}
		w.options.Mailer = mailer
		random := rand.New(rand.NewPCG(1, 2))
		w.start()
		documents := w.register(w.p, people, 1)
		for range kills {
			if len(documents) > 0 && random.IntN(4) == 0 {
				w.resend(w.p, documents[0])
				documents = documents[1:]
			}
			wait(time.Duration(random.Int64N(int64(8 * time.Second))))
			w.stop()
			wait(time.Duration(random.Int64N(int64(4 * time.Hour))))
			w.restart()
		}
		for range 10 { // the rest of the longest waits
			w.stop()
			wait(25 * time.Hour)
			w.restart()
			wait(10 * time.Second)
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
	seen := distinct(got)
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
				w, partner, _ := called(t, provision.Options{}, nil)
				mailer := &post{}
				w.options.Mailer = mailer
				w.register(w.p, people, 1)
				random := rand.New(rand.NewPCG(3, 4))
				for n := range kills {
					ctx, die := context.WithCancel(context.Background())
					dying := &mortal{Manager: w.m, kind: c.kind, left: 1 + random.IntN(3), die: die}
					delivery.New(dying, w.options).Run(ctx)
					if n%10 == 0 {
						w.must(w.store.Close())
						w.open() // frees the leases, as the next process does
						continue
					}
					w.freeLeases()
				}
				w.start()
				wait(time.Minute)
				ids := distinct(partner.messages())
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
func (w *world) freeLeases() {
	w.t.Helper()
	all, err := w.m.Deliveries(context.Background(), provision.JobFilter{States: []provision.JobState{provision.JobLeased}})
	w.must(err)
	free := make([]provision.Job, len(all))
	for i, d := range all {
		free[i] = d.Job
		free[i].State, free[i].NextAt = provision.JobDue, d.CreatedAt
	}
	w.must(w.store.FinishJobs(context.Background(), free))
}

// mortal is the rules until the process dies: after some deliveries of a kind
// nothing is written any more.
type mortal struct {
	*provision.Manager
	kind provision.JobKind
	die  func()
	mu   sync.Mutex
	left int
}

// dead counts a delivery down and reports whether the process is dead.
func (m *mortal) dead(jobs []provision.Job) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.left > 0 && jobs[0].Kind == m.kind {
		if m.left--; m.left == 0 {
			m.die()
		}
	}
	return m.left == 0
}

func (m *mortal) Finish(ctx context.Context, jobs []provision.Job) error {
	if m.dead(jobs) {
		return nil // lost: it is delivered, and nobody will know
	}
	return m.Manager.Finish(ctx, jobs)
}

func (m *mortal) Postpone(ctx context.Context, jobs []provision.Job) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.left == 0 {
		return nil // the dead give nothing back
	}
	return m.Manager.Postpone(ctx, jobs)
}
