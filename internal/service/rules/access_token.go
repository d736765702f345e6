package rules

import (
	"fmt"
	"hash/crc32"
	"strings"
	"time"
	"unicode/utf8"
)

// AccessToken is a long-lived credential of a provider (decisions.md 11). Only the hash of its
// secret is stored. Name, scopes and expiry never change.
type AccessToken struct {
	ID         TokenID
	Provider   ProviderID
	Name       string // unique per provider, ended tokens included
	Scopes     Scopes
	Hash       [32]byte // of the current secret
	Generation int      // number of earlier secrets
	CreatedAt  time.Time
	ExpiresAt  time.Time // zero: never
	LastUsedAt time.Time // to the hour; zero: never
	RevokedAt  time.Time // zero: not revoked
	// SecretEndsAt is the end of the grace period of the previous secret. It is zero if there was
	// none, or if the token was looked up by its current secret.
	SecretEndsAt time.Time
}

// IsLive reports whether the token is neither revoked nor expired.
func (t AccessToken) IsLive(now time.Time) bool {
	return t.RevokedAt.IsZero() && (t.ExpiresAt.IsZero() || now.Before(t.ExpiresAt))
}

// TokenChange is a change of one access token and what is recorded of it.
type TokenChange struct {
	Token AccessToken // as it is afterwards; the store gives a new one its id
	// Event is about the token; its type, TokenCreated, TokenRotated or TokenRevoked, says what is
	// changed, 0 nothing. The store sets ID and AboutToken.
	Event  Event
	Record *RecordEntry // for the operator's record; nil: none
}

// Limits of access tokens (decisions.md 11).
const (
	MaxAccessTokens = 50 // live at once, of one provider
	maxTokenName    = 60 // characters

	DefaultTokenName = "default"      // the name of a provider's first token
	DefaultGrace     = 24 * time.Hour // how long the old secret is accepted after a rotation
)

const accessPrefix = "ativa_" // recognisable by secret scanners

// checksumSize is the length of an access token's checksum in hex digits.
const checksumSize = 8

// NewAccessToken returns a new secret: a prefix, 256 random bits and a checksum, which tells a
// mistyped token from a revoked one.
func NewAccessToken() string {
	body := newSecret()
	return accessPrefix + body + checksum(body)
}

func checksum(body string) string {
	return fmt.Sprintf("%0*x", checksumSize, crc32.ChecksumIEEE([]byte(body)))
}

// isAccessToken reports whether s has the form of an access token and a matching checksum. Every
// token ever issued does.
func isAccessToken(s string) bool {
	body, prefixed := strings.CutPrefix(s, accessPrefix)
	end := len(body) - checksumSize
	return prefixed && end > 0 && checksum(body[:end]) == body[end:]
}

// insufficientScope is the refusal of a token that lacks scopes, which names the first.
func insufficientScope(missing Scopes) *Error {
	return &Error{Code: InsufficientScope, Scope: missing & -missing}
}

// outlives reports whether t ends later than the other token.
func outlives(t, other AccessToken) bool {
	return !other.ExpiresAt.IsZero() && (t.ExpiresAt.IsZero() || t.ExpiresAt.After(other.ExpiresAt))
}

func countLive(all []AccessToken, now time.Time, with Scopes) (live int) {
	for _, t := range all {
		if t.IsLive(now) && t.Scopes.Include(with) {
			live++
		}
	}
	return live
}

// invalidTokenName validates the name of a token. It refuses a name that looks like an id, because
// callers may give either.
func invalidTokenName(name string) *Error {
	switch digits, prefixed := strings.CutPrefix(name, tokenPrefix); {
	case name == "" || utf8.RuneCountInString(name) > maxTokenName:
		return invalid("name", "1 to 60 characters")
	case prefixed && !strings.ContainsFunc(digits, func(r rune) bool { return !('0' <= r && r <= '9' || 'a' <= r && r <= 'z') }):
		return invalid("name", "must not look like the id of a token")
	}
	return invalidText("name", name)
}
