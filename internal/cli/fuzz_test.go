package cli_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"ativa/internal/cli"
)

// ParseSpan reads a day as 24 hours and refuses an overflow instead of returning a short
// duration.
func FuzzSpan(f *testing.F) {
	for _, text := range []string{"", "30s", "12h", "90d", "0", "0d", "-1h", "1.5h", "1d12h", "65535d", "65536d", "+3d", "9223372036s", "1e3h", "١d", "d", "1 d"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		span, err := cli.ParseSpan(text)
		if err != nil {
			return
		}
		if again, err := cli.ParseSpan(span.String()); err != nil || again != span {
			t.Errorf("%q is %v, and that is %v, %v", text, span, again, err)
		}
		if days, isDays := strings.CutSuffix(text, "d"); isDays && span != 0 {
			if n, err := strconv.Atoi(days); err != nil || n < 0 || span.Hours() != float64(24*n) {
				t.Errorf("%q is %v", text, span)
			}
		}
	})
}

// Zero never exceeds a limit, and if n exceeds it, so does n+1, for every total.
func FuzzLimit(f *testing.F) {
	for _, text := range []string{"", "0", "5", "5%", "0%", "100%", "101%", "-1", "-0%", "NaN%", "Inf%", "0x10%", "1e1%", "5 %", "%", "9223372036854775808"} {
		f.Add(text, 10, 100)
	}
	f.Fuzz(func(t *testing.T, text string, n, total int) {
		limit, err := cli.ParseLimit("--max-changes", text)
		if err != nil {
			if used, ok := errors.AsType[*cli.Failure](err); !ok || used.Exit != cli.ExitUsage || !strings.Contains(err.Error(), "--max-changes") {
				t.Errorf("%q: got %v, want a fault of usage that names the flag", text, err)
			}
			return
		}
		n, total = n&0xffffff, total&0xffffff
		if limit.Given != (text != "") || limit.Exceeded(0, total) {
			t.Errorf("%q: got %+v, given %t, want that nothing is within it", text, limit, limit.Given)
		}
		if limit.Exceeded(n, total) && !limit.Exceeded(n+1, total) {
			t.Errorf("%q: %d of %d is too much, one more is not", text, n, total)
		}
		if share, isShare := strings.CutSuffix(text, "%"); isShare {
			percent, _ := strconv.ParseFloat(share, 64)
			if want := float64(n)*100 > percent*float64(total); limit.Exceeded(n, total) != want {
				t.Errorf("%q: %d of %d exceeds it: %t, want %t", text, n, total, !want, want)
			}
		} else if want, err := strconv.Atoi(text); err == nil && limit.Exceeded(n, total) != (n > want) {
			t.Errorf("%q: %d exceeds it: %t", text, n, !(n > want))
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
