package provision

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"time"
)

// BearerToken is a short-lived secret that an access token is exchanged for.
// Only its hash is kept.
type BearerToken struct {
	Hash        [32]byte
	AccessToken AccessToken // when it is read: id, provider, scopes and last use
	Generation  int         // of the access token's secret that it was made with
	// ExpiresAt is when it ends by itself or, when it is read, with its access token
	// or that one's secret, whichever comes first.
	ExpiresAt time.Time
}

const bearerPrefix = "atb_"

// bearerLifetime is how long a bearer token is valid (api.md, Authentication),
// unless its access token ends before.
const bearerLifetime = 6 * time.Hour

// Bearer is a new bearer token, for how long it is valid, and whose it is.
type Bearer struct {
	Token       string
	ExpiresIn   time.Duration
	AccessToken AccessToken
}

// Authenticate exchanges an access token for a bearer token, or refuses with
// InvalidAccessToken. Unknown, expired and revoked tokens take the same look-up; a
// token with a wrong checksum is refused without asking the database.
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
	now := m.Now()
	expires := EarliestOf(now.Add(bearerLifetime), t.ExpiresAt, t.SecretEndsAt)
	if !found || !now.Before(expires) {
		return Bearer{}, &Error{Code: InvalidAccessToken, Message: "the access token is not valid"}
	}
	m.noteUse(t.ID, t.LastUsedAt)
	token := bearerPrefix + newSecret()
	err = m.store.SaveBearer(ctx, BearerToken{Hash: hashSecret(token), AccessToken: t, Generation: t.Generation, ExpiresAt: expires})
	return Bearer{Token: token, ExpiresIn: expires.Sub(now), AccessToken: t}, err
}

// EarliestOf returns the earliest of the times that are not zero.
func EarliestOf(times ...time.Time) (first time.Time) {
	for _, t := range times {
		if !t.IsZero() && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	return first
}

// Caller is who sent a request: a provider with one of its access tokens.
type Caller struct {
	Provider ProviderID
	Token    TokenID
	Scopes   Scopes
}

// Identify returns whom a bearer token belongs to, or refuses with TokenMissing,
// TokenInvalid or TokenExpired. A token that was found is believed for a second; one
// that this Manager revokes ends at once.
func (m *Manager) Identify(ctx context.Context, bearer string) (Caller, error) {
	if bearer == "" {
		return Caller{}, &Error{Code: TokenMissing, Message: "a bearer token is needed"}
	}
	b, found, err := m.bearer(ctx, hashSecret(bearer))
	switch {
	case err != nil:
		return Caller{}, err
	case !found:
		return Caller{}, &Error{Code: TokenInvalid, Message: "the bearer token is not valid"}
	case !m.Now().Before(b.ExpiresAt):
		return Caller{}, &Error{Code: TokenExpired, Message: "the bearer token has expired; authenticate again"}
	}
	t := b.AccessToken
	m.noteUse(t.ID, t.LastUsedAt)
	return Caller{t.Provider, t.ID, t.Scopes}, nil
}

// bearer finds a bearer token, in memory or in the database.
func (m *Manager) bearer(ctx context.Context, hash [32]byte) (b BearerToken, found bool, err error) {
	began := m.options.Clock()
	b, generation, known := m.bearers.get(hash, began)
	if known {
		return b, true, nil
	}
	b, found, err = m.store.BearerByHash(ctx, hash)
	if err == nil && found {
		noted := b // the use in this hour is noted once
		noted.AccessToken.LastUsedAt = began.Truncate(time.Hour)
		m.bearers.put(noted, began, generation)
	}
	return b, found, err
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

// Scopes is a set of parts of the API that an access token may use. Every token
// has ScopeRead (decisions.md 11). It is stored as a number.
type Scopes int

// The scopes.
const (
	ScopeRead      Scopes = 1 << iota // every GET of the API, every dry run
	ScopeManage                       // POST and PUT of subscribers, resend
	ScopeProvision                    // activate, change, suspend, overdue, settle
	ScopeImport                       // import, services included
	ScopeCancel                       // deactivate, DELETE
	ScopeTokens                       // the provider's own access tokens

	AllScopes = ScopeRead | ScopeManage | ScopeProvision | ScopeImport | ScopeCancel | ScopeTokens
)

// ScopeNames returns the API's names of all scopes, in its order.
func ScopeNames() []string {
	return []string{"read", "manage", "provision", "import", "cancel", "tokens"}
}

// Names returns the API's names of the scopes, in its order.
func (s Scopes) Names() []string { return namesOf(s, ScopeNames()) }

// namesOf returns the names of the bits of a set.
func namesOf[S ~int | ~uint8](set S, all []string) []string {
	names := []string{}
	for i, name := range all {
		if set&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// setOf is the opposite of namesOf. It is not ok with the first name, perhaps an empty
// one, that is none of all.
func setOf[S ~int | ~uint8](names, all []string) (set S, unknown string, ok bool) {
	for _, name := range names {
		i := slices.Index(all, name)
		if i < 0 {
			return 0, name, false
		}
		set |= 1 << i
	}
	return set, "", true
}

// Include reports whether all of what is needed, which is something, is among s.
func (s Scopes) Include(needed Scopes) bool { return needed != 0 && s&needed == needed }

// ParseScopes returns the named scopes and ScopeRead, or not ok and the first name that
// is not one of a scope.
func ParseScopes(names []string) (all Scopes, unknown string, ok bool) {
	all, unknown, ok = setOf[Scopes](names, ScopeNames())
	return all | ScopeRead, unknown, ok
}
