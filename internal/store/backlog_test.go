package store_test

import (
	"context"
	"testing"
	"time"

	"ativa/internal/provision"
	"ativa/internal/store"
)

func TestBacklogsSumUpWhatIsNotDone(t *testing.T) {
	db := open(t, file(t), store.Options{})
	defer db.Close()
	w := newWorld(t, db)
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	first, _ := w.p.Records()
	job := func(n int64, k provision.JobKind, s provision.JobState, made, next time.Duration) provision.Job {
		return provision.Job{ID: provision.JobID(first + n), Kind: k, State: s, CreatedAt: now.Add(made), NextAt: now.Add(next)}
	}
	err := db.Update(t.Context(), w.p, func(ctx context.Context, tx provision.Tx) error {
		return tx.InsertJobs(ctx, []provision.Job{
			job(1, provision.EmailJob, provision.JobDue, -time.Hour, -time.Minute),
			job(2, provision.EmailJob, provision.JobDue, -2*time.Hour, time.Minute), // waits for another attempt
			job(3, provision.EmailJob, provision.JobLeased, -time.Minute, time.Minute),
			job(4, provision.EmailJob, provision.JobDone, -3*time.Hour, -time.Hour),
			job(5, provision.EmailJob, provision.JobDead, -3*time.Hour, -time.Hour),
			job(6, provision.PartnerJob, provision.JobLeased, -time.Hour, time.Minute),
			job(7, provision.CallbackJob, provision.JobDone, -time.Hour, -time.Minute),
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := db.Backlogs(t.Context(), now)
	want := []provision.Backlog{
		{Kind: provision.EmailJob, Open: 3, Oldest: now.Add(-2 * time.Hour), Due: 1, Since: now.Add(-time.Minute)},
		{Kind: provision.PartnerJob, Open: 1, Oldest: now.Add(-time.Hour)},
	}
	if err != nil || len(got) != len(want) || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

func TestCallbacksAreCountedAndTurnedOff(t *testing.T) {
	db := open(t, file(t), store.Options{})
	defer db.Close()
	w := newWorld(t, db)
	ctx := t.Context()
	if err := db.EnableCallback(ctx, w.p, false); err == nil {
		t.Error("a callback that is not there is turned off")
	}
	c := provision.Callback{Provider: w.p, URL: "https://azul.example.com/", Secret: []byte{1}, Enabled: true}
	if err := db.SetCallback(ctx, c); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		well bool
		want int
	}{{false, 1}, {false, 2}, {true, 0}, {true, 0}, {false, 1}} {
		if err := db.CountCallback(ctx, w.p, step.well); err != nil {
			t.Fatal(err)
		}
		if all, err := db.Callbacks(ctx); err != nil || all[0].Failures != step.want {
			t.Errorf("got %+v, %v, want %d failures in a row", all, err, step.want)
		}
	}
	if err := db.EnableCallback(ctx, w.p, false); err != nil {
		t.Fatal(err)
	}
	if all, err := db.Callbacks(ctx); err != nil || all[0].Enabled {
		t.Errorf("got %+v, %v, want it off", all, err)
	}
}
