package migrations_test

import (
	"os"
	"path/filepath"
	"testing"

	"ativa/internal/store/migrations"
)

// Both engines have the same versions, and the latest is the number of the last file.
func TestTheEnginesHaveTheSameVersions(t *testing.T) {
	sqlite, err := filepath.Glob("sqlite/*.sql")
	if err != nil || len(sqlite) == 0 {
		t.Fatalf("got %v, %v", sqlite, err)
	}
	for _, path := range sqlite {
		if _, err := os.Stat(filepath.Join("postgres", filepath.Base(path))); err != nil {
			t.Error(err)
		}
	}
	for _, e := range []migrations.Engine{migrations.SQLite, migrations.Postgres} {
		if got, err := migrations.Latest(e); err != nil || got != int64(len(sqlite)) {
			t.Errorf("%s: got version %d, %v, want %d", e, got, err, len(sqlite))
		}
	}
}
