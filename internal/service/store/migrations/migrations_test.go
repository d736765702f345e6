package migrations_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ativa/internal/service/store/migrations"
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
	last, err := strconv.ParseInt(strings.SplitN(filepath.Base(sqlite[len(sqlite)-1]), "_", 2)[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []migrations.Engine{migrations.SQLite, migrations.Postgres} {
		if got, err := migrations.Latest(e); err != nil || got != last {
			t.Errorf("%s: got version %d, %v, want %d", e, got, err, last)
		}
	}
}
