package cli_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"ativa/internal/cli"
	"ativa/internal/failure"
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

func TestALimitIsANumberOrAShare(t *testing.T) {
	for text, most := range map[string]int{"": 1001, "0": 0, "5": 5, "5%": 50, "0.1%": 1, "0%": 0, "-0%": 0, "100%": 1000} {
		limit, err := cli.ParseLimit("--max-changes", text)
		if err != nil || limit.Given != (text != "") || limit.Exceeded(most, 1000) || limit.Exceeded(most+1, 1000) != limit.Given {
			t.Errorf("%q: got %+v, %v, want at most %d of 1000", text, limit, err, most)
		}
	}
	for _, text := range []string{"-1", "-1%", "101%", "NaN%", "Inf%", "5 %", "%", "9223372036854775808"} {
		if _, err := cli.ParseLimit("--max-changes", text); failure.OutcomeOf(err).Exit != cli.ExitUsage || !strings.Contains(err.Error(), "--max-changes") {
			t.Errorf("%q: got %v, want a fault of usage that names the flag", text, err)
		}
	}
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
