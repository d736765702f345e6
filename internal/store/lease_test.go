package store_test

import (
	"context"
	"testing"
	"time"

	"ativa/internal/provision"
	"ativa/internal/store"
)

// A server that was killed leaves leased jobs behind. Who opens the file for
// itself need not wait for the leases to end.
func TestTheNextServerOfAFileTakesJobsOverAtOnce(t *testing.T) {
	path := file(t)
	first := open(t, path, store.Options{Exclusive: true})
	w := newWorld(t, first)
	w.insert(1, 1)
	now := time.Now()
	subscriber, _ := w.p.Subscribers()
	err := first.Update(t.Context(), w.p, func(ctx context.Context, tx provision.Tx) error {
		return tx.InsertJobs(ctx, []provision.Job{{ID: provision.JobID(subscriber), Kind: provision.EmailJob, CreatedAt: now, NextAt: now}})
	})
	if err != nil {
		t.Fatal(err)
	}
	claim := func(db *store.DB) int {
		jobs, err := db.ClaimJobs(t.Context(), []provision.JobKind{provision.EmailJob}, 10, now, now.Add(time.Minute))
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
