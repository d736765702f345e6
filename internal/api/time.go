package api

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

const timeLayout = "2006-01-02T15:04:05.000000Z"

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
	return e.WriteValue(t.UTC().AppendFormat(e.AvailableBuffer(), `"`+timeLayout+`"`))
}

// MarshalJSON is MarshalJSONTo for encoding/json.
func (t Time) MarshalJSON() ([]byte, error) { return Marshal(t) }

// String returns the time as the API writes it, or "" for the zero Time.
func (t Time) String() string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(timeLayout)
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
