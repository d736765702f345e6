package store_test

import (
	"strings"
	"testing"
	"time"

	"ativa/internal/provision"
	"ativa/internal/store"
	"ativa/internal/store/pgtest"
)

// A new table is partitioned by provider, or there is a reason not to.
func TestEveryTableIsPartitionedOrHasAReasonNotToBe(t *testing.T) {
	onPostgres(t)
	for table := range strings.SplitSeq(queried(t, pgtest.URL(t), `SELECT relname::text FROM pg_class
		WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`), "\n") {
		_, partitioned := pgtest.PartitionedTables()[table]
		if reason := pgtest.WholeTables()[table]; partitioned == (reason != "") {
			t.Errorf("table %s: partitioned %t, a reason not to be: %q", table, partitioned, reason)
		}
	}
}

// What is done for all providers at once is the only thing that reads several
// partitions of a table. What a request does is shown by the tests of package server.
func TestOnlyWorkForAllProvidersTouchesSeveralPartitions(t *testing.T) {
	t.Parallel()
	onPostgres(t)
	dsn := pgtest.Explained(t, pgtest.Partitioned(t))
	seedEveryTable(t, dsn)
	db := open(t, dsn, store.Options{})
	defer db.Close()
	p, err := db.ProviderByName(t.Context(), "Açaí")
	must(t, err)
	first, _ := p.ID.Records()
	ctx, now := t.Context(), time.Now()
	job := provision.Job{ID: provision.JobID(first + 1), State: provision.JobDue, NextAt: now}
	for _, c := range []struct {
		name string
		do   func() error
		why  string // it touches several; empty: it does not
	}{
		{"ClaimJobs", func() error {
			_, err := db.ClaimJobs(ctx, provision.EmailJob, 10, now, now.Add(time.Minute))
			return err
		}, "takes what is due, whoever it belongs to"},
		{"FinishJobs", func() error { return db.FinishJobs(ctx, []provision.Job{job}) }, ""},
		{"RescheduleJobs", func() error { return db.RescheduleJobs(ctx, []provision.JobID{job.ID}, now) }, ""},
		{"MarkOpened", func() error { return db.MarkOpened(ctx, job.ID, now) }, ""},
		{"MakeFutureJobsDue", func() error { return db.MakeFutureJobsDue(ctx, now, now.Add(time.Minute), now.Add(time.Hour)) },
			"after the clock went back, for all"},
		{"LastEventTime", func() error {
			_, err := db.LastEventTime(ctx)
			return err
		}, "tells whether the clock may be ahead"},
		{"LateOperations", func() error {
			_, err := db.LateOperations(ctx, now, 10)
			return err
		}, "finds what is late, whoever it belongs to"},
		{"PromotableProviders", func() error {
			_, err := db.PromotableProviders(ctx)
			return err
		}, "finds the providers whose queue may go on"},
		{"Stats", func() error {
			_, err := db.Stats(ctx)
			return err
		}, "counts for the operator"},
		{"Providers", func() error {
			_, err := db.Providers(ctx)
			return err
		}, "lists them"},
		{"ProviderByName", func() error {
			_, err := db.ProviderByName(ctx, p.Name)
			return err
		}, "what an operator names a provider by says nothing of its place"},
		{"CreateProvider", func() error {
			_, err := db.CreateProvider(ctx, provision.Provider{Name: "Outro", CreatedAt: now}, nil)
			return err
		}, "no other has this name"},
		{"FeedCallbacks", func() error {
			_, err := db.FeedCallbacks(ctx)
			return err
		}, "finds the feeds that are due"},
		{"UpdateFeedCallback", func() error {
			return db.UpdateFeedCallback(ctx, p.ID, func(*provision.FeedCallback) error { return nil })
		}, ""},
		{"RecordCallbackResult", func() error { return db.RecordCallbackResult(ctx, p.ID, false) }, ""},
		{"Jobs of a provider", func() error {
			_, err := db.Jobs(ctx, provision.JobFilter{Provider: p.ID})
			return err
		}, "lists for the operator, with names and documents"},
		{"ListOperations", func() error {
			_, err := db.ListOperations(ctx, provision.OperationFilter{})
			return err
		}, "lists for the operator"},
		{"Purge", func() error { return db.Purge(ctx, provision.RetentionCutoffs{Jobs: now, Responses: now}) }, "deletes what is old, whoever it belongs to"},
		{"Check", func() error {
			_, err := store.Check(ctx, dsn)
			return err
		}, "checks everything"},
	} {
		var statement string
		for _, plan := range pgtest.Plans(t, func() { must(t, c.do()) }) {
			if len(plan.Partitions()) > 1 {
				statement = plan.Query
			}
		}
		if (statement != "") != (c.why != "") {
			t.Errorf("%s: several partitions are read by %q, want: %q", c.name, statement, c.why)
		}
	}
}
