package run_test

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ativa/internal/run"
)

// fuzzRows is how many rows the fuzzed run has.
const fuzzRows = 60

var fuzzOptions = run.Options{Rows: 7, InFlight: 2, Idempotency: true}

// A journal of any bytes is refused with an error that names it, or gives every row one result;
// it can be listed, shown and removed. If a good journal is cut or a byte is changed, no row
// counts as done that is not.
func FuzzJournal(f *testing.F) {
	d := run.JournalDir{Path: f.TempDir()}
	server := &memoryJob{lose: func(request int) bool { return request == 5 }}
	interrupted, err := d.Open(spec, nil)
	must(f, err)
	if _, err := send(f.Context(), server, file(documents(fuzzRows)...), interrupted, fuzzOptions); err == nil {
		f.Fatal("nothing was lost")
	}
	must(f, interrupted.Close())
	id, path := interrupted.ID, filepath.Join(d.Path, interrupted.ID+".jsonl")
	good, err := os.ReadFile(path)
	must(f, err)
	for _, cut := range []uint16{0, 1, 300, 900, 2000, 60000} {
		f.Add([]byte(nil), cut, uint16(0), byte(0))
		f.Add([]byte(nil), uint16(60000), cut, byte(1))
	}
	f.Add(good[:len(good)-1], uint16(0), uint16(0), byte(0))
	header, _, _ := bytes.Cut(good, []byte("\n"))
	f.Add([]byte(string(header)+"\n"+`{"begin":{"batch":1,"lines":[[2,8]],"key":"k"}}`+"\n"+
		`{"done":{"batch":1,"results":[{"kind":"created","lines":[[2,8]],"operations":["op_1"]}]}}`+"\n"+`{"report":{"path":"r.csv"}}`+"\n"), uint16(0), uint16(0), byte(0))
	f.Fuzz(func(t *testing.T, data []byte, cut, at uint16, by byte) {
		isGood := len(data) == 0
		if isGood {
			data = slices.Clone(good[:min(int(cut), len(good))])
			if int(at) < len(data) {
				data[at] ^= by
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
		s := &memoryJob{rows: slices.Clone(server.rows), keys: maps.Clone(server.keys), has: maps.Clone(server.has)}
		got, err := send(t.Context(), s, file(documents(fuzzRows)...), j, fuzzOptions)
		if must(t, j.Close()); err != nil || len(got) != fuzzRows {
			t.Errorf("got results of %d rows, %v, want %d", len(got), err, fuzzRows)
		}
		for document, r := range got {
			if n := len(slices.DeleteFunc(slices.Clone(s.rows), func(d string) bool { return d != document })); isGood && (n == 0 || r.Replayed && n != 1) {
				t.Errorf("%s, from the journal %t, reached the server %d times", document, r.Replayed, n)
			}
		}
		if err := d.Remove(j.ID); err != nil {
			t.Error(err)
		}
	})
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
