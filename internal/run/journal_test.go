package run_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ativa/internal/api"
	"ativa/internal/failure"
	"ativa/internal/run"
	"ativa/internal/system"
)

var spec = run.Spec{Kind: "import", File: "/home/ana/people.csv", SHA256: "abc", Server: "http://localhost:1", Context: "dev"}

func open(t *testing.T, dir string) *run.Journal {
	t.Helper()
	j, err := run.JournalDir{Path: dir}.Open(spec, []string{"subscribers", "import", "people.csv"})
	must(t, err)
	return j
}

// importAll sends 1,000 rows. The answer to a request is lost unless lose is 0.
func importAll(t *testing.T, j *run.Journal, lose int) {
	t.Helper()
	s := &memoryJob{lose: func(n int) bool { return n == lose }}
	err := run.Run(t.Context(), s, rows(1000), j, run.Options{Rows: 70, InFlight: 4, Idempotency: true}, ignore)
	if (err != nil) != (lose > 0) {
		t.Fatalf("got %v, want an interrupted run: %v", err, lose > 0)
	}
}

// Names of files need not be UTF-8, such as those that a system in Latin-1 wrote.
func TestAJournalKeepsNamesThatAreNotUTF8(t *testing.T) {
	dir := run.JournalDir{Path: t.TempDir()}
	latin := spec
	latin.File = "/home/ana/jo\xe3o.csv"
	args := []string{"subscribers", "import", "jo\xe3o.csv"}
	j, err := dir.Open(latin, args)
	must(t, err)
	report := "/home/ana/jo\xe3o.csv.report.csv"
	must(t, j.NoteReport(run.Report{Path: report}))
	must(t, j.Close())
	info, err := dir.Get(j.ID)
	must(t, err)
	if info.File != latin.File || !slices.Equal(info.Args, args) || info.Report.Path != report {
		t.Errorf("got %q, %q, %+v, want %q, %q, %q", info.File, info.Args, info.Report, latin.File, args, report)
	}
}

// isFailure reports whether an error has the code.
func isFailure(err error, code string) bool { return err != nil && failure.OutcomeOf(err).Code == code }

func TestRunsAreListedAndRemoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ana [x]") // the name of a home directory may be a pattern
	s := run.JournalDir{Path: dir}
	j := open(t, dir)
	importAll(t, j, 3)
	e, err := s.Get(j.ID)
	if err != nil || e.State != run.StateRunning || e.Unanswered != 70 || e.Done == 0 {
		t.Errorf("got %+v, %v", e, err)
	}
	err = s.Remove(j.ID)
	if !isFailure(err, "running") {
		t.Errorf("removing a running one: got %v", err)
	}
	j.Close()
	all, err := s.List()
	if err != nil || len(all) != 1 || all[0].State != run.StateInterrupted || all[0].File != spec.File || time.Since(all[0].Updated) > time.Minute {
		t.Errorf("got %+v, %v", all, err)
	}
	again := open(t, dir)
	if must(t, again.Close()); again.ID != j.ID {
		t.Errorf("got the run %s, want %s resumed", again.ID, j.ID)
	}
	if err := s.Remove(j.ID); err != nil {
		t.Error(err)
	}
	if err := s.Remove(j.ID); err != nil { // another purge was faster
		t.Errorf("a run that is forgotten already: %v", err)
	}
	for _, id := range []string{j.ID, "../" + j.ID} {
		_, err := s.Get(id)
		if !isFailure(err, "not_found") {
			t.Errorf("%s: got %v, want none of that id", id, err)
		}
	}
}

func TestRunsOfOneSecondAreListedNewestFirst(t *testing.T) {
	clock := time.Date(2026, 11, 22, 3, 0, 0, 0, time.UTC)
	dir := run.JournalDir{Path: t.TempDir(), Clock: func() time.Time { clock = clock.Add(time.Millisecond); return clock }}
	for i := range 10 {
		another := spec
		another.SHA256 = fmt.Sprint(i)
		j, err := dir.Open(another, nil)
		must(t, errors.Join(err, j.Close()))
	}
	all, err := dir.List()
	for i, one := range all {
		if want := fmt.Sprint(9 - i); err != nil || len(all) != 10 || one.SHA256 != want {
			t.Errorf("got %q, %v at %d of %d, want %q of 10", one.SHA256, err, i, len(all), want)
		}
	}
}

