package store_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"ativa/internal/provision"
	"ativa/internal/store"
	"ativa/internal/store/pgtest"
)

// A server of the version before goes on reading and writing while that of a
// new version migrates the database, and after it, with columns that it does
// not know. What it refuses is to start again.
func TestAnOlderServerGoesOnDuringAnUpgrade(t *testing.T) {
	t.Parallel()
	onPostgres(t)
	dsn := pgtest.Empty(t)
	older := open(t, dsn, store.Options{Exclusive: true})
	defer older.Close()
	f := newFixture(t, older)
	undoMigrations(t, dsn)

	const each = 20
	written, upgraded := 0, make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		for more := true; more; written += each {
			select {
			case <-upgraded:
				more = false // once with the new columns
			default:
			}
			f.insert(written+1, written+each)
		}
	})
	newer := open(t, dsn, store.Options{Exclusive: true})
	defer newer.Close()
	current, target, err := store.Version(t.Context(), dsn)
	if err != nil || current != target || !strings.Contains(queried(t, dsn, `SELECT indexdef FROM pg_indexes`), "answer_age") {
		t.Errorf("got version %d, %v, want %d with its indexes", current, err, target)
	}
	for _, statement := range []string{
		`ALTER TABLE provider ADD COLUMN note TEXT`,
		`ALTER TABLE subscriber ADD COLUMN note TEXT NOT NULL DEFAULT ''`,
		`ALTER TABLE service ADD COLUMN note TEXT NOT NULL DEFAULT ''`,
		`INSERT INTO goose_db_version (version_id, is_applied) VALUES (1000, TRUE)`,
	} {
		pgtest.Exec(t, dsn, statement)
	}
	close(upgraded)
	writer.Wait()

	for name, db := range map[string]*store.DB{"older": older, "newer": newer} {
		seen := 0
		err := db.EachSubscriber(t.Context(), f.p, func(*provision.SubscriberServices) error { seen++; return nil })
		if err != nil || seen != written {
			t.Errorf("the %s server has %d subscribers, %v, want %d", name, seen, err, written)
		}
	}
	f.update(func(ctx context.Context, tx provision.Tx) error {
		s := f.subscriber(1)
		s.Name = "Outro Nome"
		return tx.UpdateSubscriber(ctx, s)
	})
	if _, err := store.Open(t.Context(), dsn, store.Options{}); err == nil || !strings.Contains(err.Error(), "newer than this program's") || strings.Count(err.Error(), "database ") != 1 {
		t.Errorf("a start on the newer schema: got %v, want a refusal that names the database once", err)
	}
}

// Jobs of a database from before destinations get theirs, those that are done aside.
func TestAnUpgradeSetsTheDestinations(t *testing.T) {
	dsn := "sqlite:" + tempFile(t)
	if os.Getenv(pgtest.Engine) == "postgres" {
		dsn = pgtest.Empty(t)
	}
	db := open(t, dsn, store.Options{})
	f := newFixture(t, db)
	first, _ := f.p.Records()
	f.update(func(ctx context.Context, tx provision.Tx) error {
		var jobs []provision.Job
		for n, kind := range []provision.JobKind{provision.EmailJob, provision.CallbackJob, provision.PartnerJob, provision.PartnerJob} {
			jobs = append(jobs, provision.Job{ID: provision.JobID(first + int64(n) + 1), Kind: kind, Operation: provision.OperationID(first + int64(n) + 1)})
		}
		jobs[1].State = provision.JobDead
		return errors.Join(tx.InsertJobs(ctx, jobs), tx.InsertOperations(ctx, []provision.Operation{{ID: jobs[2].Operation, Partner: 7}}))
	})
	must(t, db.Close())
	undoMigrations(t, dsn)
	db = open(t, dsn, store.Options{})
	defer db.Close()
	all, err := db.Jobs(t.Context(), provision.JobFilter{})
	must(t, err)
	var got []int64
	for _, j := range all {
		got = append(got, j.Destination)
	}
	if want := []int64{0, int64(f.p), 7, 0}; !slices.Equal(got, want) {
		t.Errorf("got the destinations %v, want %v", got, want)
	}
}

// undoMigrations takes a database back to the first version of the schema.
func undoMigrations(t *testing.T, dsn string) {
	t.Helper()
	for _, index := range []string{"answer_age", "job_dead", "answer_subscriber", "internet_speed_text", "internet_speed_slug",
		"access_token_name", "access_token_previous", "job_service", "job_urgent", "job_open", "operation_reason", "report_reason"} {
		execute(t, dsn, `DROP INDEX `+index)
	}
	for table, columns := range map[string]string{
		"answer":       "subscriber_id",
		"event":        "token_id previous_product_id",
		"access_token": "name scopes expires_at last_used_at generation previous_hash previous_ends_at",
		"bearer_token": "generation",
		"job":          "attempted_at opened_at urgent destination refused_since",
		"link":         "job_id",
	} {
		for column := range strings.FieldsSeq(columns) {
			execute(t, dsn, `ALTER TABLE `+table+` DROP COLUMN `+column)
		}
	}
	for _, table := range []string{"brand", "feed_callback", "enabled_interval"} {
		execute(t, dsn, `DROP TABLE `+table)
	}
	execute(t, dsn, `CREATE INDEX job_open ON job (kind, next_at) WHERE state < 2`)
	execute(t, dsn, `DELETE FROM goose_db_version WHERE version_id > 1`)
}
