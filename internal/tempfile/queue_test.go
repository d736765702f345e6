package tempfile_test

import (
	"strings"
	"testing"

	"ativa/internal/tempfile"
)

// Values come back in order and once each, whether they waited in memory or on disk,
// and while others are added.
func TestQueueKeepsTheOrder(t *testing.T) {
	type value struct {
		Number int
		Text   *string
	}
	q := tempfile.Queue[value]{Of: "values"}
	text := "\"quoted\"\n"
	added, taken := 0, 0
	add := func(n int) {
		for range n {
			if err := q.Add(value{added, &text}); err != nil {
				t.Fatal(err)
			}
			added++
		}
	}
	take := func(n int) {
		if n == 0 {
			return
		}
		for v, err := range q.TakeAll() {
			if err != nil {
				t.Fatal(err)
			}
			if v.Number != taken || *v.Text != text {
				t.Fatalf("got %+v, want number %d", v, taken)
			}
			if taken++; taken == n {
				return
			}
		}
	}
	for _, n := range []int{1, 4096, 4097, 10_000, 3} {
		add(n)
		if v, has, err := q.First(); err != nil || !has || v.Number != taken {
			t.Fatalf("got %+v %v %v, want %d first", v, has, err, taken)
		}
		take(taken + n/2)
	}
	take(added)
	if _, has, err := q.First(); has || err != nil || taken != added {
		t.Errorf("got %v, %v and %d of %d values, want all and no more", has, err, taken, added)
	}
	if err := q.Close(); err != nil {
		t.Error(err)
	}
}

// What is added when all that waited on disk has been read is read, too.
func TestQueueGoesOnBehindTheEndOfWhatWasOnDisk(t *testing.T) {
	q := tempfile.Queue[int]{Of: "numbers"}
	defer q.Close()
	added, taken := 0, 0
	for range 4 {
		for range 4096 + 4096 + 10 { // ten are read from a file that ends there
			if err := q.Add(added); err != nil {
				t.Fatal(err)
			}
			added++
		}
		for taken < added-5 {
			v, has, err := q.First()
			if err != nil || !has || v != taken {
				t.Fatalf("got %d %v %v, want %d", v, has, err, taken)
			}
			q.RemoveFirst()
			taken++
		}
	}
}

func TestQueueSaysWhatItCannotKeep(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()+"/none")
	t.Setenv("TMP", t.TempDir()+"/none") // on Windows
	q := tempfile.Queue[int]{Of: "numbers"}
	var err error
	for i := 0; err == nil && i < 10_000; i++ {
		err = q.Add(i)
	}
	if err == nil || !strings.HasPrefix(err.Error(), "keeping numbers:") {
		t.Errorf("got %v, want an error that names the numbers", err)
	}
	if err := q.Close(); err != nil {
		t.Errorf("closing what was never opened: %v", err)
	}
}
