package provision

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"hash/crc32"
	"strings"
	"time"
)

// AccessToken is a long-lived secret of a provider. Only its hash is kept.
type AccessToken struct {
	ID        TokenID
	Provider  ProviderID
	Name      string // unique among all that the provider ever had; "": from an older version
	Hash      [32]byte
	CreatedAt time.Time
	RevokedAt time.Time // zero: valid
}

// BearerToken is a short-lived secret that an access token is exchanged for.
// Only its hash is kept.
type BearerToken struct {
	Hash        [32]byte
	AccessToken TokenID
	Provider    ProviderID
	ExpiresAt   time.Time
}

const (
	accessPrefix = "ativa_" // recognisable by secret scanners
	bearerPrefix = "atb_"
)

// checksumSize is how many characters the checksum of an access token has.
const checksumSize = 8

// NewAccessToken returns a new access token: a prefix, 256 random bits and a
// checksum that distinguishes a mistyped token from a revoked one.
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

// bearerLifetime is how long a bearer token is valid (api.md, Authentication).
const bearerLifetime = 6 * time.Hour

// Bearer is a new bearer token and for how long it is valid.
type Bearer struct {
	Token     string
	ExpiresIn time.Duration
}

// Authenticate exchanges an access token for a bearer token, or refuses with
// InvalidAccessToken. Unknown and revoked tokens take the same look-up; a token
// with a wrong checksum is refused without asking the database.
func (m *Manager) Authenticate(ctx context.Context, accessToken string) (Bearer, error) {
	var t AccessToken
	var found bool
	var err error
	if isAccessToken(accessToken) {
		t, found, err = m.store.AccessTokenByHash(ctx, hashSecret(accessToken))
	}
	if err != nil {
		return Bearer{}, err
	}
	if !found {
		return Bearer{}, &Error{Code: InvalidAccessToken, Message: "the access token is not valid"}
	}
	token := bearerPrefix + newSecret()
	err = m.store.SaveBearer(ctx, BearerToken{
		Hash: hashSecret(token), AccessToken: t.ID, Provider: t.Provider, ExpiresAt: m.Now().Add(bearerLifetime),
	})
	return Bearer{Token: token, ExpiresIn: bearerLifetime}, err
}

// Caller is who sent a request: a provider with one of its access tokens.
type Caller struct {
	Provider ProviderID
	Token    TokenID
}

// Identify returns whom a bearer token belongs to, or refuses with TokenMissing,
// TokenInvalid or TokenExpired.
func (m *Manager) Identify(ctx context.Context, bearer string) (Caller, error) {
	if bearer == "" {
		return Caller{}, &Error{Code: TokenMissing, Message: "a bearer token is needed"}
	}
	t, found, err := m.store.BearerByHash(ctx, hashSecret(bearer))
	switch {
	case err != nil:
		return Caller{}, err
	case !found:
		return Caller{}, &Error{Code: TokenInvalid, Message: "the bearer token is not valid"}
	case !m.Now().Before(t.ExpiresAt):
		return Caller{}, &Error{Code: TokenExpired, Message: "the bearer token has expired; authenticate again"}
	}
	return Caller{t.Provider, t.AccessToken}, nil
}

// maxValidTokens is how many access tokens of a provider are valid at once, so
// that they can be rotated (decisions.md 8).
const maxValidTokens = 2

// issueToken adds an access token and returns it with its secret.
func (m *Manager) issueToken(ctx context.Context, p ProviderID, name string) (AccessToken, string, error) {
	secret := NewAccessToken()
	t, err := m.store.AddAccessToken(ctx, AccessToken{Provider: p, Name: name, Hash: hashSecret(secret), CreatedAt: m.Now()}, maxValidTokens)
	return t, secret, err
}

// RotateToken issues another access token and returns it with its secret. In the
// same transaction it revokes all but the provider's two newest.
func (m *Manager) RotateToken(ctx context.Context, name string) (AccessToken, string, error) {
	p, err := m.store.ProviderByName(ctx, name)
	if err != nil {
		return AccessToken{}, "", err
	}
	return m.issueToken(ctx, p.ID, "")
}

// AccessTokens returns the valid access tokens of the providers, oldest first.
func (m *Manager) AccessTokens(ctx context.Context, providers ...Provider) (map[ProviderID][]AccessToken, error) {
	ids := make([]ProviderID, len(providers))
	for i, p := range providers {
		ids[i] = p.ID
	}
	all, err := m.store.AccessTokens(ctx, ids)
	valid := make(map[ProviderID][]AccessToken, len(providers))
	for _, t := range all {
		if t.RevokedAt.IsZero() {
			valid[t.Provider] = append(valid[t.Provider], t)
		}
	}
	return valid, err
}

// RevokeToken revokes an access token and the bearer tokens made from it.
func (m *Manager) RevokeToken(ctx context.Context, name string, id TokenID) error {
	p, err := m.store.ProviderByName(ctx, name)
	if err != nil {
		return err
	}
	return m.store.RevokeAccessToken(ctx, p.ID, id, m.Now())
}

// Secret returns the Standard Webhooks form of a signing secret, "whsec_…".
func Secret(b []byte) string { return "whsec_" + base64.StdEncoding.EncodeToString(b) }

func randomBytes(n int) []byte {
	b := make([]byte, n)
	rand.Read(b) // never fails
	return b
}

// newSecret returns 256 random bits as 43 characters.
func newSecret() string {
	return base64.RawURLEncoding.EncodeToString(randomBytes(32))
}

func hashSecret(s string) [32]byte { return sha256.Sum256([]byte(s)) }
