package tempfile_test

import (
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
