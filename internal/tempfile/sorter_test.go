package tempfile_test

import (
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"ativa/internal/failure"
	"ativa/internal/lang"
	"ativa/internal/tempfile"
)

// More records than fit in memory are returned in order, all of them, and twice.
func TestSorterSortsMoreThanMemoryHolds(t *testing.T) {
	const records = 700_000 // two runs on disk and a part
	s := tempfile.Sorter{Of: "numbers"}
	random := rand.New(rand.NewPCG(1, 2))
	var sum uint64
	for range records {
		r := tempfile.Record{random.Uint64N(1000), random.Uint64()}
		sum += r[0] ^ r[1]
		if err := s.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		var last tempfile.Record
		left, n := sum, 0
		for r, err := range s.All() {
			if err != nil {
				t.Fatal(err)
			}
			if r[0] < last[0] || r[0] == last[0] && r[1] < last[1] {
				t.Fatalf("record %d is %v after %v", n, r, last)
			}
			last, left, n = r, left-(r[0]^r[1]), n+1
		}
		if n != records || left != 0 {
			t.Errorf("got %d records, want %d, each once", n, records)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestAMissingDirectoryIsNamedWithTheRemedy(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir) // on Windows
	l, s, texts := tempfile.List[int]{Of: "numbers"}, tempfile.Sorter{Of: "numbers"}, tempfile.Texts{Of: "numbers"}
	for name, add := range map[string]func(i int) error{
		"list": l.Add, "sorter": func(i int) error { return s.Add(tempfile.Record{uint64(i), 2}) },
		"texts": func(int) error { return texts.Add(make([]byte, 100)) },
	} {
		var err error
		for i := 0; err == nil && i < 1<<18; i++ {
			err = add(i)
		}
		if err == nil || !strings.HasPrefix(err.Error(), "keeping numbers:") {
			t.Errorf("%s: got %v, want an error that names the numbers", name, err)
		}
		hint := failure.OutcomeOf(err).Hint.String()
		if got := failure.Text(lang.English, err); got != "no temporary file can be created: "+dir+": it does not exist" || !strings.Contains(hint, "TMPDIR") {
			t.Errorf("%s: got %s, %s", name, got, hint)
		}
	}
	if err := errors.Join(l.Close(), s.Close(), texts.Close()); err != nil {
		t.Errorf("closing what was never opened: %v", err)
	}
}
