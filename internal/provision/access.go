package provision

import (
	"context"
	"fmt"
	"hash/crc32"
	"slices"
	"time"
)

// AccessToken is a provider's long-lived secret, of which only the hash is kept.
type AccessToken struct {
	ID        int64
	Provider  ProviderID
	Hash      [32]byte
	CreatedAt time.Time
	RevokedAt time.Time // zero: valid
}

// BearerToken is what an access token is exchanged for; only its hash is kept.
type BearerToken struct {
	Hash        [32]byte
	AccessToken int64
	Provider    ProviderID
	ExpiresAt   time.Time
}

const (
	accessPrefix = "ativa_" // recognisable by secret scanners
	bearerPrefix = "atb_"
)

// NewAccessToken returns a fresh access token: a prefix, 256 random bits and a
// checksum that tells a mistyped token from a revoked one.
func NewAccessToken() string {
	body := newSecret()
	return accessPrefix + body + checksum(body)
}

func checksum(body string) string {
	return fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(body)))
}

// bearerLife is how long a bearer token is valid (api.md, Authentication).
const bearerLife = 6 * time.Hour

// Bearer is what an access token was exchanged for.
type Bearer struct {
	Token     string
	ExpiresIn time.Duration
}

// Authenticate exchanges an access token for a bearer token. A wrong token is
// refused with InvalidAccessToken, whether unknown, revoked or malformed; all
// take the same look-up.
func (m *Manager) Authenticate(ctx context.Context, accessToken string) (Bearer, error) {
	t, found, err := m.store.AccessTokenByHash(ctx, hashSecret(accessToken))
	if err != nil {
		return Bearer{}, err
	}
	if !found {
		return Bearer{}, &Error{Code: InvalidAccessToken, Message: "the access token is not valid"}
	}
	token := bearerPrefix + newSecret()
	err = m.store.SaveBearer(ctx, BearerToken{
		Hash: hashSecret(token), AccessToken: t.ID, Provider: t.Provider, ExpiresAt: m.now().Add(bearerLife),
	})
	return Bearer{Token: token, ExpiresIn: bearerLife}, err
}

// Identify returns the provider a bearer token belongs to, or refuses with
// TokenMissing, TokenInvalid or TokenExpired.
func (m *Manager) Identify(ctx context.Context, bearer string) (ProviderID, error) {
	if bearer == "" {
		return 0, &Error{Code: TokenMissing, Message: "a bearer token is needed"}
	}
	t, found, err := m.store.BearerByHash(ctx, hashSecret(bearer))
	switch {
	case err != nil:
		return 0, err
	case !found:
		return 0, &Error{Code: TokenInvalid, Message: "the bearer token is not valid"}
	case !m.now().Before(t.ExpiresAt):
		return 0, &Error{Code: TokenExpired, Message: "the bearer token has expired; authenticate again"}
	}
	return t.Provider, nil
}

func (m *Manager) addToken(ctx context.Context, p ProviderID) (AccessToken, string, error) {
	secret := NewAccessToken()
	t, err := m.store.AddAccessToken(ctx, AccessToken{Provider: p, Hash: hashSecret(secret), CreatedAt: m.now()})
	return t, secret, err
}

// RotateToken gives the provider a second access token; of three, the oldest
// ends (two are valid at once, decisions.md 8).
func (m *Manager) RotateToken(ctx context.Context, name string) (AccessToken, string, error) {
	p, err := m.store.ProviderByName(ctx, name)
	if err != nil {
		return AccessToken{}, "", err
	}
	tokens, err := m.store.AccessTokens(ctx, p.ID)
	if err != nil {
		return AccessToken{}, "", err
	}
	valid := slices.DeleteFunc(tokens, func(t AccessToken) bool { return !t.RevokedAt.IsZero() })
	slices.SortFunc(valid, func(a, b AccessToken) int { return a.CreatedAt.Compare(b.CreatedAt) })
	for len(valid) >= 2 {
		if err := m.store.RevokeAccessToken(ctx, p.ID, valid[0].ID, m.now()); err != nil {
			return AccessToken{}, "", err
		}
		valid = valid[1:]
	}
	return m.addToken(ctx, p.ID)
}

// AccessTokens lists the provider's tokens, revoked ones included.
func (m *Manager) AccessTokens(ctx context.Context, name string) ([]AccessToken, error) {
	p, err := m.store.ProviderByName(ctx, name)
	if err != nil {
		return nil, err
	}
	return m.store.AccessTokens(ctx, p.ID)
}

// RevokeToken ends an access token and the bearer tokens made from it.
func (m *Manager) RevokeToken(ctx context.Context, name string, id int64) error {
	p, err := m.store.ProviderByName(ctx, name)
	if err != nil {
		return err
	}
	return m.store.RevokeAccessToken(ctx, p.ID, id, m.now())
}
