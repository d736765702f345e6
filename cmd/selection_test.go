package cmd

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"ativa/cmd/operator"
	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/service/store/pgtest"
)

// age makes the statuses of services older in the script's database: age SPAN DOCUMENT….
func age(ts *testscript.TestScript, _ bool, args []string) {
	span, err := cli.ParseSpan(args[0])
	ts.Check(err)
	makeOlder(scriptTB{ts}, ts.Getenv("ATIVA_DB"), span, args[1:]...)
}

// makeOlder moves the time of the last status change back in the database.
func makeOlder(t pgtest.TB, dsn string, span time.Duration, documents ...string) {
	t.Helper()
	statement := fmt.Sprintf(`UPDATE service SET updated_at = updated_at - %d WHERE id >> 12 IN (SELECT id FROM subscriber WHERE document IN (%s))`,
		span.Microseconds(), strings.Join(documents, ","))
	path, sqlite := strings.CutPrefix(dsn, "sqlite:")
	if !sqlite {
		pgtest.Exec(t, dsn, statement)
		return
	}
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(10000)")
	if err == nil {
		_, err = db.ExecContext(context.Background(), statement)
		db.Close()
	}
	must(t, err)
}

// selectionFixture is a service behind a failing proxy, with subscribers whose play-basic
// has been active for 61 days.
type selectionFixture struct {
	*user
	service *operator.Service
	dir     string
	posts   atomic.Int32 // received changing requests
	// fails decides for each whether it takes effect, and whether its response is lost.
	// It may be called concurrently after a kill.
	fails atomic.Pointer[func(n int32) (done, answered bool)]
}

// fail sets which requests fail.
func (f *selectionFixture) fail(decides func(n int32) (done, answered bool)) { f.fails.Store(&decides) }

func newSelectionFixture(t *testing.T, documents ...string) *selectionFixture {
	t.Helper()
	f := &selectionFixture{dir: t.TempDir()}
	f.fail(func(int32) (bool, bool) { return true, true })
	dsn := pgtest.File(t)
	f.service = startService(t, dsn, filepath.Join(f.dir, "mail"))
	t.Cleanup(func() {
		if err := f.service.Stop(); err != nil {
			t.Error(err)
		}
	})
	token, err := operator.CreateDemoData(t.Context(), f.service.Parts, 100, time.Millisecond)
	must(t, err)
	server := proxyTo(t, f.service.URL, func(pass http.Handler, w http.ResponseWriter, r *http.Request) {
		done, answered := true, true
		if r.Method != http.MethodGet && r.URL.Path != "/authenticate" {
			done, answered = (*f.fails.Load())(f.posts.Add(1))
		}
		switch {
		case answered:
			pass.ServeHTTP(w, r)
			return
		case done:
			pass.ServeHTTP(httptest.NewRecorder(), r)
		}
		http.Error(w, "gone", http.StatusNotImplemented) // never retried
	})
	f.user = newUser(t, map[string]string{"ATIVA_SERVER": server, "ATIVA_ACCESS_TOKEN": token})
	rows := "documento,nome,e-mail,telefone,produtos\n"
	for _, d := range documents {
		rows += d + ",Ana " + d[:3] + ",ana@example.com.br,11987654321,1\n"
	}
	f.must("subscribers", "import", f.file("people.csv", rows))
	if _, err := followLinks(t.Context(), filepath.Join(f.dir, "mail"), len(documents), ""); err != nil {
		t.Fatal(err)
	}
	makeOlder(t, dsn, 61*24*time.Hour, documents...)
	f.posts.Store(0)
	return f
}

