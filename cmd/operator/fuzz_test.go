package operator

import (
	"math"
	"testing"
	"time"

	"ativa/internal/cli"
)

// Any --rate-limit is refused or valid for a limiter.
func FuzzRate(f *testing.F) {
	for _, s := range []string{"", "100/s", "0.5", "1e6/s", "1e7", "NaN", "-1/s", "Inf", "0x1p-1070", "100/s/s", "1_000"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		perSecond, burst, err := parseRate(s)
		none := perSecond == 0 && burst == 0
		if none != (err != nil || s == "") {
			t.Fatalf("%q: got %v, %d, %v", s, perSecond, burst, err)
		}
		if !none && (math.IsNaN(perSecond) || perSecond < 0 || perSecond > 1e6 || burst < 1 || burst > 2e6) {
			t.Fatalf("%q: got %v a second, %d at once", s, perSecond, burst)
		}
	})
}

// Any accepted --expires is a time that databases and JSON can hold: a day's last moment,
// or a time from now. Past times are refused later.
func FuzzExpiry(f *testing.F) {
	for _, s := range []string{"30s", "12h", "90d", "2027-01-31", "2028-02-29", "9999-12-31", "0000-01-01", "999999999999h", "-1h", "", "106751d"} {
		f.Add(s)
	}
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, s string) {
		end, err := cli.ParseExpiry(s, now)
		if err != nil {
			return
		}
		if _, err := end.MarshalJSON(); err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		if day, err := time.Parse(time.DateOnly, s); err == nil {
			if last := end.Add(time.Microsecond); last.Sub(day) != 24*time.Hour {
				t.Fatalf("%q ends at %s", s, end)
			}
		}
	})
}
