package domain

import (
	"slices"
	"time"
)

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

// setOf returns the set of the named bits, and the index of the first unknown name, or -1. It is the
// inverse of namesOf.
func setOf[S ~int | ~uint8](names, all []string) (set S, unknown int) {
	for n, name := range names {
		i := slices.Index(all, name)
		if i < 0 {
			return 0, n
		}
		set |= 1 << i
	}
	return set, -1
}

// Include reports whether s contains all needed scopes. It returns false if needed is empty.
func (s Scopes) Include(needed Scopes) bool { return needed != 0 && s&needed == needed }

// ParseScopes returns the named scopes plus ScopeRead, and the index of the first unknown name, or -1.
func ParseScopes(names []string) (all Scopes, unknown int) {
	all, unknown = setOf[Scopes](names, ScopeNames())
	return all | ScopeRead, unknown
}

// AccessToken is a long-lived credential of a provider (decisions.md 11). Only the hash of its
// secret is stored. Name, scopes and expiry never change.
type AccessToken struct {
	ID         TokenID
	Provider   ProviderID
	Name       string // unique per provider, ended tokens included
	Scopes     Scopes
	Hash       [32]byte // of the current secret
	Generation int      // of the current secret; a rotation adds 1, or 2 if the old secret ended at once
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

// TokenChange is a change of one access token, with its event and record entry.
type TokenChange struct {
	Token AccessToken // as it is afterwards; the store gives a new one its id
	// Event is about the token; its type (TokenCreated, TokenRotated, TokenRevoked, or 0 for none)
	// selects the change. The store sets ID and AboutToken.
	Event  Event
	Record *RecordEntry // for the operator's record; nil: none
}

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

// Caller is the sender of a request: a provider with one of its access tokens.
type Caller struct {
	Provider ProviderID
	Token    TokenID
	Scopes   Scopes
}
