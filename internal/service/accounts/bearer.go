package accounts

import (
	"context"
	"time"

	"ativa/internal/service/domain"
)

const bearerPrefix = "atb_"

// bearerLifetime is how long a bearer token is valid (api.md, Authentication),
// unless its access token ends before.
const bearerLifetime = 6 * time.Hour

// Bearer is a newly issued bearer token, its lifetime, and the access token it was issued for.
type Bearer struct {
	Token       string
	ExpiresIn   time.Duration
	AccessToken domain.AccessToken
}

// Authenticate exchanges an access token for a bearer token. It returns InvalidAccessToken if the
// token is unknown, expired or revoked, all after the same look-up. A token with a wrong checksum
// is refused without a query.
func (t *Tokens) Authenticate(ctx context.Context, accessToken string) (Bearer, error) {
	var a domain.AccessToken
	var found bool
	var err error
	if isAccessToken(accessToken) {
		a, found, err = t.store.AccessTokenByHash(ctx, domain.HashSecret(accessToken))
	}
	if err != nil {
		return Bearer{}, err
	}
	now := t.clock.Now()
	expires := domain.EarliestOf(now.Add(bearerLifetime), a.ExpiresAt, a.SecretEndsAt)
	if !found || !now.Before(expires) {
		return Bearer{}, &domain.Error{Code: domain.InvalidAccessToken, Message: "the access token is not valid"}
	}
	t.noteUse(a.ID, a.LastUsedAt)
	token := bearerPrefix + domain.NewSecret()
	err = t.store.SaveBearer(ctx, domain.BearerToken{Hash: domain.HashSecret(token), AccessToken: a, Generation: a.Generation, ExpiresAt: expires})
	return Bearer{Token: token, ExpiresIn: expires.Sub(now), AccessToken: a}, err
}

// Identify returns the caller that a bearer token belongs to. It returns TokenMissing,
// TokenInvalid or TokenExpired.
func (t *Tokens) Identify(ctx context.Context, bearer string) (domain.Caller, error) {
	if bearer == "" {
		return domain.Caller{}, &domain.Error{Code: domain.TokenMissing, Message: "a bearer token is needed"}
	}
	b, found, err := t.store.BearerByHash(ctx, domain.HashSecret(bearer))
	switch {
	case err != nil:
		return domain.Caller{}, err
	case !found:
		return domain.Caller{}, &domain.Error{Code: domain.TokenInvalid, Message: "the bearer token is not valid"}
	case !t.clock.Now().Before(b.ExpiresAt):
		return domain.Caller{}, &domain.Error{Code: domain.TokenExpired, Message: "the bearer token has expired; authenticate again"}
	}
	a := b.AccessToken
	t.noteUse(a.ID, a.LastUsedAt)
	return domain.Caller{Provider: a.Provider, Token: a.ID, Scopes: a.Scopes}, nil
}
