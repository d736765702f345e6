package cli

import (
	"time"

	"ativa/internal/lang"
)

// TimeText returns a time as people say it, in the time zone of now: "today 10:02", "yesterday
// 18:40", "3 days ago" within a week, else "2026-11-02"; in the future "tomorrow 10:02" and "in 3
// days". It is for terminals only: machines read [FormatTime].
func TimeText(l lang.Language, at, now time.Time) string {
	const week = 7
	at = at.In(now.Location())
	clock := at.Format("15:04")
	switch days := calendarDay(now) - calendarDay(at); {
	case days == 0:
		return l.Textf("today %s", clock)
	case days == 1:
		return l.Textf("yesterday %s", clock)
	case days == -1:
		return l.Textf("tomorrow %s", clock)
	case days > 0 && days < week:
		return l.Textf("%d days ago", days)
	case days < 0 && days > -week:
		return l.Textf("in %d days", -days)
	}
	return at.Format(time.DateOnly)
}

// calendarDay returns the number of the day of t in its own zone; consecutive days differ by one,
// whatever their length.
func calendarDay(t time.Time) int {
	const day = 24 * 60 * 60
	year, month, date := t.Date()
	return int(time.Date(year, month, date, 0, 0, 0, 0, time.UTC).Unix() / day)
}

// Now returns the current time in the time zone of the key tz.
func (e *Env) Now() time.Time {
	now := time.Now
	if e.Clock != nil {
		now = e.Clock
	}
	if e.zone == nil { // no command runs yet
		return now()
	}
	return now().In(e.zone())
}

// Location returns the person's time zone.
func (e *Env) Location() *time.Location { return e.Now().Location() }

// DateTime formats a time in the person's time zone, to the second.
func (e *Env) DateTime(at time.Time) string {
	return at.In(e.Location()).Format(time.DateTime)
}

// TimeText is [TimeText] in the person's language, as of now.
func (e *Env) TimeText(at time.Time) string { return TimeText(e.Lang, at, e.Now()) }

// NoticeTime formats a time for a notice: as people say it at a terminal, and with its date in a
// log.
func (e *Env) NoticeTime(at time.Time) string {
	if isTerminal(e.Err) {
		return e.TimeText(at)
	}
	return e.Minute(at)
}

// Minute formats a time in the person's time zone, to the minute.
func (e *Env) Minute(at time.Time) string {
	return at.In(e.Location()).Format("2006-01-02 15:04")
}
