package api

import (
	"strings"
	"time"
)

// AuthenticateRequest is the body of POST /authenticate.
type AuthenticateRequest struct {
	AccessToken string `json:"access_token"`
}

// Authorization is a bearer token.
type Authorization struct {
	Token     string `json:"token"`         // sent in the Authorization header after "Bearer "
	Type      string `json:"type"`          // TypeBearer
	ExpiresIn Int    `json:"expires_in"`    // the lifetime in seconds
	Name      string `json:"name,omitzero"` // the access token's name; empty from a server without token names
	// Scopes are the scopes of the token. They are empty from a server without scopes, where a token may
	// do everything.
	Scopes               []Scope `json:"scopes,omitempty"`
	AccessTokenExpiresAt Time    `json:"access_token_expires_at"` // when the access token ends; zero if it never does
}

// AccessToken is what the server reports about an access token. It is zero from a server whose
// tokens have no scopes.
type AccessToken struct {
	Name      string      `json:"name"`
	Scopes    List[Scope] `json:"scopes"`
	ExpiresAt Time        `json:"expires_at"` // when the token ends; zero if it never does
}

// ScopeList returns the scopes as one comma-separated string.
func (t AccessToken) ScopeList() string {
	names := make([]string, len(t.Scopes))
	for i, s := range t.Scopes {
		names[i] = string(s)
	}
	return strings.Join(names, ", ")
}

// Bearer is a bearer token with its lifetime, as a client stores it.
type Bearer struct {
	Token string `json:"token"`
	// Base is the base URL whose /authenticate issued the token: the configured one with or
	// without /api. Empty means the configured one.
	Base      string    `json:"base"`
	IssuedAt  time.Time `json:"issued_at"` // when it was requested
	ExpiresAt time.Time `json:"expires_at"`
	// AccessToken is what the server reported about the access token when it issued the bearer
	// token. It is nil if unknown, as in a file of an older version.
	AccessToken *AccessToken `json:"told,omitzero"`
}

// Scope is a part of the API that an access token may use (decisions.md 11).
type Scope string

// The scopes. Every token has ScopeRead, which also covers dry runs.
const (
	ScopeRead      Scope = "read"
	ScopeManage    Scope = "manage"
	ScopeProvision Scope = "provision"
	ScopeImport    Scope = "import"
	ScopeCancel    Scope = "cancel"
	ScopeTokens    Scope = "tokens"
)

// Scopes returns all scopes, in the order in which they are shown.
func Scopes() []Scope {
	return []Scope{ScopeRead, ScopeManage, ScopeProvision, ScopeImport, ScopeCancel, ScopeTokens}
}

// AuthenticateResponse is the response of POST /authenticate.
type AuthenticateResponse struct {
	Authorization Authorization `json:"authorization"`
	Response      string        `json:"response"`
}

// TypeBearer is the Type of every Authorization.
const TypeBearer = "bearer"