// damage replaces part of a journal's text.
func damage(t *testing.T, path, old, new string) {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	if !strings.Contains(string(text), old) {
		t.Fatalf("%s does not contain %q", text, old)
	}
	must(t, os.WriteFile(path, []byte(strings.Replace(string(text), old, new, 1)), 0o600))
}

// reseal gives each line of a damaged journal a valid checksum.
func reseal(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	const seal = `{"crc":"00000000",`
	var sealed []byte
	for line := range bytes.Lines(text) {
		rest := bytes.TrimSuffix(line[len(seal):], []byte("\n"))
		sealed = fmt.Appendf(sealed, "{\"crc\":\"%08x\",%s\n", crc32.ChecksumIEEE(rest), rest)
	}
	must(t, os.WriteFile(path, sealed, 0o600))
}

// A journal that cannot be read is neither resumed nor overwritten, and does
// not hide the others. That of another file with the same short hash makes no row look done.
func TestADamagedJournalIsAnError(t *testing.T) {
	for name, c := range map[string]struct {
		old, new, want string
		listed         int // journals that List returns
	}{
		"no JSON":              {`"begin":`, `"begin:`, "is damaged (remove it to begin anew): record 2", 1},
		"another run's":        {`"id":"`, `"id":"x`, "record 1 does not name the journal", 1},
		"from a newer program": {`"version":1`, `"version":2`, "has version 2, written by a newer program", 2},
		"a changed number":     {`"lines":[[2,71]]`, `"lines":[[2,61]]`, "it was changed", 1},
		"no checksum":          {`"crc":`, `"sum":`, "it was changed", 1},
		"of another file":      {`"sha256":"abc"`, `"sha256":"abd"`, "<nil>", 2},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			j := open(t, dir)
			importAll(t, j, 0)
			other := spec
			other.SHA256 = "other"
			k, err := run.JournalDir{Path: dir}.Open(other, nil)
			must(t, errors.Join(err, j.Close(), k.Close()))
			path := filepath.Join(dir, j.ID+".jsonl")
			damage(t, path, c.old, c.new)
			if c.want != "it was changed" {
				reseal(t, path)
			}
			before, err := os.ReadFile(path)
			must(t, err)
			opened, err := run.JournalDir{Path: dir}.Open(spec, nil)
			if !strings.Contains(fmt.Sprint(err), c.want) || err == nil && (opened.Resumes() || opened.ID == j.ID) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if err == nil {
				must(t, opened.Leave())
			}
			if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
				t.Errorf("the journal has changed, %v", err)
			}
			all, err := run.JournalDir{Path: dir}.List()
			if len(all) != c.listed || (err == nil) != (c.listed == 2) {
				t.Errorf("got %d runs and %v, want %d", len(all), err, c.listed)
			}
		})
	}
}

// The cursor is read once, before the first request of the first run.
func TestTheCursorIsReadByTheFirstRun(t *testing.T) {
	dir := t.TempDir()
	for _, now := range []string{"", "10", "20"} { // unknown at first
		j := open(t, dir)
		if got, err := j.Cursor(func() string { return now }); err != nil || now != "" && got != "10" {
			t.Errorf("at %q: got %q, %v, want that of the first request", now, got, err)
		}
		must(t, j.Close())
	}
	var none *run.Journal
	if got, err := none.Cursor(func() string { return "40" }); got != "40" || err != nil {
		t.Errorf("without a journal: got %q, %v", got, err)
	}
}

// variedJob gives the rows results that differ in one field each, and most of them operations of
// their own.
type variedJob struct{ *memoryJob }

func varied(line int) run.Result {
	service := run.Service{ProductID: 1, Status: "active", StatusID: 1}
	r := run.Result{Kind: api.ResultExisting, Services: []run.Service{service}, Differs: []string{"name"}}
	changes := []func(){
		func() {}, func() { r.Kind = api.ResultCreated }, func() { r.Updated = true }, func() { r.Code = "x" }, func() { r.Field = "x" },
		func() { r.Differs = nil }, func() { r.Differs = []string{"name", "email"} }, func() { r.Services = nil }, func() { r.Services[0].ProductID = 11 },
		func() { r.Services[0].Status = "activ" }, func() { r.Services[0].StatusID = 11 }, func() { r.Services[0].Previous = "e" },
		func() { r.Services = append(r.Services, service) }, func() { r.Services, r.Differs = nil, nil },
	}
	changes[line%len(changes)]()
	if len(r.Services) == 1 && line%3 != 0 {
		r.Services[0].OperationID = fmt.Sprint("op_", line)
	}
	return r
}

