package cli

import (
	"time"

	"ativa/internal/api"
)

// ExpiryWarning is how long before its end an access token or a certificate is
// worth a warning.
const ExpiryWarning = 14 * 24 * time.Hour

// TokenExpiresSoon reports whether a token ends within ExpiryWarning.
func TokenExpiresSoon(t api.AccessToken, now time.Time) bool {
	return !t.ExpiresAt.IsZero() && t.ExpiresAt.Sub(now) < ExpiryWarning
}

// TokenRemedy says what to do about a token that ends soon.
func TokenRemedy() Message {
	return Msg("ask whoever runs the server for another token, and give it to `ativa login`")
}
