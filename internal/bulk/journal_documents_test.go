package bulk_test

import (
	"errors"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ativa/internal/bulk"
)

// yields is the documents, and then the error if there is one.
func yields(err error, all ...string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, d := range all {
			if !yield(d, nil) {
				return
			}
		}
		if err != nil {
			yield("", err)
		}
	}
}

// saved are the documents of a journal, or the error of reading them.
func saved(j *bulk.Journal) (all []string, err error) {
	for d, err := range j.Documents() {
		if err != nil {
			return all, err
		}
		all = append(all, d)
	}
	return all, nil
}

// A selection is sent as it was found, also when its run is interrupted: the journal
// knows the lines that have a result, those that were sent without an answer and those
// that were not sent.
func TestAnInterruptedSelectionGoesOnWithItsDocuments(t *testing.T) {
	dir := t.TempDir()
	all := documents(20)
	first := open(t, dir)
	if first.HasDocuments() || first.HasResult(2) {
		t.Error("a new run has documents of an interrupted one")
	}
	if err := first.SaveDocuments(yields(nil, all...)); err != nil {
		t.Fatal(err)
	}
	if got, err := saved(first); err != nil || !slices.Equal(got, all) {
		t.Errorf("got %v, %v, want the documents in their order", got, err)
	}
	s := &memoryJob{lose: func(n int) bool { return n == 3 }}
	if err := bulk.Run(t.Context(), s, seq(file(all...)), first, bulk.Options{Rows: 4, InFlight: 1, Idempotency: true}, ignore); err == nil {
		t.Fatal("nothing was lost")
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, dir)
	defer again.Close()
	if got, err := saved(again); err != nil || !again.HasDocuments() || !slices.Equal(got, all) {
		t.Errorf("got %v, %v, want the documents of the interrupted run", got, err)
	}
	// Lines 2 to 9 were answered, 10 to 13 sent, and those behind not even that.
	for line := range len(all) + 10 {
		if got, want := again.HasResult(line), 2 <= line && line <= 9; got != want {
			t.Errorf("line %d has a result: %v, want %v", line, got, want)
		}
	}
	stopped := 0
	for range again.Documents() {
		stopped++
		break
	}
	if stopped != 1 {
		t.Errorf("got %d documents, want reading to stop when asked", stopped)
	}
}

func TestDocumentsThatCannotBeKeptOrReadAreAnError(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	lost := errors.New("the list broke off")
	if err := j.SaveDocuments(yields(lost, documents(3)...)); !errors.Is(err, lost) {
		t.Errorf("got %v, want the error of the list", err)
	}
	path := filepath.Join(dir, j.ID()+".documents")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("got %v, %v, want a file that only its owner may read", info, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := saved(j); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "ativa imports purge "+j.ID()) {
		t.Errorf("got %v, want how the run is given up", err)
	}
	if err := os.WriteFile(path, []byte(strings.Repeat("1", 1<<17)), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := saved(j); err == nil || len(got) > 0 {
		t.Errorf("got %d documents, %v, want an error for a line without end", len(got), err)
	}
	if err := j.Discard(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || slices.ContainsFunc(left, func(f os.DirEntry) bool { return strings.HasPrefix(f.Name(), j.ID()) }) {
		t.Errorf("got %v, %v, want nothing left of a run that was discarded", left, err)
	}
}
