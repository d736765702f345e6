package store_test

import (
	"context"
	"strings"
	"testing"

	"ativa/internal/service/rules"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
)

// A server of the previous version continues to read and write with unknown columns. It refuses to
// start again.
func TestAnOlderServerContinuesAfterAnUpgrade(t *testing.T) {
	dsn := emptyDSN(t)
	f, _ := newDatabaseOn(t, dsn, store.Options{Exclusive: true})
	f.insert(1, 20)
	for _, statement := range []string{
		`ALTER TABLE provider ADD COLUMN note TEXT`,
		`ALTER TABLE subscriber ADD COLUMN note TEXT NOT NULL DEFAULT ''`,
		`ALTER TABLE service ADD COLUMN note TEXT NOT NULL DEFAULT ''`,
		`INSERT INTO goose_db_version (version_id, is_applied) VALUES (1000, TRUE)`,
	} {
		execute(t, dsn, statement)
	}
	f.insert(21, 40)
	f.update(func(ctx context.Context, tx rules.Tx) error {
		s := f.subscriber(1)
		s.Name = "Outro Nome"
		return tx.UpdateSubscriber(ctx, s)
	})
	if got := len(f.listDocuments()); got != 40 {
		t.Errorf("got %d subscribers, want 40", got)
	}
	_, start := store.Open(t.Context(), dsn, store.Options{})
	_, check := store.Check(t.Context(), dsn)
	for what, err := range map[string]error{"a start": start, "a check": check} {
		if err == nil || !strings.Contains(err.Error(), ": use a newer program") || strings.Count(err.Error(), "database ") != 1 {
			t.Errorf("%s on the newer schema: got %v, want a refusal that names the database once", what, err)
		}
	}
}

// A database of a build before 0.1.0 is refused unchanged by every command.
func TestADatabaseOfAnUnreleasedBuildIsRefused(t *testing.T) {
	dsn := emptyDSN(t)
	for _, statement := range []string{
		`CREATE TABLE goose_db_version (id INTEGER PRIMARY KEY, version_id BIGINT NOT NULL, is_applied BOOLEAN NOT NULL, tstamp TIMESTAMP)`,
		`INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (1, 0, TRUE), (2, 1, TRUE), (3, 17, TRUE)`,
		`CREATE TABLE provider (id BIGINT PRIMARY KEY, counted BIGINT NOT NULL)`,
		`CREATE TABLE answer (provider_id BIGINT NOT NULL)`,
	} {
		execute(t, dsn, statement)
	}
	_, err := store.Open(t.Context(), dsn, store.Options{Exclusive: true})
	_, existing := store.Open(t.Context(), dsn, store.Options{Schema: store.KeepSchema})
	_, _, version := store.Version(t.Context(), dsn)
	for what, err := range map[string]error{"a start": err, "a reader": existing, "the version": version} {
		if err == nil || !strings.Contains(err.Error(), "a build before 0.1.0 and cannot be upgraded: begin a new database") || strings.Count(err.Error(), "database ") != 1 {
			t.Errorf("%s: got %v, want a refusal that names the remedy", what, err)
		}
	}
}

// emptyDSN returns the DSN of a database without a schema that no other test uses.
func emptyDSN(t *testing.T) string {
	t.Helper()
	if strings.HasPrefix(pgtest.DSN(t), "sqlite:") {
		return "sqlite:" + tempFile(t)
	}
	return pgtest.Empty(t)
}