func (v variedJob) Send(ctx context.Context, b run.Batch) ([]run.Result, error) {
	results, err := v.memoryJob.Send(ctx, b)
	for i := range results {
		results[i] = varied(b.Rows[i].Line)
	}
	return results, err
}

// A resumed run has the result of each row, with its operation, although lines with equal results
// share a record of the journal. The journal has the path and hash of the report, and nothing personal.
func TestTheJournalKeepsResultsAndReport(t *testing.T) {
	dir := t.TempDir()
	for n := range 2 {
		j, seen := open(t, dir), 0
		err := run.Run(t.Context(), variedJob{&memoryJob{}}, rows(100), j, run.Options{Rows: 30, Idempotency: true}, func(o run.RowResult) error {
			if diff := cmp.Diff(o.Result, varied(o.Row.Line)); diff != "" || o.Replayed != (n == 1) {
				t.Errorf("line %d, replayed %v (- got, + want):\n%s", o.Row.Line, o.Replayed, diff)
			}
			seen++
			return nil
		})
		if want := []string{"", "/tmp/report.csv"}[n]; err != nil || seen != 100 || j.Report().Path != want {
			t.Errorf("got %d rows and the report %q, %v, want 100 and %q", seen, j.Report().Path, err, want)
		}
		noted := run.Report{Path: "/tmp/report.csv", SHA256: []string{"", "ab"}[n]}
		if must(t, j.NoteReport(noted)); j.Report() != noted {
			t.Errorf("got the report %+v, want %+v", j.Report(), noted)
		}
		must(t, j.Close())
		info, err := run.JournalDir{Path: dir}.Get(j.ID)
		if err != nil || info.Report != noted {
			t.Errorf("got %+v, %v, want %+v", info.Report, err, noted)
		}
		path := filepath.Join(dir, j.ID+".jsonl")
		text, err := os.ReadFile(path)
		private, privateErr := system.IsPrivate(path)
		must(t, errors.Join(err, privateErr))
		if !private || strings.Contains(string(text), numbered(7)) || strings.Contains(string(text), "Ana") {
			t.Errorf("private %t, got a document or a name in %s", private, text)
		}
	}
}

// Two runs over one file at once, or with one report, would replace each other's report, whatever their options.
func TestOneRunOverAFileAtOnce(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	// On Windows no other handle can read or write a locked file.
	fingerprint, _, _ := strings.Cut(j.ID, "-")
	if lock, err := os.Stat(filepath.Join(dir, fingerprint+".lock")); err != nil || lock.Size() != 0 {
		t.Errorf("the locked file: got %+v, %v, want it empty", lock, err)
	}
	for name, c := range map[string]struct {
		change  func(*run.Spec)
		refused bool
	}{
		"the same":      {func(*run.Spec) {}, true},
		"other options": {func(s *run.Spec) { s.Options = "others" }, true},
		"another kind":  {func(s *run.Spec) { s.Kind = "sync" }, true},
		"another file":  {func(s *run.Spec) { s.SHA256 = "others" }, false},
		"a selection":   {func(s *run.Spec) { s.SHA256, s.File, s.Selection = "", "", "--status active" }, false},
		"a server":      {func(s *run.Spec) { s.Server = "http://localhost:2" }, false},
		"a context":     {func(s *run.Spec) { s.Context = "others" }, false},
	} {
		other := spec
		c.change(&other)
		second, err := run.JournalDir{Path: dir}.Open(other, nil)
		if refused := isFailure(err, "running"); refused != c.refused || refused && err.Error() != "the run "+j.ID+" is under way already" {
			t.Errorf("%s: got %v, want it refused: %t", name, err, c.refused)
		}
		if err == nil {
			must(t, second.Leave())
		}
	}
	must(t, j.NoteReport(run.Report{Path: "/r.csv"})) // of a dry run, another content or another context, too
	theirs, mine, free := run.JournalDir{Path: dir}.CheckReport("/r.csv", nil), run.JournalDir{Path: dir}.CheckReport("/r.csv", j), run.JournalDir{Path: dir}.CheckReport("/s.csv", nil)
	if !isFailure(theirs, "running") || mine != nil || free != nil {
		t.Errorf("the report that it writes: got %v, for itself %v, another one %v", theirs, mine, free)
	}
	must(t, j.Leave())
}
