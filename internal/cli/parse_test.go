package cli_test

import (
	"strings"
	"testing"
	"time"

	"ativa/internal/cli"
	"ativa/internal/failure"
	"ativa/internal/settings"
)

// A day is 24 hours. An overflow is refused instead of being a short time.
func TestASpanIsATimeOrDays(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"30s": 30 * time.Second, "1.5h": 90 * time.Minute, "-1h": -time.Hour, "0": 0, "0d": 0, "90d": 90 * 24 * time.Hour, "65535d": 65535 * 24 * time.Hour,
	} {
		if got, err := settings.ParseSpan(text); err != nil || got != want {
			t.Errorf("%q: got %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "1d12h", "65536d", "9223372037s", "+3d", "-1d", "1e3h", "١d", "d", "1 d"} {
		if got, err := settings.ParseSpan(text); err == nil {
			t.Errorf("%q: got %v, want an error", text, got)
		}
	}
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
