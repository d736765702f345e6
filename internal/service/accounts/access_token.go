package accounts

import (
	"fmt"
	"hash/crc32"
	"strings"
	"time"
	"unicode/utf8"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
)

// Limits of access tokens (decisions.md 11).
const (
	maxAccessTokens = 50 // live at once, of one provider
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
	body := domain.NewSecret()
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
func insufficientScope(missing domain.Scopes) *domain.Error {
	return &domain.Error{Code: domain.InsufficientScope, Scope: missing & -missing}
}

// outlives reports whether t ends later than the other token.
func outlives(t, other domain.AccessToken) bool {
	return !other.ExpiresAt.IsZero() && (t.ExpiresAt.IsZero() || t.ExpiresAt.After(other.ExpiresAt))
}

func countLive(all []domain.AccessToken, now time.Time, with domain.Scopes) (live int) {
	for _, t := range all {
		if t.IsLive(now) && t.Scopes.Include(with) {
			live++
		}
	}
	return live
}

// invalidTokenName validates the name of a token. It refuses a name that looks like an id, because
// callers may give either.
func invalidTokenName(name string) *domain.Error {
	switch digits, prefixed := strings.CutPrefix(name, domain.TokenPrefix); {
	case cpf.IsBlank(name) || utf8.RuneCountInString(name) > maxTokenName:
		return domain.Invalid("name", "1 to 60 characters")
	case prefixed && !strings.ContainsFunc(digits, func(r rune) bool { return !('0' <= r && r <= '9' || 'a' <= r && r <= 'z') }):
		return domain.Invalid("name", "must not look like the id of a token")
	}
	return invalidText("name", name)
}
