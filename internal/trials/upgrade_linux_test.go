package trials_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"ativa/internal/processtest"
	"ativa/internal/service/store/pgtest"
)

// TestAReleaseIsUpgradedUnderLoad replaces each server of a database by a program with one more
// migration, during imports: they succeed, and nothing is lost or doubled. On PostgreSQL there
// are two servers behind a balancer, and the old one serves while the first new one migrates;
// on SQLite the import waits for the new server.
func TestAReleaseIsUpgradedUnderLoad(t *testing.T) {
	t.Parallel()
	w := newFixture(t, pgtest.DSN(t), manual())
	servers := 2
	if strings.HasPrefix(w.DSN, "sqlite:") {
		servers = 1
	}
	p := w.startServers(servers)
	w.Program = nextProgram(t)
	var replaced atomic.Bool
	rows, over := 0, make(chan struct{})
	go func() {
		defer close(over)
		for last := false; !last; rows += 200 {
			last = replaced.Load() // one more import on the new servers alone
			w.Must("subscribers", "import", w.WriteRowsFrom(rows, 200), "--batch-size", "20", "--concurrency", "2", "--rate", "200", "--quiet")
		}
	}()
	for i := range servers {
		p.waitForAnswers(10)
		p.stop(i)
		p.start(i)
	}
	replaced.Store(true)
	<-over

	services := w.CheckSubscribers(rows)
	w.ExpireLeases() // of the stopped servers' claims
	if mails := w.Mails(services); mails < services || mails > services+servers {
		t.Errorf("got %d e-mails for %d services and %d stopped servers", mails, services, servers)
	}
	for _, args := range [][]string{{"admin", "check"}, {"admin", "migrate", "--status"}} {
		c := w.Command(args...)
		c.Path = w.Program
		out, err := c.CombinedOutput()
		if err != nil || args[1] == "migrate" && !strings.Contains(string(out), "current") {
			t.Errorf("%v with the new program: %v: %s", args, err, out)
		}
	}
	if out, err := w.Command("admin", "providers", "list").CombinedOutput(); err == nil || !strings.Contains(string(out), "use a newer program") {
		t.Errorf("the old program was not refused afterwards: %v: %s", err, out)
	}
}

// nextProgram builds the program as a next release, with one more migration, and returns its
// path.
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

// stop lets a server finish its work.
func (p *pair) stop(i int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.procs[i].Process.Signal(syscall.SIGTERM)
	_ = p.procs[i].Wait()
}
