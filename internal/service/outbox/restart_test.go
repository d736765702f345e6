package outbox_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/service/outbox"
	"ativa/internal/service/rules"
	"ativa/internal/service/servicetest"
)

// The service is killed and started again between and within the steps of the
// retry schedules, a hundred times. No delivery is lost, and each kill repeats at
// most one, under the same id (reliability.md 6).
func TestRestartsBetweenAllStepsLoseNothing(t *testing.T) {
	t.Parallel()
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
		f, partner, net := newHTTPPartnerFixture(t, servicetest.Options{}, refuse)
		callback := &webhookReceiver{t: t, respond: refuse}
		callback.secret = f.setCallback(f.defaultProvider, net.serve(t, "azul.example", callback))
		mailer := &recordingMailer{}
		mailer.fail = func(email outbox.ActivationEmail) error {
			if !third("e-mail " + email.ID) {
				return errors.New("451 not now")
			}
			return nil
		}
		f.options.Mailer = mailer
		random := rand.New(rand.NewPCG(1, 2))
		f.start()
		documents := f.register(f.defaultProvider, people, 1)
		for range kills {
			if len(documents) > 0 && random.IntN(4) == 0 {
				f.resend(f.defaultProvider, documents[0])
				documents = documents[1:]
			}
			advance(time.Duration(random.Int64N(int64(8 * time.Second))))
			f.stop()
			advance(time.Duration(random.Int64N(int64(4 * time.Hour))))
			f.restart()
		}
		for range 10 { // the rest of the longest waits
			f.stop()
			advance(25 * time.Hour)
			f.restart()
			advance(10 * time.Second)
		}

		for _, kind := range []rules.JobKind{rules.EmailJob, rules.CallbackJob, rules.PartnerJob} {
			if lost := f.jobs(kind, rules.JobDead, rules.JobLeased); len(lost) != 0 {
				t.Errorf("%s: %d are dead or stuck: %+v", kind, len(lost), lost[0])
			}
		}
		wantAttempts(t, "partner", partner.messages(), f.jobs(rules.PartnerJob), func(d rules.Delivery) string { return d.Operation.String() })
		wantAttempts(t, "callback", callback.messages(), f.jobs(rules.CallbackJob), func(d rules.Delivery) string { return d.ID.String() })
		var emails []received
		for _, email := range mailer.emails() {
			emails = append(emails, received{id: email.ID})
		}
		wantAttempts(t, "e-mail", emails, f.jobs(rules.EmailJob), func(d rules.Delivery) string { return d.ID.String() })
	})
}

// wantAttempts compares what the receiver got with the attempts in the outbox. A
// stop waits for the attempts in progress, so it repeats none.
func wantAttempts(t *testing.T, what string, got []received, owed []rules.Delivery, id func(rules.Delivery) string) {
	t.Helper()
	seen := countByID(got)
	if len(owed) == 0 {
		t.Errorf("%s: nothing was owed", what)
	}
	for _, d := range owed {
		if d.State != rules.JobDone {
			t.Errorf("%s: %s is %s after %d attempts", what, id(d), d.State, d.Attempts)
		}
		if d.Attempts > 0 && seen[id(d)] != d.Attempts {
			t.Errorf("%s: %s arrived %d times in %d attempts", what, id(d), seen[id(d)], d.Attempts)
		}
	}
}

// A process that is killed has made deliveries without writing their outcome. The
// next one repeats these and no others, under the same ids: one e-mail, and as
// many partner requests as are made at once.
func TestAKillRepeatsWhatWasInProgressAtMost(t *testing.T) {
	const kills, people = 100, 300
	for _, c := range []struct {
		what  string
		kind  rules.JobKind
		slots int
	}{{"e-mails", rules.EmailJob, 1}, {"partner requests", rules.PartnerJob, 8}} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f, partner, _ := newHTTPPartnerFixture(t, servicetest.Options{}, nil)
				mailer := &recordingMailer{}
				f.options.Mailer = mailer
				f.register(f.defaultProvider, people, 1)
				random := rand.New(rand.NewPCG(3, 4))
				for n := range kills {
					ctx, die := context.WithCancel(context.Background())
					dying := &crashingManager{Service: f.manager, kind: c.kind, left: 1 + random.IntN(3), die: die}
					options := f.options
					options.Mailer = mailerUntilKilled{mailer, dying}
					outbox.New(dying, dying, options).Run(ctx)
					if n%10 == 0 {
						f.must(f.store.Close())
						f.open() // frees the leases, as the next process does
						continue
					}
					f.freeLeases()
				}
				f.start()
				advance(time.Minute)
				ids := countByID(partner.messages())
				total := len(partner.messages())
				if c.kind == rules.EmailJob {
					ids, total = map[string]int{}, len(mailer.emails())
					for _, email := range mailer.emails() {
						ids[email.ID]++
					}
				}
				if repeats := total - len(ids); len(ids) != people || repeats == 0 || repeats > kills*c.slots {
					t.Errorf("%d arrived, %d of them repeats, in %d kills; want %d and at most %d repeats", total, repeats, kills, people, kills*c.slots)
				}
				if open := f.jobs(c.kind, rules.JobDue, rules.JobLeased, rules.JobDead); len(open) != 0 {
					t.Errorf("%d are not done", len(open))
				}
			})
		})
	}
}

// freeLeases ends all leases, as opening the database for exclusive use does, in
// a fraction of the time.
func (f *fixture) freeLeases() {
	f.t.Helper()
	all, err := f.manager.Jobs(context.Background(), rules.JobFilter{States: []rules.JobState{rules.JobLeased}})
	f.must(err)
	free := make([]rules.Job, len(all))
	for i, d := range all {
		free[i] = d.Job
		free[i].State, free[i].NextAt = rules.JobDue, d.CreatedAt
	}
	f.must(f.store.FinishJobs(context.Background(), free, nil))
}

// crashingManager writes nothing any more after some deliveries of a kind, like a
// process that is killed.
type crashingManager struct {
	*servicetest.Service
	kind rules.JobKind
	die  func()
	mu   sync.Mutex
	left int
}

// dead counts a delivery and reports whether the process is killed.
func (m *crashingManager) dead(jobs []rules.Job) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.left > 0 && jobs[0].Kind == m.kind {
		if m.left--; m.left == 0 {
			m.die()
		}
	}
	return m.left == 0
}

// killed reports whether the process was killed.
func (m *crashingManager) killed() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.left == 0
}

// mailerUntilKilled sends no e-mail once the process was killed: the worker may have
// begun another before it sees that.
type mailerUntilKilled struct {
	outbox.Mailer
	process *crashingManager
}

func (m mailerUntilKilled) Send(ctx context.Context, email outbox.ActivationEmail) error {
	if m.process.killed() {
		return errors.New("killed")
	}
	return m.Mailer.Send(ctx, email)
}

func (m *crashingManager) Finish(ctx context.Context, jobs []rules.Job, next []rules.ClaimedDelivery) error {
	if len(jobs) > 0 && m.dead(jobs) {
		return errors.New("killed") // delivered, but not written
	}
	return m.Service.Finish(ctx, jobs, next)
}
