package figures

import (
	"slices"
	"testing"
	"time"
)

func TestQuantileIsTheSmallestSampleThatSoManyDoNotExceed(t *testing.T) {
	hundred := make([]int64, 100)
	for i := range hundred {
		hundred[i] = int64(100 - i)
	}
	for _, c := range []struct {
		samples []int64
		percent int
		want    int64
	}{
		{nil, 50, 0},
		{[]int64{7}, 50, 7},
		{[]int64{7}, 95, 7},
		{[]int64{3, 1, 2}, 50, 2},
		{[]int64{4, 1, 3, 2}, 50, 2}, // a sample, never the middle of two
		{[]int64{3, 1, 2}, 95, 3},
		{hundred, 50, 50},
		{hundred, 95, 95},
		{hundred, 100, 100},
	} {
		if got := Quantile(c.samples, c.percent); got != c.want {
			t.Errorf("%d %% of %v: got %d, want %d", c.percent, c.samples, got, c.want)
		}
	}
}

func TestSamplesAreLeftInTheirOrder(t *testing.T) {
	samples := []float64{3, 1, 2}
	if got := median(samples); got != 2 || !slices.Equal(samples, []float64{3, 1, 2}) {
		t.Errorf("got %v of %v", got, samples)
	}
}

func TestShareIsTheFloorsTimeByTheProgram(t *testing.T) {
	s := newSeries()
	for _, ms := range []int{90, 100, 500} {
		s.Time(Import, Floor, time.Duration(ms)*time.Millisecond)
	}
	if got := s.share(Import); got != 0 {
		t.Errorf("the program is not measured: got %v, want 0", got)
	}
	for _, ms := range []int{400, 100, 300} {
		s.Time(Import, Program, time.Duration(ms)*time.Millisecond)
	}
	if got := s.share(Import); got != 1./3 {
		t.Errorf("got %v, want a third", got)
	}
	if got := s.share("page of 500"); got != 0 {
		t.Errorf("not measured: got %v, want 0", got)
	}
}

func TestCostIsThatOfOneUnit(t *testing.T) {
	s := newSeries()
	s.Cost(Import, Server, 3*time.Second, 100_000)
	if got := median(s.costs[Import][Server]); got != 30*time.Microsecond {
		t.Errorf("got %v, want 30µs", got)
	}
}

func TestAnAimIsReachedWhenAllItsPartsAre(t *testing.T) {
	s := newSeries()
	for i := range 20 { // the floor takes 8 ms, the program 1 to 20
		s.Time("work", Floor, 8*time.Millisecond)
		s.Time("work", Program, time.Duration(i+1)*time.Millisecond)
	}
	for _, c := range []struct {
		aim  aim
		text string
		want bool
	}{
		{aim{share: 0.8}, "≥ 80 % of the floor", true},
		{aim{share: 0.81}, "≥ 81 % of the floor", false},
		{aim{median: 10 * time.Millisecond}, "median ≤ 10ms", true},
		{aim{median: 9 * time.Millisecond}, "median ≤ 9ms", false},
		{aim{p95: 19 * time.Millisecond}, "95 % ≤ 19ms", true},
		{aim{p95: 18 * time.Millisecond}, "95 % ≤ 18ms", false},
		{aim{share: 0.8, p95: 18 * time.Millisecond}, "≥ 80 % of the floor, 95 % ≤ 18ms", false},
	} {
		if got := c.aim.reached(s, "work"); got != c.want || c.aim.String() != c.text {
			t.Errorf("%s: got %t and %q, want %t", c.text, got, c.aim, c.want)
		}
	}
}

func TestAimsOfOneEngine(t *testing.T) {
	sqlite, _ := aimOf("SQLite", Suspension)
	postgres, _ := aimOf("PostgreSQL", Suspension)
	if sqlite.share == 0 || sqlite == postgres {
		t.Errorf("a suspension: got %v on SQLite and %v on PostgreSQL, want two aims", sqlite, postgres)
	}
	if a, ok := aimOf("PostgreSQL", PlainList); !ok || a.share != 1.1 {
		t.Errorf("an aim for all engines: got %v, %t", a, ok)
	}
	if a, ok := aimOf("SQLite", "search, the first after a start"); ok {
		t.Errorf("a work without an aim: got %v", a)
	}
}

func TestShownToThreeDigits(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "–", 345 * time.Nanosecond: "345ns", 28_449 * time.Nanosecond: "28.4µs",
		1500 * time.Microsecond: "1.5ms", 999_600 * time.Microsecond: "1s", 269_400 * time.Millisecond: "4m29s",
	} {
		if got := show(d); got != want {
			t.Errorf("%d ns: got %s, want %s", d, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0 B", 99_999: "99999 B", 100_000: "0.1 MB", 29_650_000: "29.6 MB"} {
		if got := megabytes(n); got != want {
			t.Errorf("%d bytes: got %s, want %s", n, got, want)
		}
	}
}
