package run_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ativa/internal/run"
)

// saved returns the documents of a journal, or the error of reading them.
func saved(j *run.Journal) (all []string, err error) {
	for d, err := range j.Documents() {
		if err != nil {
			return all, err
		}
		all = append(all, d)
	}
	return all, nil
}

// A resumed run sends its selection as it was first read: the journal knows which lines have a
// result, which were sent without an answer and which were not sent.
func TestAnInterruptedSelectionKeepsItsDocuments(t *testing.T) {
	dir := t.TempDir()
	all := documents(20)
	first := open(t, dir)
	must(t, first.SaveDocuments(seq(all)))
	s := &memoryJob{lose: func(n int) bool { return n == 3 }}
	if err := run.Run(t.Context(), s, seq(file(all...)), first, run.Options{Rows: 4, InFlight: 1, Idempotency: true}, ignore); err == nil {
		t.Fatal("nothing was lost")
	}
	must(t, first.Close())
	again := open(t, dir)
	defer again.Close()
	if got, err := saved(again); err != nil || !again.Resumes() || !slices.Equal(got, all) {
		t.Errorf("got %v, %v, want the documents of the interrupted run", got, err)
	}
	// Lines 2 to 9 were answered, 10 to 13 sent, and the rest not sent.
	for line := range len(all) + 10 {
		if got, want := again.HasResult(line), 2 <= line && line <= 9; got != want {
			t.Errorf("line %d has a result: %v, want %v", line, got, want)
		}
	}
}

func TestDocumentsThatCannotBeKeptOrReadAreAnError(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	lost := errors.New("the list broke off")
	if err := j.SaveDocuments(func(yield func(string, error) bool) { yield("", lost) }); !errors.Is(err, lost) {
		t.Errorf("got %v, want the error of the list", err)
	}
	path := filepath.Join(dir, j.ID+".kept")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("got %v, %v, want a file that only its owner may read", info, err)
	}
	must(t, os.Remove(path))
	if _, err := saved(j); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "ativa imports purge "+j.ID) {
		t.Errorf("got %v, want how the run is given up", err)
	}
	if runtime.GOOS == "linux" { // the null device accepts writes and fails to sync
		must(t, os.Symlink(os.DevNull, path))
		if err := j.SaveDocuments(seq(documents(3))); err == nil || !strings.HasPrefix(err.Error(), "saving the data of the run: sync ") {
			t.Errorf("got %v, want that the documents may not be on the disk", err)
		}
	}
	must(t, j.Leave())
	if left, err := os.ReadDir(dir); err != nil || slices.ContainsFunc(left, func(f os.DirEntry) bool { return strings.HasPrefix(f.Name(), j.ID) }) {
		t.Errorf("got %v, %v, want nothing left of a run that was discarded", left, err)
	}
}

// A plan is kept unchanged, and refused if its file was replaced.
func TestAPlanIsKept(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	plan := &run.Plan{ID: "plan", Actions: []run.Action{{Kind: run.ActionSuspend, Document: numbered(1), ProductID: 1}}}
	must(t, j.SavePlan(plan))
	if got, err := j.Plan(); err != nil || !cmp.Equal(got, plan, cmpopts.IgnoreUnexported(run.Plan{}, run.Action{})) {
		t.Errorf("got %+v, %v, want the plan", got, err)
	}
	must(t, os.WriteFile(filepath.Join(dir, j.ID+".kept"), []byte(`{"id":"plan","actions":[]}`), 0o600))
	if got, err := j.Plan(); got != nil || !isFailure(err, "other_run") || !strings.Contains(err.Error(), "saved data") {
		t.Errorf("got %+v, %v, want an error about the saved data", got, err)
	}
	if got, err := saved(j); len(got) > 0 || !isFailure(err, "other_run") {
		t.Errorf("got the documents %v, %v, want none of another run", got, err)
	}
	must(t, j.End())
	if left, err := filepath.Glob(filepath.Join(dir, "*.kept")); err != nil || len(left) > 0 {
		t.Errorf("got %v, %v, want nothing left of a finished run", left, err)
	}
	must(t, j.Close())
}

// A run is resumed by its id only with its original file, server, context and options.
func TestResumeRefusesAnotherSpec(t *testing.T) {
	dir := run.JournalDir{Path: t.TempDir()}
	j := open(t, dir.Path)
	id := j.ID
	must(t, j.Close())
	for part, change := range map[string]func(*run.Spec){
		"the file":    func(s *run.Spec) { s.SHA256 = "another" },
		"the server":  func(s *run.Spec) { s.Server = "http://localhost:2" },
		"the context": func(s *run.Spec) { s.Context = "another" },
		"the options": func(s *run.Spec) { s.Options = "another" },
	} {
		other := spec
		change(&other)
		j, err := dir.Resume(id, other)
		if want := part + " changed since the run " + id; !isFailure(err, "other_run") || !strings.HasPrefix(err.Error(), want) || j != nil {
			t.Errorf("%s: got %v, %v, want that it is not that of the run", part, j, err)
		}
	}
	moved := spec
	moved.File = "/elsewhere/people.csv"
	j, err := dir.Resume(id, moved)
	if err != nil || j.ID != id {
		t.Fatalf("got %v, want the run: the file may have been moved", err)
	}
	must(t, errors.Join(j.End(), j.Close()))
	if _, err := dir.Resume(id, spec); err == nil {
		t.Error("a finished run was resumed")
	}
}

// A removed run, and one that sent nothing, leaves no file behind. A process that waits for the
// lock gets that of the next run, and not a removed one.
func TestAForgottenRunLeavesNoFiles(t *testing.T) {
	path := t.TempDir()
	dir := run.JournalDir{Path: path}
	files := func() (names []string) {
		all, err := os.ReadDir(path)
		must(t, err)
		for _, f := range all {
			names = append(names, f.Name())
		}
		return names
	}
	j := open(t, path)
	if err := j.Leave(); err != nil || len(files()) != 0 {
		t.Errorf("discarded: got %v and the files %v, want none", err, files())
	}
	j = open(t, path)
	must(t, errors.Join(j.End(), j.Close()))
	next := open(t, path) // of the same work, so under the same lock
	must(t, dir.Remove(j.ID))
	must(t, next.Close())
	if _, err := dir.Get(next.ID); err != nil {
		t.Errorf("the other run: %v", err)
	}
	if err := dir.Remove(next.ID); err != nil || len(files()) != 0 {
		t.Errorf("removed: got %v and the files %v, want none", err, files())
	}
}

func TestALockThatCannotBeMadeIsAnError(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	fingerprint, _, _ := strings.Cut(j.ID, "-")
	must(t, j.Leave())
	must(t, os.Mkdir(filepath.Join(dir, fingerprint+".lock"), 0o700))
	if _, err := (run.JournalDir{Path: dir}).Open(spec, nil); err == nil || !strings.HasPrefix(err.Error(), "the lock of the import: ") {
		t.Errorf("got %v, want that the lock cannot be made", err)
	}
}
