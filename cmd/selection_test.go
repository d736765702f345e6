package cmd

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"ativa/cmd/operator"
	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/service/store/pgtest"
	"ativa/internal/settings"
)

// age makes the statuses of services older in the script's database: age SPAN DOCUMENT….
func age(ts *testscript.TestScript, _ bool, args []string) {
	span, err := settings.ParseSpan(args[0])
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
	*failingProxy
	service *operator.Service
	dir     string
}

func newSelectionFixture(t *testing.T, documents ...string) *selectionFixture {
	t.Helper()
	f := &selectionFixture{dir: t.TempDir()}
	dsn := pgtest.File(t)
	f.service = startService(t, dsn, filepath.Join(f.dir, "mail"))
	t.Cleanup(func() { must(t, f.service.Stop()) })
	token, err := operator.CreateDemoData(t.Context(), f.service.Parts, 100, time.Millisecond)
	must(t, err)
	f.failingProxy = newFailingProxy(t, f.service.URL)
	f.user = newUser(t, map[string]string{"ATIVA_SERVER": f.url, "ATIVA_ACCESS_TOKEN": token})
	f.must("subscribers", "import", f.file("people.csv", peopleTable("active", documents)))
	_, err = followLinks(t.Context(), filepath.Join(f.dir, "mail"), len(documents), "")
	must(t, err)
	makeOlder(t, dsn, 61*24*time.Hour, documents...)
	f.posts.Store(0)
	return f
}

// peopleTable returns a table of people with the product 1 in a status.
func peopleTable(status string, documents []string) string {
	text := "documento,nome,e-mail,telefone,produtos,status\n"
	for _, d := range documents {
		text += d + ",Ana " + d[:3] + "," + d + "@example.com.br,11987654321,1," + status + "\n"
	}
	return text
}

func (f *selectionFixture) file(name, text string) string {
	f.t.Helper()
	path := filepath.Join(f.dir, name)
	must(f.t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// status returns the status of a subscriber's newest service, "" if the subscriber is deleted.
func (f *selectionFixture) status(document string) string {
	f.t.Helper()
	return strings.TrimSpace(f.run(nil, "subscribers", "get", document, "--jq", ".subscriber.services[-1].status").stdout)
}

// With other servers a selection uses their lists; missing data or features are reported,
// and nothing is sent.
func TestASelectionOnAnotherServerUsesItsListsOrSaysWhatIsMissing(t *testing.T) {
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
		{"a status of its own", paused, []string{"provision", "suspend", "--product", "p", "--status", "Paused"}, 0, `the server's list has no status "Paused"`, "52998224725"},
		{"a slip", both, []string{"provision", "suspend", "--product", "p", "--status", "actve"}, cli.ExitUsage, "there is no status", ""},
		{"no time", both, []string{"provision", "suspend", "--product", "p", "--older-than", "3d"}, cli.ExitRefused, "does not report when each service", ""},
		{"one of two e-mails", both, []string{"subscribers", "resend", "--product", "p", "--status", "active", "--all"}, cli.ExitRefused, "one service alone", ""},
		{"one waits beside one that works", list{entry(25, "inProgress"), both[1]}, []string{"subscribers", "resend", "--status", "inProgress"}, cli.ExitRefused, "one service alone", ""},
	} {
		u, s := minimalServer(t, c.services...)
		got := u.run(nil, append(c.args, "--yes", "--max-changes", "100%", "--report-dir", t.TempDir())...)
		if got.exit != c.exit || !strings.Contains(got.stderr, c.stderr) || !strings.Contains(lastWrite(s), c.sent) || c.sent == "" && lastWrite(s) != "" {
			t.Errorf("%s: got exit %d, %q and sent %q, want %d", c.name, got.exit, got.stderr, lastWrite(s), c.exit)
		}
	}
}

// resumedRun is a command on several subscribers that is interrupted. Meanwhile the last subscriber is
// changed elsewhere.
type resumedRun struct {
	people    []string // of the fixture
	begin     func(f *selectionFixture)
	command   string
	done      int32 // requests that take effect before the interruption; the response of the last is lost
	elsewhere func(f *selectionFixture)
	left      string // the resumed run's text for the last subscriber; "" if the change does not matter
	resumed   int32  // requests of the resumed run; 0 if that depends on the partner
	advice    string // the hint on how to continue
	// unfinished is a run that leaves a subscriber, or waits for a partner.
	unfinished bool
}

var mine, others = []string{"10000000108", "10000000280", "10000000361", "10000000442"}, []string{"10000000523", "10000000604"}

func resumedRuns() map[string]resumedRun {
	const resume, again = "ativa imports resume ", "run the same command again"
	everybody, none := slices.Concat(mine, others), func(*selectionFixture) {}
	return map[string]resumedRun{
		"provision": {people: everybody, command: "provision suspend --product 1 --file DIR/run.csv", done: 2, elsewhere: none, resumed: 3, advice: resume,
			begin: func(f *selectionFixture) { f.file("run.csv", strings.Join(mine, "\n")) }},
		"sync": {people: everybody, command: "sync DIR/run.csv --yes", done: 3, elsewhere: none, resumed: 3, advice: again,
			begin: func(f *selectionFixture) { f.file("run.csv", peopleTable("suspended", mine)) }},
		"selection": {people: everybody, command: "provision suspend --product play-basic --status active --older-than 60d --yes --max-changes 100%", done: 2,
			begin: func(f *selectionFixture) {
				f.must("provision", "overdue", "--product", "1", "--wait", others[0], others[1])
			},
			elsewhere: func(f *selectionFixture) { f.must("provision", "overdue", "--product", "1", "--wait", mine[3]) },
			left:      ",not_sent,,,,,not selected any more", resumed: 2, advice: resume},
		"undo of an import": {people: others, command: "imports undo ID --yes", done: 3,
			begin: func(f *selectionFixture) {
				f.must("subscribers", "import", f.file("wrong.csv", peopleTable("active", mine)))
				// A service that ends gets no e-mail.
				_, err := operator.WaitForEmails(f.t.Context(), filepath.Join(f.dir, "mail"), len(mine)+len(others))
				must(f.t, err)
			},
			elsewhere: func(f *selectionFixture) {
				_, err := followLinks(f.t.Context(), filepath.Join(f.dir, "mail"), len(mine)+len(others), mine[3])
				must(f.t, err)
			},
			left: "it has changed since the run", advice: again, unfinished: true},
	}
}

// A resumed run completes the rest, repeats nothing, and leaves out subscribers that it no longer applies
// to (docs/reliability.md).
func TestAResumedRunActsOnNobodyElse(t *testing.T) {
	t.Parallel()
	for name, c := range resumedRuns() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.check(t)
		})
	}
}

