package tempfile_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"ativa/internal/tempfile"
)

// More texts than fit in memory are returned by their numbers, in any order.
func TestTextsAreReadByTheirNumbers(t *testing.T) {
	for _, n := range []int{0, 3, 300_000} { // the last are 10 MB
		texts := tempfile.Texts{Of: "texts"}
		text := func(i int) string { return strings.Repeat("ação ", i*7919%13) + string(rune('a'+i%26)) }
		long := strings.Repeat("x", 20_000)
		for i := range n {
			if err := texts.Add([]byte(text(i))); err != nil {
				t.Fatal(err)
			}
		}
		if err := texts.Add([]byte(long)); err != nil {
			t.Fatal(err)
		}
		random := rand.New(rand.NewPCG(1, 2))
		for i := range 2 * n {
			if i >= n { // first in order
				i = random.IntN(n)
			}
			if got, err := texts.At(i); err != nil || got != text(i) {
				t.Fatalf("text %d of %d: got %q, %v, want %q", i, n, got, err, text(i))
			}
		}
		if got, err := texts.At(n); err != nil || got != long || texts.Len() != n+1 {
			t.Errorf("of %d: got a text of %d bytes, %v, want the last of %d", n, len(got), err, len(long))
		}
		if err := texts.Close(); err != nil {
			t.Error(err)
		}
	}
}
