package store_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
)

// A server that was killed leaves leased jobs behind. Who opens the file for
// itself need not wait for the leases to end.
func TestTheNextServerOfAFileTakesJobsOverAtOnce(t *testing.T) {
	path := tempFile(t)
	first := open(t, path, store.Options{Exclusive: true})
	f := newFixture(t, first)
	f.insert(1, 1)
	now := time.Now()
	subscriber, _ := f.p.Subscribers()
	err := first.Update(t.Context(), f.p, func(ctx context.Context, tx rules.Tx) error {
		return tx.Write(ctx, rules.Changes{NewJobs: []domain.Job{{ID: domain.JobID(subscriber), Kind: domain.EmailJob, CreatedAt: now, NextAt: now}}})
	})
	if err != nil {
		t.Fatal(err)
	}
	claim := func(db *store.DB) int {
		jobs, err := db.ClaimJobs(t.Context(), domain.Destination{Kind: domain.EmailJob}, 10, now, now.Add(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		return len(jobs)
	}
	if n := claim(first); n != 1 {
		t.Fatalf("claimed %d jobs, want 1", n)
	}
	if n := claim(first); n != 0 {
		t.Errorf("claimed a leased job again")
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second := open(t, path, store.Options{Exclusive: true})
	defer second.Close()
	if n := claim(second); n != 1 {
		t.Errorf("the next server claimed %d jobs, want 1", n)
	}
}

// Two servers claim at once: each job goes to one of them, and an ended lease
// goes to another.
func TestAJobIsLeasedToOneServer(t *testing.T) {
	dsn := pgtest.DSN(t)
	first := open(t, dsn, store.Options{})
	defer first.Close()
	second := open(t, dsn, store.Options{})
	defer second.Close()
	f := newFixture(t, first)
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	begin, _ := f.p.Records()
	var jobs []domain.Job
	for n := range 300 {
		jobs = append(jobs, domain.Job{ID: domain.JobID(begin + int64(n) + 1), Kind: domain.EmailJob, CreatedAt: now, NextAt: now})
	}
	f.update(func(ctx context.Context, tx rules.Tx) error { return tx.Write(ctx, rules.Changes{NewJobs: jobs}) })
	claim := func(db *store.DB, at time.Time) []domain.Job {
		all, err := db.ClaimJobs(t.Context(), domain.Destination{Kind: domain.EmailJob}, 20, at, at.Add(time.Minute))
		if err != nil {
			t.Error(err)
		}
		return all
	}
	var mu sync.Mutex
	taken := map[domain.JobID]int{}
	var servers sync.WaitGroup
	for _, db := range []*store.DB{first, second, first, second} {
		servers.Go(func() {
			for {
				all := claim(db, now)
				if len(all) == 0 {
					return
				}
				mu.Lock()
				for _, j := range all {
					taken[j.ID]++
				}
				mu.Unlock()
			}
		})
	}
	servers.Wait()
	for id, times := range taken {
		if times != 1 {
			t.Errorf("job %d was leased %d times", id, times)
		}
	}
	if len(taken) != 300 {
		t.Errorf("%d jobs were leased, want 300", len(taken))
	}
	again := claim(second, now.Add(time.Minute))
	if len(again) != 20 || again[0].ID != jobs[0].ID {
		t.Errorf("after the lease: got %d jobs, want 20, the oldest first", len(again))
	}
}

// A server that was paused past its lease writes its outcome after another server has delivered the
// job. The job stays delivered.
func TestAnOutcomeAfterTheLeaseIsNotWritten(t *testing.T) {
	db := open(t, pgtest.DSN(t), store.Options{})
	defer db.Close()
	f := newFixture(t, db)
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	begin, _ := f.p.Records()
	f.update(func(ctx context.Context, tx rules.Tx) error {
		return tx.Write(ctx, rules.Changes{NewJobs: []domain.Job{{ID: domain.JobID(begin + 1), Kind: domain.EmailJob, CreatedAt: now, NextAt: now}}})
	})
	claim := func(at time.Time) domain.Job {
		all, err := db.ClaimJobs(t.Context(), domain.Destination{Kind: domain.EmailJob}, 1, at, at.Add(time.Minute))
		if err != nil || len(all) != 1 {
			t.Fatalf("got %d jobs, %v, want one", len(all), err)
		}
		return all[0]
	}
	held := func(j domain.Job) (held bool) {
		f.update(func(ctx context.Context, tx rules.Tx) error {
			all, err := tx.HeldJobs(ctx, []domain.Job{j})
			held = all[j.ID]
			return err
		})
		return held
	}
	paused := claim(now)
	if !held(paused) {
		t.Error("the lease has not ended, but the job is not held")
	}
	other := claim(now.Add(time.Minute))
	if held(paused) || !held(other) {
		t.Error("the job is not held by the second server alone")
	}
	other.State, other.NextAt = domain.JobDone, now.Add(61*time.Second)
	must(t, db.FinishJobs(t.Context(), []domain.Job{other}, nil))
	paused.State, paused.NextAt, paused.LastError = domain.JobDue, now.Add(65*time.Second), "cut"
	must(t, db.FinishJobs(t.Context(), []domain.Job{paused}, nil))
	got, err := db.Jobs(t.Context(), domain.JobFilter{})
	if err != nil || len(got) != 1 || got[0].State != domain.JobDone || got[0].LastError != "" {
		t.Errorf("got %+v, %v, want it done", got, err)
	}
	if held(other) {
		t.Error("a finished job is held")
	}
}

// A worker claims for one destination, however many jobs wait for another.
func TestJobsAreClaimedForOneDestination(t *testing.T) {
	db := open(t, pgtest.DSN(t), store.Options{})
	defer db.Close()
	f := newFixture(t, db)
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	begin, _ := f.p.Records()
	var jobs []domain.Job
	for n := range 30 {
		jobs = append(jobs, domain.Job{ID: domain.JobID(begin + int64(n) + 1), Kind: domain.PartnerJob, Destination: int64(n % 3), CreatedAt: now, NextAt: now.Add(time.Duration(n%3) * time.Hour)})
	}
	f.update(func(ctx context.Context, tx rules.Tx) error { return tx.Write(ctx, rules.Changes{NewJobs: jobs}) })
	for at, want := range map[time.Duration][]int64{-time.Second: nil, 0: {0}, time.Hour: {0, 1}, 2 * time.Hour: {0, 1, 2}} {
		if got, err := db.DueDestinations(t.Context(), domain.PartnerJob, now.Add(at)); err != nil || !slices.Equal(got, want) {
			t.Errorf("after %s: got %v, %v, want %v", at, got, err, want)
		}
	}
	if got, err := db.DueDestinations(t.Context(), domain.CallbackJob, now.Add(time.Hour)); err != nil || len(got) != 0 {
		t.Errorf("of another kind: got %v, %v", got, err)
	}
	claimed, err := db.ClaimJobs(t.Context(), domain.Destination{Kind: domain.PartnerJob, ID: 1}, 20, now.Add(2*time.Hour), now.Add(3*time.Hour))
	if err != nil || len(claimed) != 10 || slices.ContainsFunc(claimed, func(j domain.Job) bool { return j.Destination != 1 }) {
		t.Errorf("got %d jobs, %v, want the ten of the destination", len(claimed), err)
	}
}

// What somebody waits for is claimed first, the oldest of it first, and then the rest.
func TestUrgentJobsAreClaimedFirst(t *testing.T) {
	dsn := pgtest.DSN(t)
	db := open(t, dsn, store.Options{})
	defer db.Close()
	f := newFixture(t, db)
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	begin, _ := f.p.Records()
	var jobs []domain.Job
	for n := range 3000 {
		at := now.Add(-time.Duration(n) * time.Second)
		jobs = append(jobs, domain.Job{ID: domain.JobID(begin + int64(n) + 1), Kind: domain.EmailJob, CreatedAt: at, NextAt: at, Urgent: n%600 == 0})
	}
	f.update(func(ctx context.Context, tx rules.Tx) error { return tx.Write(ctx, rules.Changes{NewJobs: jobs}) })
	var got []int64
	for range 4 {
		some, err := db.ClaimJobs(t.Context(), domain.Destination{Kind: domain.EmailJob}, 3, now, now.Add(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range some {
			got = append(got, int64(j.ID)-begin-1)
			if j.Urgent != (len(got) <= 5) {
				t.Errorf("claim %d: urgent is %t", len(got), j.Urgent)
			}
		}
	}
	if want := []int64{2400, 1800, 1200, 600, 0, 2999, 2998, 2997, 2996, 2995, 2994, 2993}; !slices.Equal(got, want) {
		t.Errorf("claimed %v, want %v", got, want)
	}
	_, plan, err := store.RowsOf(t.Context(), db, func() { must(t, db.ReadUrgentJobs(t.Context())) })
	must(t, err)
	if strings.HasPrefix(dsn, "postgres") {
		pgtest.Exec(t, dsn, `ANALYZE job`)
		plan = queried(t, dsn, `EXPLAIN `+store.UrgentJobs())
	}
	if !strings.Contains(plan, "job_urgent") {
		t.Errorf("the plan is\n%s", plan)
	}
}
