package tempfile_test

import (
	"strings"
	"testing"

	"ativa/internal/tempfile"
)

// Values are returned in order and once each, from memory and from the disk.
func TestListKeepsTheOrder(t *testing.T) {
	type value struct {
		Number int
		Text   *string
	}
	for _, n := range []int{0, 1, 4096, 4097, 20_000} {
		l := tempfile.List[value]{Of: "values"}
		text := "\"quoted\"\n"
		for i := range n {
			if err := l.Add(value{i, &text}); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			next := 0
			for v, err := range l.All() {
				if err != nil || v.Number != next || *v.Text != text {
					t.Fatalf("of %d: got %+v, %v, want number %d", n, v, err, next)
				}
				next++
			}
			if next != n {
				t.Errorf("got %d values, want %d", next, n)
			}
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestListErrorsNameTheValues(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()+"/none")
	t.Setenv("TMP", t.TempDir()+"/none") // on Windows
	l := tempfile.List[int]{Of: "numbers"}
	var err error
	for i := 0; err == nil && i < 10_000; i++ {
		err = l.Add(i)
	}
	if err == nil || !strings.HasPrefix(err.Error(), "keeping numbers:") {
		t.Errorf("got %v, want an error that names the numbers", err)
	}
	if err := l.Close(); err != nil {
		t.Errorf("closing what was never opened: %v", err)
	}
}
