package rules

import (
	"context"
	"fmt"
	"hash/crc32"
	"slices"
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

// CreateToken adds an access token with t's name, scopes and expiry to the provider, for
// the operator, and returns it with its secret, to be shown once. It refuses with NameTaken
// when the provider ever had a token of this name, and with AccessTokenLimit.
func (m *Manager) CreateToken(ctx context.Context, provider string, t AccessToken) (AccessToken, string, error) {
	if err := m.checkNewToken(&t); err != nil {
		return t, "", err
	}
	p, err := m.store.ProviderByName(ctx, provider)
	if err != nil {
		return t, "", err
	}
	return m.addToken(ctx, Call{Provider: p.ID, Actor: ActorOperator}, t)
}

// CreateOwnToken does the same for a provider with one of its tokens, which gives only
// scopes that it has, and no later end than its own (decisions.md 15). Without scopes
// the new token gets those of its maker but ScopeTokens, without an expiry that of its
// maker.
func (m *Manager) CreateOwnToken(ctx context.Context, maker Caller, t AccessToken) (AccessToken, string, error) {
	if err := m.checkNewToken(&t); err != nil {
		return t, "", err
	}
	return m.addToken(ctx, Call{Provider: maker.Provider, Token: maker.Token}, t)
}

func (m *Manager) checkNewToken(t *AccessToken) error {
	t.Name = strings.TrimSpace(t.Name)
	if err := invalidTokenName(t.Name); err != nil {
		return err
	}
	if !t.IsLive(m.Now()) {
		return invalid("expires_at", "is in the past; give a later day, or a time from now such as 90d")
	}
	return nil
}

func (m *Manager) addToken(ctx context.Context, call Call, wanted AccessToken) (t AccessToken, secret string, err error) {
	secret = NewAccessToken()
	err = m.write(ctx, call, func(ctx context.Context, u *unitOfWork) (any, error) {
		all, maker, err := u.accessTokens(ctx)
		if err != nil {
			return nil, err
		}
		t = wanted
		t.Provider, t.Hash, t.CreatedAt = call.Provider, hashSecret(secret), u.now
		if maker != nil {
			if t.Scopes == 0 {
				t.Scopes = maker.Scopes &^ ScopeTokens
			}
			if t.ExpiresAt.IsZero() {
				t.ExpiresAt = maker.ExpiresAt
			}
			if missing := t.Scopes &^ maker.Scopes; missing != 0 {
				return nil, insufficientScope(missing)
			}
			if t.outlives(*maker) {
				return nil, invalid("expires_at", "must not be later than the end of the token that makes it")
			}
		}
		t.Scopes |= ScopeRead
		if slices.ContainsFunc(all, func(have AccessToken) bool { return have.Name == t.Name }) {
			return nil, &Error{Code: NameTaken, Message: "the provider has or had a token of this name; choose another"}
		}
		if countLive(all, u.now, ScopeRead) >= MaxAccessTokens {
			return nil, &Error{Code: AccessTokenLimit, Message: "the provider has as many live tokens as it may have; revoke one that is not used any more"}
		}
		if t.ID, err = u.tx.InsertAccessToken(ctx, t); err != nil {
			return nil, err
		}
		return nil, u.recordToken(ctx, TokenCreated, t, maker)
	})
	return t, secret, err
}

// accessTokens returns all tokens of the provider, and the one that acts; nil for the
// operator. It refuses one that has ended since it was identified.
func (u *unitOfWork) accessTokens(ctx context.Context) (all []AccessToken, acting *AccessToken, err error) {
	all, err = u.tx.AccessTokens(ctx)
	if err != nil || u.actor != ActorProvider {
		return all, nil, err
	}
	i := slices.IndexFunc(all, func(t AccessToken) bool { return t.ID == u.token })
	if i < 0 || !all[i].IsLive(u.now) {
		return nil, nil, &Error{Code: TokenInvalid, Message: "the bearer token is not valid"}
	}
	return all, &all[i], nil
}

// recordToken adds an event about an access token and, when a token of the provider acts,
// an entry to the operator's record. What the operator does is recorded by its command.
func (u *unitOfWork) recordToken(ctx context.Context, t EventType, about AccessToken, acting *AccessToken) error {
	u.recordEvent(t, 0, u.causedBy(tokenTrigger(t))).AboutToken = about.ID
	if acting == nil {
		return nil
	}
	return u.tx.AddRecord(ctx, RecordEntry{At: u.now, User: u.provider.Name + "/" + acting.Name, Command: t.String(), Arguments: about.Name})
}

// tokenTrigger returns the trigger of an event about a token.
func tokenTrigger(t EventType) string {
	switch t {
	case TokenCreated:
		return "create_token"
	case TokenRotated:
		return "rotate_token"
	}
	return "revoke_token"
}

// insufficientScope is the refusal of a token that lacks scopes, which names the first.
func insufficientScope(missing Scopes) *Error {
	return &Error{Code: InsufficientScope, Scope: missing & -missing}
}

// outlives reports whether t ends later than the other token.
func (t AccessToken) outlives(other AccessToken) bool {
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

// changeToken changes the token of the caller's provider that matches by fn, which gets
// all of its tokens, and the one that acts as [unitOfWork.accessTokens] does.
func (m *Manager) changeToken(ctx context.Context, call Call, matches func(AccessToken) bool,
	fn func(ctx context.Context, u *unitOfWork, t *AccessToken, all []AccessToken, acting *AccessToken) error) (t AccessToken, err error) {
	defer m.bearers.forget()
	err = m.write(ctx, call, func(ctx context.Context, u *unitOfWork) (any, error) {
		all, acting, err := u.accessTokens(ctx)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(all, matches)
		if i < 0 {
			return nil, &Error{Code: NotFound, Message: "the provider has no such token", Subject: SubjectToken}
		}
		t = all[i]
		return nil, fn(ctx, u, &t, all, acting)
	})
	return t, err
}

// operatorCall returns the operator's call for a provider, and what matches one of its
// tokens by id or name, both of which it keeps for ever.
func (m *Manager) operatorCall(ctx context.Context, provider, idOrName string) (Call, func(AccessToken) bool, error) {
	p, err := m.store.ProviderByName(ctx, provider)
	return Call{Provider: p.ID, Actor: ActorOperator}, func(t AccessToken) bool {
		return t.ID.String() == idOrName || t.Name == idOrName && t.Name != ""
	}, err
}

func ownCall(by Caller, id string) (Call, func(AccessToken) bool) {
	return Call{Provider: by.Provider, Token: by.Token}, func(t AccessToken) bool { return t.ID.String() == id }
}

// RevokeToken revokes an access token, given by id or name, and the bearer tokens issued for it. A
// token that is already revoked stays as it is.
func (m *Manager) RevokeToken(ctx context.Context, provider, idOrName string) (AccessToken, error) {
	call, matches, err := m.operatorCall(ctx, provider, idOrName)
	if err != nil {
		return AccessToken{}, err
	}
	return m.changeToken(ctx, call, matches, revoke)
}

// RevokeOwnToken does the same for a provider with one of its tokens, perhaps that one. It
// refuses with LastAdminToken to end the last live token with ScopeTokens.
func (m *Manager) RevokeOwnToken(ctx context.Context, by Caller, id string) (AccessToken, error) {
	call, matches := ownCall(by, id)
	return m.changeToken(ctx, call, matches, revoke)
}

func revoke(ctx context.Context, u *unitOfWork, t *AccessToken, all []AccessToken, acting *AccessToken) error {
	if !t.RevokedAt.IsZero() {
		return nil
	}
	administers := t.IsLive(u.now) && t.Scopes.Include(ScopeTokens)
	if acting != nil && administers && countLive(all, u.now, ScopeTokens) == 1 {
		return &Error{Code: LastAdminToken, Message: "it is the last token that may make others; only the operator can revoke it"}
	}
	t.RevokedAt = u.now
	if err := u.tx.RevokeAccessToken(ctx, *t); err != nil {
		return err
	}
	return u.recordToken(ctx, TokenRevoked, *t, acting)
}

// RotateToken gives a live access token, given by id or name, a new secret and returns it, to be
// shown once. The previous secret and its bearer tokens stay valid for the grace period; older
// ones end at once.
func (m *Manager) RotateToken(ctx context.Context, provider, idOrName string, grace time.Duration) (AccessToken, string, error) {
	if grace < 0 {
		return AccessToken{}, "", invalid("grace", "0 or more")
	}
	call, matches, err := m.operatorCall(ctx, provider, idOrName)
	if err != nil {
		return AccessToken{}, "", err
	}
	return m.rotateToken(ctx, call, matches, grace)
}

// RotateOwnToken does the same for a provider with one of its tokens. It refuses a token
// with scopes that this one lacks, or that ends later.
func (m *Manager) RotateOwnToken(ctx context.Context, by Caller, id string, grace time.Duration) (AccessToken, string, error) {
	call, matches := ownCall(by, id)
	return m.rotateToken(ctx, call, matches, grace)
}

func (m *Manager) rotateToken(ctx context.Context, call Call, matches func(AccessToken) bool, grace time.Duration) (AccessToken, string, error) {
	secret := NewAccessToken()
	t, err := m.changeToken(ctx, call, matches, func(ctx context.Context, u *unitOfWork, t *AccessToken, _ []AccessToken, acting *AccessToken) error {
		switch {
		case !t.IsLive(u.now):
			return &Error{Code: AccessTokenEnded, Message: "the token has ended; create another"}
		case acting != nil && t.Scopes&^acting.Scopes != 0:
			return insufficientScope(t.Scopes &^ acting.Scopes)
		case acting != nil && t.outlives(*acting):
			return &Error{Code: InsufficientScope, Message: "the token ends later than the one that rotates it"}
		}
		t.Hash, t.SecretEndsAt = hashSecret(secret), u.now.Add(grace)
		t.Generation++
		if err := u.tx.RotateAccessToken(ctx, *t); err != nil {
			return err
		}
		return u.recordToken(ctx, TokenRotated, *t, acting)
	})
	return t, secret, err
}

// noteUse remembers that a token was used in this hour, unless that is already stored.
// [Manager.RecordTokenUse] writes it later, so that no request waits.
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

// RecordTokenUse writes the last use of tokens, to the hour. After an error it keeps them for the
// next call.
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
