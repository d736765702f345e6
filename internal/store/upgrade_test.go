package store_test

import (
	"context"
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
	onPostgres(t)
	dsn := pgtest.Empty(t)
	older := open(t, dsn, store.Options{Exclusive: true})
	defer older.Close()
	f := newFixture(t, older)
	for _, undo := range []string{
		`DROP INDEX answer_age; DROP INDEX job_dead`,
		`ALTER TABLE answer DROP COLUMN subscriber_id`,
		`DROP INDEX internet_speed_text; DROP INDEX internet_speed_slug`,
		`DROP TABLE subscriber_gap`,
		`ALTER TABLE event DROP COLUMN token_id, DROP COLUMN previous_product_id`,
		`ALTER TABLE access_token DROP COLUMN name, DROP COLUMN scopes, DROP COLUMN expires_at, DROP COLUMN last_used_at, DROP COLUMN generation, DROP COLUMN previous_hash, DROP COLUMN previous_ends_at`,
		`ALTER TABLE bearer_token DROP COLUMN generation`,
		`ALTER TABLE job DROP COLUMN attempted_at, DROP COLUMN opened_at; ALTER TABLE link DROP COLUMN job_id; DROP INDEX job_service`,
		`DROP TABLE brand`,
		`DROP TABLE feed_callback`,
		`DELETE FROM goose_db_version WHERE version_id > 1`,
	} {
		pgtest.Exec(t, dsn, undo)
	}

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
	if err != nil || current != target || !strings.Contains(pgtest.Indexes(t, dsn), "answer_age") {
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
