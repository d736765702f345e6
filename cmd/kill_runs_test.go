package cmd

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/processtest"
	"ativa/internal/run"
	"ativa/internal/sheet"
)

// killedRun is a command that is killed and run again.
type killedRun struct {
	kind   string // kind in the list of runs
	within int32  // the kill comes at a request up to this number
	before func(f *selectionFixture, people []string)
	args   func(f *selectionFixture, people []string) []string
	lines  int    // report lines per subscriber
	status string // in the history of each subscriber, once; "": the subscribers are deleted
	first  int    // the number of the first subscriber
}

const killedPeople = 24

func killedRuns() map[string]killedRun {
	const suspended = `"status":"waitingSuspension"`
	suspend := func(f *selectionFixture, people []string) []string {
		return []string{"provision", "suspend", "--product", "1", "--file", f.file("people.txt", strings.Join(people, "\n")+"\n"), "--batch-size", "1", "--concurrency", "4"}
	}
	return map[string]killedRun{
		"provision": {kind: "provision suspend", within: 6, args: suspend, lines: 1, status: suspended},
		"selection": {kind: "provision suspend", within: 6, lines: 1, status: suspended, args: func(f *selectionFixture, _ []string) []string {
			return []string{"provision", "suspend", "--product", "1", "--older-than", "60d", "--yes", "--max-changes", "100%", "--batch-size", "1", "--concurrency", "4", "--report-dir", f.dir}
		}},
		"undo": {kind: "undo", within: 2, lines: 1, status: `"status":"reactivated"`,
			before: func(f *selectionFixture, people []string) { f.must(append(suspend(f, people), "--wait")...) },
			args: func(f *selectionFixture, _ []string) []string {
				id := f.must("imports", "list", "--jq", `.imports[] | select(.kind=="provision suspend") | .id`).stdout
				return []string{"imports", "undo", strings.TrimSpace(id), "--yes", "--report-dir", f.dir}
			}},
		"undo of an import": {kind: "undo", within: 6, lines: 2, first: killedPeople,
			before: func(f *selectionFixture, _ []string) {
				f.must("subscribers", "import", f.file("wrong.csv", peopleTable("active", numberedPeople(killedPeople))))
			},
			args: func(f *selectionFixture, _ []string) []string {
				id := f.must("imports", "list", "--jq", `[.imports[] | select(.kind=="import") | .id][0]`).stdout
				return []string{"imports", "undo", strings.TrimSpace(id), "--yes", "--report-dir", f.dir}
			}},
		// TestTheNextRunDoesExactlyTheRest breaks off plans with changes of every kind.
		"sync": {kind: "sync", within: 6, lines: 1, status: suspended, args: func(f *selectionFixture, people []string) []string {
			return []string{"sync", f.file("wish.csv", peopleTable("suspended", people)), "--yes", "--max-changes", "100", "--batch-size", "1", "--concurrency", "4"}
		}},
	}
}

func numberedPeople(first int) (all []string) {
	for i := range killedPeople {
		all = append(all, processtest.Document(first+i))
	}
	return all
}

// TestARunIsExactWhateverIsKilled kills the command line with SIGKILL during each kind of run
// besides the import, at a request or at any time, and runs it again: everything is done once, the
// list has one run, its report is complete, and it can be undone. ATIVA_KILLS is the number of
// kills (4).
func TestARunIsExactWhateverIsKilled(t *testing.T) {
	t.Parallel()
	kills := processtest.FromEnv(t, "ATIVA_KILLS", 4)
	for name, c := range killedRuns() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			done := 0
			for done < kills && !t.Failed() {
				done += c.round(t, kills-done)
			}
		})
	}
}

