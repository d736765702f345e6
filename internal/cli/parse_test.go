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

// An --expires is the last moment of a day or a time from now. Past times are refused later.
func TestAnExpiryIsADayOrATimeFromNow(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"30s": "2026-11-23T12:00:30Z", "90d": "2027-02-21T12:00:00Z", "-1h": "2026-11-23T11:00:00Z", "2028-02-29": "2028-02-29T23:59:59.999999Z",
		"9999-12-31": "9999-12-31T23:59:59.999999Z", "999999999999h": "", "2027-02-29": "", "soon": "", "": "",
	} {
		end, err := cli.ParseExpiry(text, now)
		if got := end.Format(time.RFC3339Nano); (err == nil) != (want != "") || err == nil && got != want {
			t.Errorf("%q: got %s, %v, want %q", text, got, err, want)
		}
	}
}
