package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ativa/internal/cli"
)

// startInterrupted is a user with two contexts, and the id of an import that broke off in
// the first, which is the default no more.
func startInterrupted(t *testing.T) (u *user, first, second *serverWithoutIdempotency, id string) {
	t.Helper()
	first = &serverWithoutIdempotency{subscribers: []*storedSubscriber{}, byDocument: map[string]*storedSubscriber{}}
	second = &serverWithoutIdempotency{subscribers: []*storedSubscriber{}, byDocument: map[string]*storedSubscriber{}}
	first.breakOff = func() bool { return true }
	u = newUser(t, nil)
	file, token := filepath.Join(t.TempDir(), "novos.csv"), filepath.Join(t.TempDir(), "token")
	row := "nome;e-mail;cpf;telefone\nAna;ana@example.com;" + documentOf(1) + ";11987654321\n"
	for path, text := range map[string]string{file: row, token: "secret"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	u.must("context", "add", "first", "--server", first.start(t), "--token-file", token, "--use")
	u.must("context", "add", "second", "--server", second.start(t), "--token-file", token)
	if got := u.run(nil, "subscribers", "import", file); got.exit != cli.ExitUnavailable {
		t.Fatalf("exit %d, %s", got.exit, got.stderr)
	}
	first.breakOff = nil
	u.must("context", "use", "second")
	return u, first, second, strings.TrimSpace(u.must("imports", "list", "-o", "name").stdout)
}

// A run goes on in the context in which it began: the subscribers of one provider are
// not registered for another.
func TestAResumedRunIsRefusedInAnotherContext(t *testing.T) {
	u, first, second, id := startInterrupted(t)
	got := u.run(nil, "imports", "resume", id)
	if got.exit != cli.ExitUsage || !strings.Contains(got.stderr, `the run is for context "first"`) {
		t.Errorf("exit %d, %s", got.exit, got.stderr)
	}
	if len(first.subscribers)+len(second.subscribers) > 0 {
		t.Errorf("got %d and %d subscribers, want none", len(first.subscribers), len(second.subscribers))
	}
}

// The flags of every command count for a run that goes on, too.
func TestAResumedRunTakesTheFlagsThatAreGiven(t *testing.T) {
	u, first, second, id := startInterrupted(t)
	got := u.must("imports", "resume", id, "--context", "first", "--quiet", "--columns", "rows,invalid")
	if got.stdout != "rows\tinvalid\n1\t0\n" || got.stderr != "" {
		t.Errorf("got %q, %q", got.stdout, got.stderr)
	}
	if len(first.subscribers) != 1 || len(second.subscribers) != 0 {
		t.Errorf("got %d and %d subscribers, want 1 and 0", len(first.subscribers), len(second.subscribers))
	}
}
