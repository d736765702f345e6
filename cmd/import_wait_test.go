package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ativa/internal/cli"
	"ativa/internal/processtest"
)

// --wait waits for the services of a server that accepts an import and says no more, and
// an import that was done is not called incomplete because of the wait.
func TestImportWaitsOnAServerThatSaysNothingOfTheRows(t *testing.T) {
	t.Parallel()
	f := &serverWithoutIdempotency{subscribers: []*storedSubscriber{}, byDocument: map[string]*storedSubscriber{}}
	u := newUser(t, map[string]string{"ATIVA_SERVER": f.start(t), "ATIVA_ACCESS_TOKEN": "t"})
	file := filepath.Join(t.TempDir(), "novos.csv")
	row := "nome;e-mail;cpf;telefone;produto\nAna;ana@example.com;" + processtest.Document(1) + ";11987654321;1\n"
	if err := os.WriteFile(file, []byte(row), 0o600); err != nil {
		t.Fatal(err)
	}
	got := u.run(nil, "subscribers", "import", file, "--wait", "--timeout", "2s")
	if got.exit != cli.ExitPending || strings.Contains(got.stderr, "not complete") {
		t.Errorf("exit %d, want %d: %s", got.exit, cli.ExitPending, got.stderr)
	}
}
