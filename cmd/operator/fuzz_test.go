package operator

import (
	"testing"
	"time"

	"ativa/internal/cli"
)

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
