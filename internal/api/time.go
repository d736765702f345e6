package api

import "time"

const (
	timeLayout = "2006-01-02T15:04:05.000000Z"
	timeSize   = len(timeLayout)
)

// Time is a moment as the API writes it: UTC with six decimals,
// `2026-01-31T12:34:56.123456Z` (decisions.md 1). The zero Time is null.
type Time struct{ time.Time }

// At is t for the wire.
func At(t time.Time) Time { return Time{t} }

// AppendJSON appends the moment with its quotes, or null for the zero Time.
func (t Time) AppendJSON(b []byte) []byte {
	if t.IsZero() {
		return append(b, "null"...)
	}
	b = append(b, '"')
	b = t.appendText(b)
	return append(b, '"')
}

// appendText is AppendFormat for timeLayout; a list of a million subscribers
// writes it millions of times.
func (t Time) appendText(b []byte) []byte {
	u := t.UTC()
	year, month, day := u.Date()
	if year < 0 || year > 9999 {
		return u.AppendFormat(b, timeLayout)
	}
	hour, minute, second := u.Clock()
	micro := u.Nanosecond() / 1000
	b = appendTwoDigits(b, year/100)
	b = appendTwoDigits(b, year%100)
	b = appendTwoDigits(append(b, '-'), int(month))
	b = appendTwoDigits(append(b, '-'), day)
	b = appendTwoDigits(append(b, 'T'), hour)
	b = appendTwoDigits(append(b, ':'), minute)
	b = appendTwoDigits(append(b, ':'), second)
	b = appendTwoDigits(append(b, '.'), micro/10000)
	b = appendTwoDigits(b, micro/100%100)
	b = appendTwoDigits(b, micro%100)
	return append(b, 'Z')
}

func appendTwoDigits(b []byte, n int) []byte {
	return append(b, byte('0'+n/10), byte('0'+n%10))
}

// String is the text of the wire, and empty for the zero Time.
func (t Time) String() string {
	if t.IsZero() {
		return ""
	}
	return string(t.appendText(make([]byte, 0, timeSize)))
}

// MarshalJSON writes what AppendJSON appends.
func (t Time) MarshalJSON() ([]byte, error) {
	return t.AppendJSON(make([]byte, 0, timeSize+2)), nil
}

// UnmarshalJSON reads any RFC 3339 time, with a blank for the T or without a
// zone (then UTC) too. What is no time at all becomes the zero Time without an
// error: the time of another server's record must not cost the record.
func (t *Time) UnmarshalJSON(b []byte) error {
	t.Time = time.Time{}
	text := unquote(b)
	for _, layout := range [...]string{time.RFC3339Nano, "2006-01-02T15:04:05", time.DateTime, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			t.Time = at.UTC()
			return nil
		}
	}
	return nil
}
