package run_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ativa/internal/run"
)

// fuzzRows is how many rows the fuzzed run has.
const fuzzRows = 60

// A journal of any bytes is refused with an error that names it, or gives every row one result;
// it can be listed, shown and removed. If a good journal is cut or a byte is changed, no row
// counts as done that is not, and only rows of batches that the journal lost reach the
// server again.
func FuzzJournal(f *testing.F) {
	dir := f.TempDir()
	d := run.JournalDir{Path: dir}
	good, server, id := interruptedRun(f, d)
	begun := linesBegun(f, good)
	path := filepath.Join(dir, id+".jsonl")
	for _, cut := range []uint16{0, 1, 300, 900, 2000, 60000} {
		f.Add([]byte(nil), cut, uint16(0), byte(0))
		f.Add([]byte(nil), uint16(60000), cut, byte(1))
	}
	f.Add(good[:len(good)-1], uint16(0), uint16(0), byte(0))
	header, _, _ := bytes.Cut(good, []byte("\n"))
	f.Add([]byte(string(header)+"\n"+`{"begin":{"batch":1,"lines":[[2,8]],"key":"k"}}`+"\n"+
		`{"done":{"batch":1,"results":[{"kind":"created","lines":[[2,8]],"operations":["op_1"]}]}}`+"\n"+`{"report":{"path":"r.csv"}}`+"\n"), uint16(0), uint16(0), byte(0))
	f.Fuzz(func(t *testing.T, data []byte, cut, at uint16, by byte) {
		kept := -1 // records left of the good journal
		if len(data) == 0 {
			data = slices.Clone(good[:min(int(cut), len(good))])
			kept = bytes.Count(data, []byte("\n"))
			if by != 0 && int(at) < len(data) {
				data[at] ^= by
				kept = min(kept, bytes.Count(good[:at], []byte("\n")))
			}
		}
		leaveOnly(t, path, data)
		_, listErr := d.List()
		_, showErr := d.Get(id)
		for _, err := range []error{listErr, showErr} {
			if err != nil && !strings.Contains(err.Error(), id) {
				t.Errorf("got %v, want an error that names the journal", err)
			}
		}
		j, err := d.Open(spec, nil)
		if err != nil {
			if !strings.Contains(err.Error(), path) {
				t.Errorf("got %v, want an error that names %s", err, path)
			}
			return
		}
		s := &memoryJob{rows: slices.Clone(server.rows), keys: map[string]int{}, has: map[string]bool{}}
		for key, n := range server.keys {
			s.keys[key] = n
		}
		for _, row := range server.rows {
			s.has[row] = true
		}
		resumed := resumeFuzzed(t, s, j)
		if kept >= 0 {
			checkResumed(t, s, resumed, begun[:min(kept, len(begun))])
		}
		if err := d.Remove(j.ID); err != nil {
			t.Error(err)
		}
	})
}

// interruptedRun leaves the journal of a run that lost the answer to its fifth batch.
func interruptedRun(f *testing.F, d run.JournalDir) (journal []byte, s *memoryJob, id string) {
	f.Helper()
	s = &memoryJob{lose: func(n int) bool { return n == 5 }}
	j, err := d.Open(spec, nil)
	must(f, err)
	if err := run.Run(context.Background(), s, rows(fuzzRows), j, run.Options{Rows: 7, InFlight: 2, Idempotency: true}, ignore); err == nil {
		f.Fatal("nothing was lost")
	}
	must(f, j.Close())
	if journal, err = os.ReadFile(filepath.Join(d.Path, j.ID+".jsonl")); err != nil {
		f.Fatal(err)
	}
	return journal, s, j.ID
}

// linesBegun returns the documents that each record of a journal begins.
func linesBegun(f *testing.F, journal []byte) (all [][]string) {
	f.Helper()
	for line := range bytes.Lines(journal) {
		var r struct{ Begin struct{ Lines [][2]int } }
		must(f, json.Unmarshal(line, &r))
		var documents []string
		for _, lines := range r.Begin.Lines {
			for n := lines[0]; n <= lines[1]; n++ {
				documents = append(documents, numbered(n-1))
			}
		}
		all = append(all, documents)
	}
	return all
}

// leaveOnly makes a file the only journal of its directory.
func leaveOnly(t *testing.T, path string, data []byte) {
	t.Helper()
	others, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*.jsonl"))
	must(t, err)
	for _, other := range others {
		must(t, os.Remove(other))
	}
	must(t, os.WriteFile(path, data, 0o600))
}

// resumeFuzzed resumes the run and returns the documents whose results the journal had.
func resumeFuzzed(t *testing.T, s *memoryJob, j *run.Journal) (replayed []string) {
	t.Helper()
	seen := map[string]int{}
	all := rows(fuzzRows)
	err := run.Run(t.Context(), s, all, j, run.Options{Rows: 7, InFlight: 2, Idempotency: true}, func(o run.RowResult) error {
		seen[o.Row.Document]++
		if o.Replayed {
			replayed = append(replayed, o.Row.Document)
		}
		return nil
	})
	if err != nil {
		t.Errorf("the run ended with %v", err)
	}
	for document, n := range seen {
		if n != 1 {
			t.Errorf("%s has %d results", document, n)
		}
	}
	if len(seen) != fuzzRows {
		t.Errorf("got results of %d rows, want %d", len(seen), fuzzRows)
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
	return replayed
}

// checkResumed compares what reached the server with what the journal had.
func checkResumed(t *testing.T, s *memoryJob, replayed []string, begun [][]string) {
	t.Helper()
	times := map[string]int{}
	for _, document := range s.rows {
		times[document]++
	}
	for _, document := range replayed {
		if times[document] != 1 {
			t.Errorf("%s was taken from the journal and reached the server %d times", document, times[document])
		}
	}
	known := slices.Concat(begun...)
	for document, n := range times {
		if n > 1 && slices.Contains(known, document) {
			t.Errorf("%s, which the journal names, reached the server %d times", document, n)
		}
	}
	if len(times) != fuzzRows {
		t.Errorf("%d of %d rows reached the server", len(times), fuzzRows)
	}
}