func (f *selectionFixture) file(name, text string) string {
	f.t.Helper()
	path := filepath.Join(f.dir, name)
	must(f.t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// documents returns the files of selected documents and their modes.
func (f *selectionFixture) documents() (paths []string) {
	f.t.Helper()
	paths, err := filepath.Glob(filepath.Join(f.env["XDG_STATE_HOME"], "ativa/imports/*.kept"))
	must(f.t, err)
	for _, path := range paths {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			f.t.Errorf("%s: got the mode %v, %v, want 0600", path, info.Mode(), err)
		}
	}
	return paths
}

// status returns the status of each subscriber's newest service.
func (f *selectionFixture) status(document string) string {
	f.t.Helper()
	type answer struct {
		Subscriber struct{ Services []struct{ Status string } }
	}
	all := decode[answer](f.t, f.must("subscribers", "get", document, "-o", "json").stdout).Subscriber.Services
	return all[len(all)-1].Status
}

// After an outage with a lost response, resuming finishes the run, does nothing twice,
// and skips subscribers who have paid meanwhile.
func TestASelectionIsResumed(t *testing.T) {
	t.Parallel()
	people := []string{"10000000108", "10000000280", "10000000361", "10000000442", "10000000523", "10000000604"}
	f := newSelectionFixture(t, people...)
	f.fail(func(n int32) (bool, bool) { return n <= 2, n <= 1 })
	suspend := []string{"provision", "suspend", "--product", "play-basic", "--status", "active", "--older-than", "60d", "--yes", "--max-changes", "100%",
		"--batch-size", "2", "--concurrency", "1", "--report-dir", f.dir}
	got := f.run(nil, suspend...)
	if got.exit == cli.ExitOK || !strings.Contains(got.stderr, "2 of 6 documents are done") || !strings.Contains(got.stderr, "ativa imports resume ") {
		t.Fatalf("got exit %d, %s, want two of six and how to go on", got.exit, got.stderr)
	}
	if paths := f.documents(); len(paths) != 1 {
		t.Errorf("got the files %q, want the documents of the interrupted run", paths)
	}
	id := strings.TrimSpace(f.must("imports", "list", "--jq", `.imports[] | select(.state=="interrupted" and .done==2 and .unanswered==2) | .id`).stdout)
	// Two were done with a response, two done without one, two not sent. One of these is
	// changed elsewhere: it is no longer selected.
	f.fail(func(int32) (bool, bool) { return true, true })
	eventually(t, "the suspensions", func() bool { return f.status(people[3]) == "suspend" })
	f.must("provision", "overdue", "--product", "play-basic", "--wait", people[4])
	f.posts.Store(0)
	got = f.run(nil, "imports", "resume", id)
	if got.exit != cli.ExitOK || f.posts.Load() != 2 {
		t.Fatalf("resumed: got exit %d after %d requests, %s, want 0 after 2", got.exit, f.posts.Load(), got.stderr)
	}
	if !strings.Contains(got.stderr, "1 subscriber is selected, of 6") {
		t.Errorf("got %s, want the only one that is left to do", got.stderr)
	}
	if paths := f.documents(); len(paths) != 0 {
		t.Errorf("got %q, want no documents after the run", paths)
	}
	if got := f.status(people[4]); got != "overdue" {
		t.Errorf("the one that was changed meanwhile: got %s, want overdue", got)
	}
	reports, err := filepath.Glob(filepath.Join(f.dir, "ativa-provision-suspend-*.report.csv"))
	if err != nil || len(reports) != 1 {
		t.Fatalf("got the reports %q, %v, want one", reports, err)
	}
	text, err := os.ReadFile(reports[0])
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if err != nil || len(lines) != 7 {
		t.Fatalf("got %q, %v, want a line for each", lines, err)
	}
	for i, line := range lines[1:] {
		want := fmt.Sprintf("%d,%s,accepted,1 active → waitingSuspension,,,,,1,active,waitingSuspension,op_", i+1, people[i])
		if i == 4 {
			want = "5," + people[i] + ",not_sent,,,,,not selected any more"
		}
		if !strings.HasPrefix(line, want) {
			t.Errorf("got %s, want %s…", line, want)
		}
	}
	if got := f.must(suspend...); !strings.Contains(got.stderr, "nobody is selected, of 6 subscribers") {
		t.Errorf("again: got %s, want no subscriber", got.stderr)
	}
}

// With other servers a selection uses their lists; missing data or features are reported,
// and nothing is sent.
func TestASelectionOnAServerOfTheAPIAlone(t *testing.T) {
	type list = []api.Service
	both, paused := list{entry(25, "active"), entry(26, "active")}, list{pausedEntry()}
	for _, c := range []struct {
		name         string
		services     list
		args         []string
		exit         int
		stderr, sent string
	}{
		{"suspend", both, []string{"provision", "suspend", "--product", "p", "--status", "ACTIVE"}, 0, "1 subscriber is selected, of 1", "52998224725"},
		{"another status", both, []string{"provision", "suspend", "--product", "p", "--status", "overdue"}, 0, "nobody is selected", ""},
		{"a status of its own", paused, []string{"provision", "suspend", "--product", "p", "--status", "Paused"}, 0, `the server's list has no status "Paused"`, "52998224725"},
		{"in which nobody is", paused, []string{"provision", "suspend", "--product", "p", "--status", "checkout"}, 0, "nobody is selected", ""},
		{"a slip", both, []string{"provision", "suspend", "--product", "p", "--status", "actve"}, cli.ExitUsage, "there is no status", ""},
		{"no time", both, []string{"provision", "suspend", "--product", "p", "--older-than", "3d"}, cli.ExitRefused, "does not report since when", ""},
		{"one of two e-mails", both, []string{"subscribers", "resend", "--product", "p", "--status", "active", "--all"}, cli.ExitRefused, "one service alone", ""},
		{"the only e-mail", both[:1], []string{"subscribers", "resend", "--product", "p", "--status", "active", "--all"}, 0, "", "529"},
		{"all e-mails", both, []string{"subscribers", "resend", "--status", "active", "--all"}, 0, "", "529"},
		{"nobody waits", both, []string{"subscribers", "resend", "--status", "active"}, 0, "report: ", ""},
		{"one waits beside one that works", list{entry(25, "inProgress"), both[1]}, []string{"subscribers", "resend", "--status", "inProgress"}, cli.ExitRefused, "one service alone", ""},
	} {
		u, s := minimalServer(t, c.services...)
		got := u.run(nil, append(c.args, "--yes", "--max-changes", "100%", "--report-dir", t.TempDir())...)
		if got.exit != c.exit || !strings.Contains(got.stderr, c.stderr) || !strings.Contains(lastWrite(s), c.sent) || c.sent == "" && lastWrite(s) != "" {
			t.Errorf("%s: got exit %d, %q and sent %q, want %d", c.name, got.exit, got.stderr, lastWrite(s), c.exit)
		}
	}
}

// A run resumes only with its own file, documents or plan: with another nothing is sent,
// and with its own it is finished (reliability.md, promise 22).
func TestAResumedRunActsOnNobodyElse(t *testing.T) {
	t.Parallel()
	mine, others := []string{"10000000108", "10000000280"}, []string{"10000000361", "10000000442"}
	list := func(documents []string) string { return "documento\n" + strings.Join(documents, "\n") + "\n" }
	wish := func(documents []string) string {
		text := "documento,nome,e-mail,telefone,produtos,status\n"
		for _, d := range documents {
			text += d + ",Ana " + d[:3] + ",ana@example.com.br,11987654321,1,suspended\n"
		}
		return text
	}
	for name, c := range map[string]struct {
		text    func([]string) string
		command []string
		begin   func(f *selectionFixture) // before the command
		place   func(f *selectionFixture) string
		plans   int32 // requests to make the plan
	}{
		"provision": {text: list, command: []string{"provision", "suspend", "--product", "1", "--file", "FILE", "--batch-size", "1", "--concurrency", "1"}},
		"sync":      {text: wish, command: []string{"sync", "FILE", "--yes"}, plans: 1},
		"selection": {text: func(d []string) string { return strings.Join(d, "\n") + "\n" },
			command: []string{"provision", "suspend", "--product", "1", "--older-than", "60d", "--yes", "--max-changes", "100%", "--batch-size", "1", "--concurrency", "1", "--report-dir", "DIR"},
			begin: func(f *selectionFixture) {
				for _, d := range others {
					f.must("provision", "overdue", "--product", "1", "--wait", d)
				}
			},
			place: func(f *selectionFixture) string { return f.documents()[0] }},
		"undo": {text: list, command: []string{"imports", "undo", "ID", "--yes", "--report-dir", "DIR"},
			begin: func(f *selectionFixture) {
				f.must("provision", "suspend", "--product", "1", "--wait", "--file", f.file("done.csv", list(mine)))
			},
			place: func(f *selectionFixture) string { return filepath.Join(f.dir, "done.csv.report.csv") }, plans: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newSelectionFixture(t, append(mine, others...)...)
			path := f.file("run.csv", c.text(mine))
			if c.begin != nil {
				c.begin(f)
			}
			command := slices.Clone(c.command)
			for i, word := range command {
				switch word {
				case "FILE":
					command[i] = path
				case "DIR":
					command[i] = f.dir
				case "ID":
					command[i] = strings.Fields(f.must("imports", "list", "--jq", `.imports[] | select(.kind=="provision suspend") | .id`).stdout)[0]
				}
			}
			f.posts.Store(0)
			f.fail(func(n int32) (bool, bool) { return n <= c.plans, n <= c.plans })
			if got := f.run(nil, command...); got.exit == cli.ExitOK {
				t.Fatalf("got exit 0, want a run that is interrupted: %s", got.stderr)
			}
			before, answers := map[string]string{}, func(int32) (bool, bool) { return true, true }
			for _, d := range append(mine, others...) {
				before[d] = f.status(d)
			}
			f.fail(answers)
			f.posts.Store(0)
			interrupted := `.imports[] | select(.state=="interrupted") | .id`
			id := strings.Fields(f.must("imports", "list", "--jq", interrupted).stdout)
			if len(id) != 1 {
				t.Fatalf("got the runs %q, want one", id)
			}
			if c.place != nil {
				path = c.place(f)
			}
			own, err := os.ReadFile(path)
			must(t, err)
			must(t, os.WriteFile(path, []byte(c.text(others)), 0o600))
			got := f.run(nil, "imports", "resume", id[0], "--yes")
			if got.exit != cli.ExitInvalidInput || !strings.Contains(got.stderr, "nothing was sent") || f.posts.Load() != 0 {
				t.Errorf("exchanged: got exit %d after %d requests, %s, want 6 after none", got.exit, f.posts.Load(), got.stderr)
			}
			for d, status := range before {
				if now := f.status(d); now != status {
					t.Errorf("%s: got %s, want %s", d, now, status)
				}
			}
			must(t, os.WriteFile(path, own, 0o600))
			f.must("imports", "resume", id[0], "--yes")
			if left := f.must("imports", "list", "--jq", interrupted).stdout; left != "" {
				t.Errorf("got %q, want no interrupted run", left)
			}
			for _, d := range others {
				if now := f.status(d); now != before[d] {
					t.Errorf("%s: got %s, want %s", d, now, before[d])
				}
			}
			for _, d := range mine {
				if now := f.status(d); now == before[d] {
					t.Errorf("%s: got %s still, want the run finished", d, now)
				}
			}
		})
	}
}
