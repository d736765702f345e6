package rules

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"time"
)

// BearerToken is a short-lived token that is issued in exchange for an access token. Only its hash
// is stored.
type BearerToken struct {
	Hash        [32]byte
	AccessToken AccessToken // on reads: only ID, Provider, Scopes and LastUsedAt are set
	Generation  int         // generation of the access token's secret it was issued for
	// ExpiresAt is when the token expires. On reads it is the earliest of its own expiry, the
	// access token's expiry and the end of the secret's grace period.
	ExpiresAt time.Time
}

const bearerPrefix = "atb_"

// bearerLifetime is how long a bearer token is valid (api.md, Authentication),
// unless its access token ends before.
const bearerLifetime = 6 * time.Hour

// Bearer is a newly issued bearer token, its lifetime, and the access token it was issued for.
type Bearer struct {
	Token       string
	ExpiresIn   time.Duration
	AccessToken AccessToken
}

// Authenticate exchanges an access token for a bearer token. It returns InvalidAccessToken if the
// token is unknown, expired or revoked, all after the same look-up. A token with a wrong checksum
// is refused without a query.
func (t *Tokens) Authenticate(ctx context.Context, accessToken string) (Bearer, error) {
	var a AccessToken
	var found bool
	var err error
	if isAccessToken(accessToken) {
		a, found, err = t.store.AccessTokenByHash(ctx, hashSecret(accessToken))
	}
	if err != nil {
		return Bearer{}, err
	}
	now := t.clock.Now()
	expires := EarliestOf(now.Add(bearerLifetime), a.ExpiresAt, a.SecretEndsAt)
	if !found || !now.Before(expires) {
		return Bearer{}, &Error{Code: InvalidAccessToken, Message: "the access token is not valid"}
	}
	t.noteUse(a.ID, a.LastUsedAt)
	token := bearerPrefix + newSecret()
	err = t.store.SaveBearer(ctx, BearerToken{Hash: hashSecret(token), AccessToken: a, Generation: a.Generation, ExpiresAt: expires})
	return Bearer{Token: token, ExpiresIn: expires.Sub(now), AccessToken: a}, err
}

// EarliestOf returns the earliest non-zero time, or the zero time if there is none.
func EarliestOf(times ...time.Time) (first time.Time) {
	for _, t := range times {
		if !t.IsZero() && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	return first
}

// Caller is the sender of a request: a provider with one of its access tokens.
type Caller struct {
	Provider ProviderID
	Token    TokenID
	Scopes   Scopes
}

// Identify returns the caller that a bearer token belongs to. It returns TokenMissing,
// TokenInvalid or TokenExpired. A token that was found is cached for one second; revoking it
// through these Tokens takes effect at once.
func (t *Tokens) Identify(ctx context.Context, bearer string) (Caller, error) {
	if bearer == "" {
		return Caller{}, &Error{Code: TokenMissing, Message: "a bearer token is needed"}
	}
	b, found, err := t.bearer(ctx, hashSecret(bearer))
	switch {
	case err != nil:
		return Caller{}, err
	case !found:
		return Caller{}, &Error{Code: TokenInvalid, Message: "the bearer token is not valid"}
	case !t.clock.Now().Before(b.ExpiresAt):
		return Caller{}, &Error{Code: TokenExpired, Message: "the bearer token has expired; authenticate again"}
	}
	a := b.AccessToken
	t.noteUse(a.ID, a.LastUsedAt)
	return Caller{a.Provider, a.ID, a.Scopes}, nil
}

// bearer looks up a bearer token, in the cache first.
func (t *Tokens) bearer(ctx context.Context, hash [32]byte) (b BearerToken, found bool, err error) {
	began := t.clock() // with its monotonic part, see bearerCache
	b, generation, known := t.bearers.get(hash, began)
	if known {
		return b, true, nil
	}
	b, found, err = t.store.BearerByHash(ctx, hash)
	if err == nil && found {
		noted := b // so that the use is noted once an hour
		noted.AccessToken.LastUsedAt = began.Truncate(time.Hour)
		t.bearers.put(noted, began, generation)
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

// Scopes is a bit set of the parts of the API that an access token may use. Every token has
// ScopeRead (decisions.md 11). The database stores it as a number.
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

// ScopeNames returns the API names of all scopes, in bit order.
func ScopeNames() []string {
	return []string{"read", "manage", "provision", "import", "cancel", "tokens"}
}

// Names returns the API names of the scopes in s, in bit order.
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

// setOf returns the set of the named bits. It is the inverse of namesOf. If a name is unknown, ok
// is false and unknown is the first such name, which may be empty.
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

// Include reports whether s contains all needed scopes. It returns false if needed is empty.
func (s Scopes) Include(needed Scopes) bool { return needed != 0 && s&needed == needed }

// ParseScopes returns the named scopes plus ScopeRead. If a name is unknown, ok is false and
// unknown is the first such name.
func ParseScopes(names []string) (all Scopes, unknown string, ok bool) {
	all, unknown, ok = setOf[Scopes](names, ScopeNames())
	return all | ScopeRead, unknown, ok
}
