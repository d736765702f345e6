package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
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
	lines  int                 // report lines per subscriber
	want   func(i int) history // of the i-th subscriber
	undone int                 // steps of a plan that undoes the run
	first  int                 // the number of the first subscriber
	gone   bool                // the subscribers are deleted
}

// history counts the expected events of a subscriber.
type history map[string]int

// killedPeople is the number of subscribers of a killed run.
const killedPeople = 24

// killedRuns are the kinds of runs besides the import, by name.
func killedRuns() map[string]killedRun {
	suspended := func(int) history { return history{`"status":"waitingSuspension"`: 1} }
	suspend := func(f *selectionFixture, people []string) []string {
		return []string{"provision", "suspend", "--product", "1", "--file", f.file("people.txt", strings.Join(people, "\n")+"\n"), "--batch-size", "1", "--concurrency", "4"}
	}
	return map[string]killedRun{
		"provision": {kind: "provision suspend", within: 6, args: suspend, lines: 1, want: suspended, undone: killedPeople},
		"selection": {kind: "provision suspend", within: 6, lines: 1, want: suspended, undone: killedPeople, args: func(f *selectionFixture, _ []string) []string {
			return []string{"provision", "suspend", "--product", "1", "--older-than", "60d", "--yes", "--max-changes", "100%", "--batch-size", "1", "--concurrency", "4", "--report-dir", f.dir}
		}},
		"undo": {kind: "undo", within: 2, lines: 1, undone: killedPeople, want: func(int) history { return history{`"status":"reactivated"`: 1} },
			before: func(f *selectionFixture, people []string) {
				f.must(append(suspend(f, people), "--wait")...)
			},
			args: func(f *selectionFixture, _ []string) []string {
				id := f.must("imports", "list", "--jq", `.imports[] | select(.kind=="provision suspend") | .id`).stdout
				return []string{"imports", "undo", strings.TrimSpace(id), "--yes", "--report-dir", f.dir}
			}},
		"undo of an import": {kind: "undo", within: 6, lines: 2, first: 2 * killedPeople, gone: true,
			before: func(f *selectionFixture, _ []string) {
				rows := "documento,nome,e-mail,telefone,produtos\n"
				for i := range killedPeople {
					rows += processtest.Document(2*killedPeople+i) + ",Eva,eva@example.com.br,11987654321,1\n"
				}
				f.must("subscribers", "import", f.file("wrong.csv", rows))
			},
			args: func(f *selectionFixture, _ []string) []string {
				id := f.must("imports", "list", "--jq", `[.imports[] | select(.kind=="import") | .id][0]`).stdout
				return []string{"imports", "undo", strings.TrimSpace(id), "--yes", "--report-dir", f.dir}
			}},
		"sync": {kind: "sync", within: 6, args: desiredStateOfKilledSync, want: historyOfKilledSync, undone: killedPeople / 3},
	}
}

// desiredStateOfKilledSync suspends the first third of the people, changes name and
// product of the second, omits the last, and adds others.
func desiredStateOfKilledSync(f *selectionFixture, people []string) []string {
	third := len(people) / 3
	text := "documento,nome,e-mail,telefone,produtos,status\n"
	for i, d := range people[:2*third] {
		name, products, status := "Ana "+d[:3], "1", "suspended"
		if i >= third {
			name, products, status = "Nova "+d[:3], `"1,3"`, "active"
		}
		text += fmt.Sprintf("%s,%s,%s@example.com.br,11987654321,%s,%s\n", d, name, d, products, status)
	}
	for i := range third {
		text += fmt.Sprintf("%s,Eva %d,eva@example.com.br,11987654321,1,active\n", processtest.Document(len(people)+i), i)
	}
	return []string{"sync", f.file("wish.csv", text), "--yes", "--allow-deactivate", "--max-changes", "100", "--batch-size", "1", "--concurrency", "4"}
}

func historyOfKilledSync(i int) history {
	switch i / (killedPeople / 3) {
	case 0:
		return history{`"status":"waitingSuspension"`: 1}
	case 1:
		return history{`"status":"inProgress"`: 2, `"type":"subscriber.updated"`: 1}
	case 2:
		return history{`"status":"waitingCancellation"`: 1}
	}
	return history{`"status":"inProgress"`: 1, `"type":"subscriber.created"`: 1}
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
			for rounds := 1; done < kills && !t.Failed(); rounds++ {
				done += c.round(t, kills-done)
				t.Logf("%d kills in %d runs", done, rounds)
			}
		})
	}
}

// round runs one command, kills it at most that often, and returns the number of kills.
func (c killedRun) round(t *testing.T, most int) (kills int) {
	var people []string
	for i := range killedPeople {
		people = append(people, processtest.Document(i))
	}
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
	if err := p.Start(); err != nil {
		return "", err
	}
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
	report, err := os.Open(all[0].Report.Path)
	must(t, err)
	defer report.Close()
	lines := 0
	for l, err := range sheet.ReadReport(report) {
		must(t, err)
		if lines++; !slices.Contains([]string{api.ResultAccepted, api.ResultCreated, sheet.ResultDeleted}, l.Result) {
			t.Errorf("the report has %+v, want it done", l)
		}
	}
	people, want := killedPeople, killedPeople*c.lines
	if c.kind == "sync" { // five kinds of changes, each for a third
		people, want = killedPeople*4/3, killedPeople*5/3
	}
	if lines != want || all[0].Done != want {
		t.Errorf("the report has %d lines and the list %d rows, want %d", lines, all[0].Done, want)
	}
	for i := range people {
		document := processtest.Document(c.first + i)
		if c.gone {
			if got := f.run(nil, "subscribers", "get", document); got.exit != cli.ExitNotFound {
				t.Errorf("%s: got exit %d, want the subscriber deleted", document, got.exit)
			}
			continue
		}
		text := f.must("subscribers", "history", document, "-o", "json").stdout
		for event, n := range c.want(i) {
			if got := strings.Count(text, event); got != n {
				t.Errorf("%s: %d × %s in the history, want %d: %s", document, got, event, n, text)
			}
		}
	}
	eventually(t, "a plan to take the run back", func() bool {
		plan := f.run(nil, "imports", "undo", all[0].ID, "--dry-run", "--jq", "[.actions[] | select(.operation)] | length").stdout
		return strings.TrimSpace(plan) == strconv.Itoa(c.undone)
	})
	if left, err := filepath.Glob(filepath.Join(f.env["XDG_STATE_HOME"], "ativa/imports/*.kept")); err != nil || len(left) > 0 {
		t.Errorf("got %v, %v, want only the journals left", left, err)
	}
}
