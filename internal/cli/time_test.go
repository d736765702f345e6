package cli_test

import (
	"testing"
	"time"

	"ativa/internal/cli"
	"ativa/internal/lang"
)

func TestTimesAreSaidAsPeopleSayThem(t *testing.T) {
	brt := time.FixedZone("BRT", -3*3600)
	now := time.Date(2026, 11, 22, 10, 30, 0, 0, brt)
	for _, c := range []struct{ at, english, portuguese string }{
		{"2026-11-22T13:02:00.123456Z", "today 10:02", "hoje 10:02"},
		{"2026-11-22T02:59:59Z", "yesterday 23:59", "ontem 23:59"},
		{"2026-11-20T23:00:00Z", "2 days ago", "há 2 dias"},
		{"2026-11-16T12:00:00Z", "6 days ago", "há 6 dias"},
		{"2026-11-15T12:00:00Z", "2026-11-15", "2026-11-15"},
		{"2026-11-23T13:00:00Z", "tomorrow 10:00", "amanhã 10:00"},
		{"2026-11-25T13:00:00Z", "in 3 days", "em 3 dias"},
		{"2026-11-29T13:00:00Z", "2026-11-29", "2026-11-29"},
		{"1969-12-31T12:00:00Z", "1969-12-31", "1969-12-31"},
		{"9999-12-31T12:00:00Z", "9999-12-31", "9999-12-31"},
	} {
		at, err := time.Parse(time.RFC3339Nano, c.at)
		must(t, err)
		if got := cli.TimeText(lang.English, at, now); got != c.english {
			t.Errorf("%s: got %q, want %q", c.at, got, c.english)
		}
		if got := cli.TimeText(lang.Portuguese, at, now); got != c.portuguese {
			t.Errorf("%s: got %q, want %q", c.at, got, c.portuguese)
		}
	}
}

// A day is a calendar day, also when clocks change.
func TestYesterdayIsTheDayBeforeAlsoWhenClocksChange(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("no time zones here: ", err)
	}
	now := time.Date(2026, 10, 26, 0, 30, 0, 0, berlin) // the day before had 25 hours
	if got := cli.TimeText(lang.English, now.Add(-25*time.Hour), now); got != "yesterday 00:30" {
		t.Errorf("got %q, want yesterday", got)
	}
}

// Times are shown in the zone of the key tz, not of the machine, which may run in the cloud; those in
// a log, which is read later, have a date.
func TestTimesAreInTheZoneOfTheKey(t *testing.T) {
	for zone, want := range map[string]string{"": "2026-11-21 22:30", "Asia/Tokyo": "2026-11-22 10:30"} {
		e := newEnv(t, map[string]string{"ATIVA_TZ": zone})
		e.Clock = func() time.Time { return time.Date(2026, 11, 22, 1, 30, 0, 0, time.UTC) }
		o, err := e.RenderOptions()
		if got := e.NoticeTime(e.Now()); err != nil || got != want || o.Zone() != e.Location() {
			t.Errorf("%q: got %s, want %s; tables are in %v, %v", zone, got, want, o.Zone(), err)
		}
	}
}
