package store_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"ativa/internal/provision"
	"ativa/internal/store"
	"ativa/internal/store/pgtest"
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
	err := first.Update(t.Context(), f.p, func(ctx context.Context, tx provision.Tx) error {
		return tx.InsertJobs(ctx, []provision.Job{{ID: provision.JobID(subscriber), Kind: provision.EmailJob, CreatedAt: now, NextAt: now}})
	})
	if err != nil {
		t.Fatal(err)
	}
	claim := func(db *store.DB) int {
		jobs, err := db.ClaimJobs(t.Context(), provision.EmailJob, 10, now, now.Add(time.Minute))
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
	var jobs []provision.Job
	for n := range 300 {
		jobs = append(jobs, provision.Job{ID: provision.JobID(begin + int64(n) + 1), Kind: provision.EmailJob, CreatedAt: now, NextAt: now})
	}
	f.update(func(ctx context.Context, tx provision.Tx) error { return tx.InsertJobs(ctx, jobs) })
	claim := func(db *store.DB, at time.Time) []provision.Job {
		all, err := db.ClaimJobs(t.Context(), provision.EmailJob, 20, at, at.Add(time.Minute))
		if err != nil {
			t.Error(err)
		}
		return all
	}
	var mu sync.Mutex
	taken := map[provision.JobID]int{}
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
