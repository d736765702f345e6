package trials_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ativa/internal/processtest"
	"ativa/internal/service/store/pgtest"
)

// TestAReleaseIsUpgradedUnderLoad replaces each server of a database by a program with one more
// migration, during imports and calls of every kind: all succeed, and nothing is lost or doubled. On
// PostgreSQL there are two servers behind a balancer, and the old one serves while the first new one
// migrates; on SQLite the callers wait for the new server.
func TestAReleaseIsUpgradedUnderLoad(t *testing.T) {
	t.Parallel()
	dsn, n := pgtest.DSN(t), 1
	if !strings.HasPrefix(dsn, "sqlite:") {
		dsn, n = pgtest.Empty(t), 2 // the other tests have databases of this release
	}
	r := newTrial(t, dsn)
	servers := r.w.startServers(n)
	next := nextProgram(t)
	r.begin(&imports{rows: 200})
	for _, s := range servers {
		r.ledger.waitForAnswers(servers, 10)
		_ = s.Server.Process.Signal(syscall.SIGTERM)
		_ = s.Server.Wait()
		s.Program = next
		s.Start()
	}
	r.ledger.waitForAnswers(servers, 10)
	r.end(0, func() {}) // each server finished its own deliveries
	check := r.w.Command("admin", "check")
	check.Path = next
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("the check of the new program: %v: %s", err, out)
	}
}

// nextProgram builds the program as a next release, with one more migration, and returns its path.
func nextProgram(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	must(t, err)
	migration := filepath.Join(t.TempDir(), "next.sql")
	text := "-- +goose Up\nALTER TABLE subscriber ADD COLUMN note TEXT;\nCREATE INDEX subscriber_note ON subscriber (note);\n"
	must(t, os.WriteFile(migration, []byte(text), 0o600))
	replace := map[string]string{}
	for _, engine := range []string{"sqlite", "postgres"} {
		replace[filepath.Join(root, "internal/service/store/migrations", engine, "0002_next.sql")] = migration
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	must(t, err)
	path := filepath.Join(t.TempDir(), "overlay.json")
	must(t, os.WriteFile(path, overlay, 0o600))
	program, err := processtest.Build("ativa-next", "../..", "-overlay", path)
	must(t, err)
	return program
}
