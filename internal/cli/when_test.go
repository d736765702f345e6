package cli_test

import (
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/cli"
)

func TestATimeOfAFlagIsALengthADateOrATime(t *testing.T) {
	zone, err := api.LoadZone("America/Sao_Paulo")
	must(t, err)
	now := time.Date(2026, 11, 26, 10, 30, 15, 0, zone)
	for _, c := range []struct{ text, at, until string }{ // UTC; empty: refused
		{"90m", "2026-11-26T15:00:15Z", "2026-11-26T15:00:15Z"},
		{"7d", "2026-12-03T13:30:15Z", "2026-12-03T13:30:15Z"},
		{"367d", "", ""},
		{"2026-12-31", "2026-12-31T03:00:00Z", "2027-01-01T03:00:00Z"},
		{"2026-11-26", "", "2026-11-27T03:00:00Z"},
		{"2026-11-25", "", ""},
		{"2026-12-31T18:00", "2026-12-31T21:00:00Z", "2026-12-31T21:00:00Z"},
		{"2026-12-31T18:00:00Z", "2026-12-31T18:00:00Z", "2026-12-31T18:00:00Z"},
		{"2026-11-26T10:30:15", "", ""},
		{"-1h", "", ""}, {"0d", "", ""}, {"", "", ""}, {"tomorrow", "", ""}, {"2026-02-30", "", ""},
	} {
		for flag, parse := range map[string]func(flag, text string, now time.Time) (time.Time, error){"--at": cli.ParseStart, "--until": cli.ParseEnd} {
			want := map[string]string{"--at": c.at, "--until": c.until}[flag]
			got, err := parse(flag, c.text, now)
			if want == "" && err == nil || want != "" && (err != nil || got.UTC().Format(time.RFC3339) != want) {
				t.Errorf("%s %q: got %v, %v, want %q", flag, c.text, got, err, want)
			}
			if err == nil && got.Location() != zone {
				t.Errorf("%q: got a time in %v, which is shown so, want it in %v", c.text, got.Location(), zone)
			}
		}
	}
}