// round runs one command, kills it at most that often, and returns the number of kills.
func (c killedRun) round(t *testing.T, most int) (kills int) {
	people := numberedPeople(0)
	f := newSelectionFixture(t, people...)
	if c.before != nil {
		c.before(f, people)
	}
	w := &processFixture{&processtest.Fixture{T: t, Dir: f.dir}}
	for name, value := range f.env {
		w.Env = append(w.Env, name+"="+value)
	}
	args := c.args(f, people)
	for {
		printed, err := c.runAndKill(f, w, args, kills < most)
		if err == nil {
			break
		}
		exit, failed := errors.AsType[*exec.ExitError](err)
		if failed && exit.ExitCode() == cli.ExitPending { // waits for the partner
			continue
		}
		if kills == most || !failed || exit.ExitCode() != -1 {
			t.Fatalf("ativa %s: %v: %s", strings.Join(args, " "), err, printed)
		}
		kills++
	}
	f.fail(nil)
	c.check(t, f)
	return kills
}

// runAndKill runs a command and kills it, unless it ends before: at one of the next
// requests, which may still take effect, or at any time.
func (c killedRun) runAndKill(f *selectionFixture, w *processFixture, args []string, kill bool) (printed string, err error) {
	p := w.Command(args...)
	var out bytes.Buffer
	p.Stdout, p.Stderr = &out, &out
	stop := func() {
		if kill {
			_ = p.Process.Kill() // it may have ended
		}
	}
	at := f.posts.Load() + 1 + rand.Int32N(c.within)
	started := make(chan struct{})
	f.fail(func(n int32) (bool, bool) {
		if !kill || n < at {
			return true, true
		}
		<-started
		stop()
		return rand.IntN(2) == 0, false
	})
	must(f.t, p.Start())
	close(started)
	if rand.IntN(2) == 0 {
		defer time.AfterFunc(time.Duration(rand.IntN(400))*time.Millisecond, stop).Stop() // at a random time
	}
	err = p.Wait()
	return out.String(), err
}

// check checks that there is one finished run with a complete report that can be undone,
// and that each subscriber has exactly its effects.
func (c killedRun) check(t *testing.T, f *selectionFixture) {
	t.Helper()
	all := decode[struct{ Imports []run.Info }](t, f.must("imports", "list", "-o", "json").stdout).Imports
	all = slices.DeleteFunc(all, func(r run.Info) bool { return r.Kind != c.kind })
	if len(all) != 1 || all[0].State != run.StateFinished || all[0].Unanswered+all[0].Failed != 0 {
		t.Fatalf("got the runs %+v, want one that is finished, with nothing failed or unanswered", all)
	}
	results := reportedResults(t, all[0].Report.Path)
	for _, result := range results {
		if !slices.Contains([]string{api.ResultAccepted, api.ResultCreated, sheet.ResultDeleted}, result) {
			t.Errorf("the report has %s, want it done", result)
		}
	}
	if want := killedPeople * c.lines; len(results) != want || all[0].Done != want {
		t.Errorf("the report has %d lines and the list %d rows, want %d", len(results), all[0].Done, want)
	}
	undone := killedPeople
	for _, document := range numberedPeople(c.first) {
		got := f.run(nil, "subscribers", "history", document, "-o", "json")
		if c.status == "" && got.exit != cli.ExitNotFound || c.status != "" && strings.Count(got.stdout, c.status) != 1 {
			t.Errorf("%s: got exit %d, and %s not once, in %s", document, got.exit, c.status, got.stdout)
		}
	}
	if c.status == "" {
		undone = 0
	}
	eventually(t, "a plan to take the run back", func() bool {
		plan := f.run(nil, "imports", "undo", all[0].ID, "--dry-run", "--jq", "[.actions[] | select(.operation)] | length").stdout
		return strings.TrimSpace(plan) == strconv.Itoa(undone)
	})
	if left, err := filepath.Glob(filepath.Join(f.env["XDG_STATE_HOME"], "ativa/imports/*.kept")); err != nil || len(left) > 0 {
		t.Errorf("got %v, %v, want only the journals left", left, err)
	}
}
