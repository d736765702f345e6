package cmd

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ativa/cmd/operator"
	"ativa/internal/cli"
	"ativa/internal/processtest"
)

// An answer of an undo is lost and the server goes away: going on finishes it, and takes
// nothing back twice.
func TestAnInterruptedUndoGoesOn(t *testing.T) {
	t.Parallel()
	people := []string{"10000000108", "10000000280", "10000000361"}
	f := newSelectionFixture(t, people...)
	f.must("provision", "suspend", "--product", "play-basic", "--status", "active", "--yes", "--max-changes", "3", "--report-dir", f.dir, "--wait")
	run := func(kind string) string {
		t.Helper()
		type entry struct{ ID, Kind string }
		all := decode[struct{ Imports []entry }](t, f.must("imports", "list", "-o", "json").stdout).Imports
		i := slices.IndexFunc(all, func(e entry) bool { return e.Kind == kind })
		if i < 0 {
			t.Fatalf("got %v, want a run of the kind %s", all, kind)
		}
		return all[i].ID
	}
	id := run("provision suspend")
	f.posts.Store(0)
	f.fail(func(n int32) (bool, bool) { return n <= 2, n == 1 }) // the first asks what would become of each
	if got := f.run(nil, "imports", "undo", id, "--yes", "--report-dir", f.dir); got.exit == cli.ExitOK || !strings.Contains(got.stderr, "run the same command again") {
		t.Fatalf("got exit %d, %s, want how to go on", got.exit, got.stderr)
	}
	f.fail(func(int32) (bool, bool) { return true, true })
	undo := run("undo")
	if got := f.run(nil, "imports", "resume", undo); got.exit != cli.ExitOK {
		t.Errorf("resumed: got exit %d, %s", got.exit, got.stderr)
	}
	for _, person := range people {
		eventually(t, "active again", func() bool { return f.status(person) == "active" })
		history := f.must("subscribers", "history", person, "-o", "json").stdout
		if n := strings.Count(history, `"status":"reactivated"`); n != 1 {
			t.Errorf("%s was reactivated %d times, want once", person, n)
		}
	}
	if got := f.must("imports", "show", undo, "-o", "json").stdout; !strings.Contains(got, `"state":"finished"`) {
		t.Errorf("got %s, want it finished", got)
	}
}

// An import is taken back on a server that follows api.md and says nothing of its rows,
// and leaves alone who was there before.
func TestAnImportIsTakenBackOnAServerOfTheAPIAlone(t *testing.T) {
	t.Parallel()
	f := &serverWithoutIdempotency{subscribers: []*storedSubscriber{}, byDocument: map[string]*storedSubscriber{}}
	f.add(&storedSubscriber{Name: "Ana", Document: processtest.Document(1), Services: []storedService{}})
	u, dir := newUser(t, map[string]string{"ATIVA_SERVER": f.start(t), "ATIVA_ACCESS_TOKEN": "t"}), t.TempDir()
	rows := "nome;e-mail;cpf;telefone;produto\n"
	for i := 1; i <= 4; i++ {
		rows += "Ana;ana@example.com;" + processtest.Document(i) + ";11987654321;p1\n"
	}
	if err := os.WriteFile(filepath.Join(dir, "wrong.csv"), []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	u.must("subscribers", "import", filepath.Join(dir, "wrong.csv"))
	f.setStatus(1, "active", processtest.Document(4)) // by the subscriber
	undo := []string{"imports", "undo", strings.TrimSpace(u.must("imports", "list", "--jq", ".imports[0].id").stdout), "--yes", "--report-dir", dir}
	if got := u.run(nil, undo...); got.exit != cli.ExitPending || strings.Count(got.stdout, "waiting") < 2 || !strings.Contains(got.stdout, "it has changed since the run") {
		t.Errorf("got exit %d, %s%s, want two subscribers waiting", got.exit, got.stdout, got.stderr)
	}
	f.setStatus(3, "canceled", processtest.Document(2), processtest.Document(3))
	if got := u.run(nil, undo...); got.exit != cli.ExitPartial || len(f.byDocument) != 2 || f.byDocument[processtest.Document(1)] == nil {
		t.Errorf("got exit %d, %s%s, and %d subscribers left, want the first and the last", got.exit, got.stdout, got.stderr, len(f.byDocument))
	}
}

// While an undo is interrupted somebody confirms a service that it was to cancel: going on
// leaves that alone.
func TestAResumedUndoKeepsWhatMovedOn(t *testing.T) {
	t.Parallel()
	f := newSelectionFixture(t, "10000000108")
	people := []string{"10000000280", "10000000361", "10000000442"}
	rows := "documento,nome,e-mail,telefone,produtos\n"
	for _, d := range people {
		rows += d + ",Bia " + d[:3] + "," + d + "@example.com.br,11987654321,1\n"
	}
	f.must("subscribers", "import", f.file("wrong.csv", rows))
	links, err := operator.WaitForEmails(t.Context(), filepath.Join(f.dir, "mail"), 1+len(people))
	if err != nil {
		t.Fatal(err)
	}
	id := strings.TrimSpace(f.must("imports", "list", "--jq", ".imports[0].id").stdout)
	f.posts.Store(0)
	f.fail(func(n int32) (bool, bool) { return n <= 2, n <= 2 }) // what would become of each, and the first
	undo := []string{"imports", "undo", id, "--yes", "--batch-size", "1", "--concurrency", "1", "--report-dir", f.dir}
	if got := f.run(nil, undo...); got.exit == cli.ExitOK || f.status(people[0]) == "inProgress" || f.status(people[2]) != "inProgress" {
		t.Fatalf("got exit %d, %s, and %s and %s, want an undo that broke off after the first", got.exit, got.stderr, f.status(people[0]), f.status(people[2]))
	}
	for _, path := range links {
		if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), people[2]) {
			continue
		}
		link, err := operator.ActivationLink(path)
		if err == nil {
			err = operator.FollowLink(t.Context(), link)
		}
		if err != nil {
			t.Fatal(err)
		}
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
