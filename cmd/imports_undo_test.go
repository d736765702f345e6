package cmd

import (
	"path/filepath"
	"strings"
	"testing"

	"ativa/cmd/operator"
	"ativa/internal/cli"
)

// A resumed undo does not cancel a service that was confirmed during the interruption.
func TestAResumedUndoKeepsWhatMovedOn(t *testing.T) {
	t.Parallel()
	f := newSelectionFixture(t, "10000000108")
	people := []string{"10000000280", "10000000361", "10000000442"}
	rows := "documento,nome,e-mail,telefone,produtos\n"
	for _, d := range people {
		rows += d + ",Bia " + d[:3] + "," + d + "@example.com.br,11987654321,1\n"
	}
	f.must("subscribers", "import", f.file("wrong.csv", rows))
	mail := filepath.Join(f.dir, "mail")
	if _, err := operator.WaitForEmails(t.Context(), mail, 1+len(people)); err != nil { // a service that ends gets none
		t.Fatal(err)
	}
	id := strings.TrimSpace(f.must("imports", "list", "--jq", ".imports[0].id").stdout)
	f.posts.Store(0)
	f.fail(func(n int32) (bool, bool) { return n <= 2, n <= 2 }) // the dry runs and the first action
	undo := []string{"imports", "undo", id, "--yes", "--batch-size", "1", "--concurrency", "1", "--report-dir", f.dir}
	if got := f.run(nil, undo...); got.exit == cli.ExitOK || f.status(people[0]) == "inProgress" || f.status(people[2]) != "inProgress" {
		t.Fatalf("got exit %d, %s, and %s and %s, want an undo that broke off after the first", got.exit, got.stderr, f.status(people[0]), f.status(people[2]))
	}
	if _, err := followLinks(t.Context(), mail, 1+len(people), people[2]); err != nil {
		t.Fatal(err)
	}
	f.fail(func(int32) (bool, bool) { return true, true })
	got := f.run(nil, undo...)
	if f.status(people[2]) != "active" || !strings.Contains(got.stdout, "it has changed since the run") {
		t.Errorf("got exit %d, %s%s, and %s, want the confirmed service kept", got.exit, got.stdout, got.stderr, f.status(people[2]))
	}
	if !strings.Contains(got.stdout, "delete\t"+people[1]) {
		t.Errorf("got %s, want the second taken back", got.stdout)
	}
}
