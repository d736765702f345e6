package cli

import (
	"time"

	"ativa/internal/api"
)

// ExpiryWarning is how long before its end an access token or a certificate is
// worth a warning.
const ExpiryWarning = 14 * 24 * time.Hour

// TokenMessage says the name of an access token, what it may do and when it ends.
// It is empty for one of a server without scopes.
func TokenMessage(t api.AccessToken) Message {
	switch {
	case len(t.Scopes) == 0:
		return Message{}
	case t.ExpiresAt.IsZero():
		return Msg("token %s, which may %s and does not expire", t.Name, t.ScopeList())
	}
	return Msg("token %s, which may %s and expires on %s", t.Name, t.ScopeList(), t.ExpiresAt.Local().Format(time.DateTime))
}

// TokenExpiresSoon reports whether a token ends within ExpiryWarning.
func TokenExpiresSoon(t api.AccessToken, now time.Time) bool {
	return !t.ExpiresAt.IsZero() && t.ExpiresAt.Sub(now) < ExpiryWarning
}

// TokenRemedy says what to do about a token that ends soon.
func TokenRemedy() Message {
	return Msg("ask whoever runs the server for another token, and give it to `ativa login`")
}
