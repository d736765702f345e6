package provision

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"hash/crc32"
	"time"
)

const (
	accessPrefix = "ativa_" // recognisable by secret scanners
	bearerPrefix = "atb_"
)

// NewAccessToken returns a fresh access token: a prefix, 256 random bits and a
// checksum that tells a mistyped token from a revoked one.
func NewAccessToken() string {
	var b [32]byte
	rand.Read(b[:]) // never fails
	body := base64.RawURLEncoding.EncodeToString(b[:])
	return accessPrefix + body + checksum(body)
}

func checksum(body string) string {
	return fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(body)))
}

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
		Hash: hashSecret(token), AccessToken: t.ID, Provider: t.Provider, ExpiresAt: m.now().Add(m.o.BearerLife),
	})
	return Bearer{Token: token, ExpiresIn: m.o.BearerLife}, err
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
