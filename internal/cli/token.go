package cli

import (
	"time"

	"ativa/internal/api"
)

// ExpiryWarning is how long before its expiry an access token or a certificate causes a warning.
const ExpiryWarning = 14 * 24 * time.Hour

// TokenExpiresSoon reports whether a token expires within ExpiryWarning.
func TokenExpiresSoon(t api.AccessToken, now time.Time) bool {
	return !t.ExpiresAt.IsZero() && t.ExpiresAt.Sub(now) < ExpiryWarning
}

// ParseExpiry reads the end of a token: a time from now, or the last moment of a day
// in UTC.
func ParseExpiry(text string, now time.Time) (time.Time, error) {
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day.AddDate(0, 0, 1).Add(-time.Microsecond), nil
	}
	span, err := ParseSpan(text)
	if err != nil {
		return time.Time{}, Usage("%q is not the end of a token", text).WithHint("a time such as 30s, 12h or 90d, or a day such as 2027-01-31")
	}
	return now.Add(span), nil
}

// ParseGrace reads for how long the old secret of a token is accepted.
func ParseGrace(text string) (time.Duration, error) {
	span, err := ParseSpan(text)
	if err != nil || span < 0 {
		return 0, Usage("%q is not a time for which the old secret is accepted", text).WithHint("such as 0, 30m, 12h or 2d")
	}
	return span, nil
}

// TokenRemedy says what to do about a token that expires soon.
func TokenRemedy() Message {
	return Msg("ask whoever runs the server for another token, and give it to `ativa login`")
}
