package cmd

import (
	"slices"
	"strings"
	"testing"

	"ativa/internal/cli"
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