func (c resumedRun) check(t *testing.T) {
	f := newSelectionFixture(t, c.people...)
	c.begin(f)
	line := strings.NewReplacer("DIR", f.dir, "ID", f.lastRun()).Replace(c.command)
	f.posts.Store(0)
	f.fail(func(n int32) (bool, bool) { return n <= c.done, n < c.done })
	got := f.run(nil, append(strings.Fields(line), "--batch-size", "1", "--concurrency", "1", "--report-dir", f.dir)...)
	if got.exit == cli.ExitOK || !strings.Contains(got.stderr, c.advice) {
		t.Fatalf("got exit %d, %s, want how to go on", got.exit, got.stderr)
	}
	f.fail(nil)
	id := strings.TrimSpace(f.must("imports", "list", "--jq", `.imports[] | select(.state=="interrupted" and .done==1 and .unanswered==1) | .id`).stdout)
	c.elsewhere(f)
	before := map[string]string{}
	for _, d := range slices.Concat(mine[2:], others) {
		before[d] = f.status(d)
	}
	f.posts.Store(0)
	got = f.run(nil, "imports", "resume", id, "--yes")
	if n := f.posts.Load(); n != c.resumed && c.resumed > 0 {
		t.Errorf("resumed: got exit %d after %d requests, %s, want %d", got.exit, n, got.stderr, c.resumed)
	}
	for d, status := range before {
		acts := d == mine[2] || d == mine[3] && c.left == ""
		if now := f.status(d); (now != status) != acts {
			t.Errorf("%s: got %q after %q, want a change %t: %s", d, now, status, acts, got.stderr)
		}
	}
	run := decode[struct{ State, Path string }](t, f.must("imports", "list", "--jq", `.imports[] | select(.id=="`+id+`") | {state, path: .report.path}`).stdout)
	if finished := run.State == "finished" && got.exit == cli.ExitOK; finished == c.unfinished {
		t.Errorf("got exit %d, %s, and a run that is %s", got.exit, got.stderr, run.State)
	}
	if got.stdout += readPage(t, run.Path); !strings.Contains(got.stdout, c.left) || !slices.Equal(reportedResults(t, run.Path)[:3], []string{"accepted", "accepted", "accepted"}) {
		t.Errorf("got %s, want three accepted, and %q", got.stdout, c.left)
	}
}
