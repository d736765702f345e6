package provision

import (
	"context"
	"fmt"
	"hash/crc32"
	"strings"
	"time"
	"unicode/utf8"
)

// AccessToken is a long-lived credential of a provider (decisions.md 11). Of its
// secret only the hash is kept. Name, scopes and expiry never change.
type AccessToken struct {
	ID         TokenID
	Provider   ProviderID
	Name       string // unique among all that the provider ever had
	Scopes     Scopes
	Hash       [32]byte // of the secret in use
	Generation int      // how many secrets came before
	CreatedAt  time.Time
	ExpiresAt  time.Time // zero: never
	LastUsedAt time.Time // to the hour; zero: never
	RevokedAt  time.Time // zero: not revoked
	// SecretEndsAt is until when the secret before the one in use is accepted, and zero
	// where there was none, or where the token was found by the secret in use.
	SecretEndsAt time.Time
}

// IsLive reports whether the token is neither revoked nor expired.
func (t AccessToken) IsLive(now time.Time) bool {
	return t.RevokedAt.IsZero() && (t.ExpiresAt.IsZero() || now.Before(t.ExpiresAt))
}

// Limits of access tokens (decisions.md 11).
const (
	MaxAccessTokens = 50 // live at once, of one provider
	maxTokenName    = 60 // characters

	DefaultTokenName = "default"      // the name of a provider's first token
	DefaultGrace     = 24 * time.Hour // how long the old secret is accepted after a rotation
)

const accessPrefix = "ativa_" // recognisable by secret scanners

// checksumSize is how many characters the checksum of an access token has.
const checksumSize = 8

// NewAccessToken returns the secret of an access token: a prefix, 256 random bits
// and a checksum that distinguishes a mistyped one from a revoked one.
func NewAccessToken() string {
	body := newSecret()
	return accessPrefix + body + checksum(body)
}

func checksum(body string) string {
	return fmt.Sprintf("%0*x", checksumSize, crc32.ChecksumIEEE([]byte(body)))
}

// isAccessToken reports whether s has the form of an access token and the right
// checksum, as every token has that was ever issued.
func isAccessToken(s string) bool {
	body, prefixed := strings.CutPrefix(s, accessPrefix)
	end := len(body) - checksumSize
	return prefixed && end > 0 && checksum(body[:end]) == body[end:]
}

// CreateToken adds an access token with t's name, scopes and expiry to the provider
// and returns it with its secret, to be shown once. It refuses with NameTaken when
// the provider ever had a token of this name, and with AccessTokenLimit.
func (m *Manager) CreateToken(ctx context.Context, provider string, t AccessToken) (AccessToken, string, error) {
	t.Name, t.Scopes, t.CreatedAt = strings.TrimSpace(t.Name), t.Scopes|ScopeRead, m.Now()
	if err := firstInvalid(invalidTokenName(t.Name)); err != nil {
		return t, "", err
	}
	if !t.IsLive(t.CreatedAt) {
		return t, "", invalid("expires", "is in the past; give a later day, or a time from now such as 90d")
	}
	p, err := m.store.ProviderByName(ctx, provider)
	if err != nil {
		return t, "", err
	}
	secret := NewAccessToken()
	t.Provider, t.Hash = p.ID, hashSecret(secret)
	t, err = m.store.AddAccessToken(ctx, t, MaxAccessTokens)
	switch {
	case isCode(err, NameTaken):
		err = &Error{Code: NameTaken, Message: "the provider has or had a token of this name; choose another"}
	case isCode(err, AccessTokenLimit):
		err = &Error{Code: AccessTokenLimit, Message: "the provider has as many live tokens as it may have; revoke one that is not used any more"}
	}
	return t, secret, err
}

// invalidTokenName says what is wrong with a name. One that looks like an id would
// be taken for it where either is accepted.
func invalidTokenName(name string) *Error {
	switch digits, prefixed := strings.CutPrefix(name, tokenPrefix); {
	case name == "" || utf8.RuneCountInString(name) > maxTokenName:
		return invalid("name", "1 to 60 characters")
	case prefixed && !strings.ContainsFunc(digits, func(r rune) bool { return !('0' <= r && r <= '9' || 'a' <= r && r <= 'z') }):
		return invalid("name", "must not look like the id of a token")
	}
	return invalidText("name", name)
}

// accessToken finds a token, which keeps its id and its name for ever.
func (m *Manager) accessToken(ctx context.Context, provider, idOrName string) (AccessToken, error) {
	p, err := m.store.ProviderByName(ctx, provider)
	if err != nil {
		return AccessToken{}, err
	}
	all, err := m.store.AccessTokens(ctx, []ProviderID{p.ID})
	matches := func(t AccessToken) bool { return t.ID.String() == idOrName || t.Name == idOrName && t.Name != "" }
	return findOne(all, err, matches, &Error{Code: NotFound, Message: "the provider has no such token", Subject: SubjectToken})
}

// RevokeToken ends an access token, named by id or name, and the bearer tokens made
// from it. One that is revoked already stays as it is.
func (m *Manager) RevokeToken(ctx context.Context, provider, idOrName string) (AccessToken, error) {
	t, err := m.accessToken(ctx, provider, idOrName)
	if err != nil {
		return t, err
	}
	defer m.bearers.forget()
	return m.store.UpdateAccessToken(ctx, t.ID, func(t *AccessToken) error {
		if t.RevokedAt.IsZero() {
			t.RevokedAt = m.Now()
		}
		return nil
	})
}

// RotateToken gives a live access token, named by id or name, a new secret, to be
// shown once. The one that was in use, and the bearer tokens made with it, are
// accepted until the grace has passed; those before it end at once.
func (m *Manager) RotateToken(ctx context.Context, provider, idOrName string, grace time.Duration) (AccessToken, string, error) {
	if grace < 0 {
		return AccessToken{}, "", invalid("grace", "0 or more")
	}
	t, err := m.accessToken(ctx, provider, idOrName)
	if err != nil {
		return t, "", err
	}
	now, secret := m.Now(), NewAccessToken()
	defer m.bearers.forget()
	t, err = m.store.UpdateAccessToken(ctx, t.ID, func(t *AccessToken) error {
		if !t.IsLive(now) {
			return &Error{Code: AccessTokenEnded, Message: "the token has ended; create another"}
		}
		t.Hash, t.SecretEndsAt = hashSecret(secret), now.Add(grace)
		return nil
	})
	return t, secret, err
}

// noteUse remembers that a token was used in this hour, unless that is written
// already. [Manager.RecordTokenUse] writes it: no request waits for that.
func (m *Manager) noteUse(id TokenID, written time.Time) {
	if hour := m.Now().Truncate(time.Hour); written.Before(hour) {
		m.keepUse(id, hour)
	}
}

func (m *Manager) keepUse(id TokenID, hour time.Time) {
	m.used.Lock()
	defer m.used.Unlock()
	if m.used.tokens == nil {
		m.used.tokens = map[TokenID]time.Time{}
	}
	if m.used.tokens[id].Before(hour) {
		m.used.tokens[id] = hour
	}
}

// RecordTokenUse writes when tokens were last used, to the hour. What could not be
// written is tried again the next time.
func (m *Manager) RecordTokenUse(ctx context.Context) error {
	m.used.Lock()
	tokens := m.used.tokens
	m.used.tokens = nil
	m.used.Unlock()
	if len(tokens) == 0 {
		return nil
	}
	err := m.store.SetTokensUsed(ctx, tokens)
	if err != nil {
		for id, hour := range tokens {
			m.keepUse(id, hour)
		}
	}
	return err
}
