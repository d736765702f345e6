package api

// Token is one of a provider's access tokens (decisions.md 11), without its secret.
// Times that do not apply are zero.
type Token struct {
	ID         string      `json:"id"`
	Name       string      `json:"name"`
	Scopes     List[Scope] `json:"scopes"`
	CreatedAt  Time        `json:"created_at"`
	ExpiresAt  Time        `json:"expires_at"`
	LastUsedAt Time        `json:"last_used_at"` // to the hour
	RevokedAt  Time        `json:"revoked_at"`
}

// TokensResponse contains the access tokens of a provider.
type TokensResponse struct {
	Tokens   List[Token] `json:"tokens"`
	Response string      `json:"response"`
}

// TokenCreate is the body of POST /tokens. By default it gets the scopes of its creator except
// ScopeTokens, the default expiry is the creator's.
type TokenCreate struct {
	Name      string  `json:"name"`
	Scopes    []Scope `json:"scopes,omitempty"`
	ExpiresAt Time    `json:"expires_at,omitzero"`
}

// TokenRotate is the body of POST /tokens/{id}/rotate.
type TokenRotate struct {
	GraceSeconds Int `json:"grace_seconds"` // how long the old secret is accepted
}

// TokenResponse contains an access token and its new secret, if any.
type TokenResponse struct {
	Token       Token  `json:"token"`
	AccessToken string `json:"access_token,omitzero"`
	Response    string `json:"response"`
}
