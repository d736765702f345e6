package api

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Time is a time that the API writes in UTC with six decimals, such as
// `2026-01-31T12:34:56.123456Z` (decisions.md 1). The zero Time is written as null.
type Time struct{ time.Time }

// At returns t as a Time.
func At(t time.Time) Time { return Time{t} }

// MarshalJSONTo writes the time, or null for the zero Time.
func (t Time) MarshalJSONTo(e *jsontext.Encoder) error {
	if t.IsZero() {
		return e.WriteToken(jsontext.Null)
	}
	return e.WriteValue(append(t.appendText(append(e.AvailableBuffer(), '"')), '"'))
}

// appendText appends the time. It formats the fraction apart, because package time formats
// RFC 3339 in a third of the time of other layouts.
func (t Time) appendText(b []byte) []byte {
	utc := t.UTC()
	b = utc.AppendFormat(b, time.RFC3339)
	return utc.AppendFormat(b[:len(b)-len("Z")], ".000000Z")
}

// MarshalJSON is MarshalJSONTo for encoding/json.
func (t Time) MarshalJSON() ([]byte, error) { return Marshal(t) }

// String returns the time as the API writes it, or "" for the zero Time.
func (t Time) String() string {
	if t.IsZero() {
		return ""
	}
	return string(t.appendText(nil))
}

// UnmarshalJSON reads an RFC 3339 time, which may have a space instead of the T, and may lack a
// zone, which means UTC. Any other text becomes the zero Time without an error, so that a record
// of another server can still be read.
func (t *Time) UnmarshalJSON(b []byte) error {
	t.Time = time.Time{}
	text := unquote(b)
	for _, layout := range [...]string{time.RFC3339Nano, "2006-01-02T15:04:05", time.DateTime, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			if at = at.UTC(); at.Year() >= 0 && at.Year() <= 9999 { // the year may differ in its own zone
				t.Time = at
			}
			return nil
		}
	}
	return nil
}
