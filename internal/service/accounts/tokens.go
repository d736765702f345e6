package accounts

import (
	"context"
	"slices"
	"strings"
	"time"

	"ativa/internal/service/domain"
)

// TokenStore stores access tokens and the bearer tokens issued for them. It stores secrets only as
// hashes.
type TokenStore interface {
	// ProviderByName returns NotFound when the name does not exist.
	ProviderByName(context.Context, string) (domain.Provider, error)
	// EnableProvider enables or disables a provider.
	EnableProvider(ctx context.Context, p domain.ProviderID, enabled bool) error
	// ChangeToken carries out the change that decide returns and returns the token, in one
	// transaction that locks the provider. decide gets the provider and all its tokens, ended ones
	// included, without hashes. ChangeToken writes nothing if decide returns an error, and may run
	// it again from the start.
	ChangeToken(ctx context.Context, p domain.ProviderID, decide func(domain.Provider, []domain.AccessToken) (domain.TokenChange, error)) (domain.AccessToken, error)
	// AccessTokenByHash finds a token, expired or not, by the hash of its current or its previous
	// secret. For the previous one it sets SecretEndsAt and that secret's generation. It does not
	// find revoked tokens and tokens of disabled providers.
	AccessTokenByHash(context.Context, [32]byte) (t domain.AccessToken, found bool, err error)
	// SetTokensUsed writes the last use of tokens, unless a later one is stored.
	SetTokensUsed(context.Context, map[domain.TokenID]time.Time) error
	SaveBearer(context.Context, domain.BearerToken) error
	// BearerByHash finds a bearer token, expired or not. It finds none whose access token is
	// revoked, whose provider is disabled, or whose secret is neither the current nor the previous
	// one.
	BearerByHash(context.Context, [32]byte) (t domain.BearerToken, found bool, err error)
}

// Tokens issues, rotates and revokes access tokens, and identifies the callers that use them. It
// is safe for concurrent use.
type Tokens struct {
	store    TokenStore
	clock    domain.Clock
	wakeFeed func()

	used unwritten[domain.TokenID, time.Time] // the hour of the last use
}

// NewTokens returns the tokens of a database. wakeFeed is called after a commit that added events
// and must not block; it may be nil.
func NewTokens(store TokenStore, clock domain.Clock, wakeFeed func()) *Tokens {
	if wakeFeed == nil {
		wakeFeed = func() {}
	}
	return &Tokens{store: store, clock: clock, wakeFeed: wakeFeed}
}

// Enable enables or disables a provider. While it is disabled, its access and bearer tokens are
// refused; afterwards they are valid again.
func (t *Tokens) Enable(ctx context.Context, name string, enabled bool) (domain.Provider, error) {
	p, err := t.store.ProviderByName(ctx, name)
	if err != nil {
		return p, err
	}
	if err := t.store.EnableProvider(ctx, p.ID, enabled); err != nil {
		return p, err
	}
	return t.store.ProviderByName(ctx, name)
}

// decideToken decides how a token is changed. acting is the provider's token that acts, nil for
// the operator. It returns event type 0 if nothing is to be changed.
type decideToken func(all []domain.AccessToken, acting *domain.AccessToken, now time.Time) (domain.EventType, domain.AccessToken, error)

// change changes a token of by's provider. by.Token is 0 for the operator. It refuses a token that
// has ended since it was identified.
func (t *Tokens) change(ctx context.Context, by domain.Caller, decide decideToken) (domain.AccessToken, error) {
	var recorded bool
	changed, err := t.store.ChangeToken(ctx, by.Provider, func(p domain.Provider, all []domain.AccessToken) (c domain.TokenChange, err error) {
		now := t.clock.Now()
		var acting *domain.AccessToken
		if by.Token != 0 {
			i := slices.IndexFunc(all, func(t domain.AccessToken) bool { return t.ID == by.Token })
			if i < 0 || !all[i].IsLive(now) {
				return c, &domain.Error{Code: domain.TokenInvalid, Message: "the bearer token is not valid"}
			}
			acting = &all[i]
		}
		c.Event = domain.Event{At: now, Actor: domain.ActorOperator}
		c.Event.Type, c.Token, err = decide(all, acting, now)
		recorded = c.Event.Type != 0
		if err != nil || !recorded {
			return c, err
		}
		c.Event.Trigger = tokenTrigger(c.Event.Type)
		if acting != nil { // a command of the operator records itself
			c.Event.Actor, c.Event.Token = domain.ActorProvider, acting.ID
			c.Record = &domain.RecordEntry{At: now, User: p.Name + "/" + acting.Name, Command: c.Event.Type.String(), Arguments: c.Token.Name}
		}
		return c, nil
	})
	if err == nil && recorded {
		t.wakeFeed()
	}
	return changed, err
}

// tokenTrigger returns the trigger of an event about a token.
func tokenTrigger(t domain.EventType) string {
	switch t {
	case domain.TokenCreated:
		return "create_token"
	case domain.TokenRotated:
		return "rotate_token"
	}
	return "revoke_token"
}

// Operator returns the operator as the caller for a provider, or NotFound.
func (t *Tokens) Operator(ctx context.Context, provider string) (domain.Caller, error) {
	p, err := t.store.ProviderByName(ctx, provider)
	return domain.Caller{Provider: p.ID}, err
}

// findToken returns the token with the id, or NotFound. The operator may also give its name: a
// token keeps both for ever.
func findToken(all []domain.AccessToken, idOrName string, acting *domain.AccessToken) (domain.AccessToken, error) {
	i := slices.IndexFunc(all, func(t domain.AccessToken) bool {
		return t.ID.String() == idOrName || acting == nil && t.Name == idOrName && t.Name != ""
	})
	if i < 0 {
		return domain.AccessToken{}, &domain.Error{Code: domain.NotFound, Message: "the provider has no such token", Subject: domain.SubjectToken}
	}
	return all[i], nil
}

func (t *Tokens) checkNew(a *domain.AccessToken) error {
	a.Name = strings.TrimSpace(a.Name)
	if err := invalidTokenName(a.Name); err != nil {
		return err
	}
	if !a.IsLive(t.clock.Now()) {
		return domain.Invalid("expires_at", "must be in the future")
	}
	return nil
}

// CreateToken adds an access token with wanted's name, scopes and expiry to by's provider and
// returns it with its secret, to be shown once. It refuses with NameTaken when the provider ever
// had a token of this name, and with AccessTokenLimit.
//
// A provider's token gives only scopes that it has, and no later end than its own (decisions.md
// 15). Without scopes, the new token gets its maker's scopes except ScopeTokens; without an expiry,
// its maker's expiry.
func (t *Tokens) CreateToken(ctx context.Context, by domain.Caller, wanted domain.AccessToken) (domain.AccessToken, string, error) {
	if err := t.checkNew(&wanted); err != nil {
		return wanted, "", err
	}
	secret := NewAccessToken()
	wanted.Provider, wanted.Hash = by.Provider, domain.HashSecret(secret)
	added, err := t.change(ctx, by, func(all []domain.AccessToken, maker *domain.AccessToken, now time.Time) (domain.EventType, domain.AccessToken, error) {
		a := wanted
		a.CreatedAt = now
		if maker != nil {
			if err := limitTo(&a, *maker); err != nil {
				return 0, a, err
			}
		}
		a.Scopes |= domain.ScopeRead
		if slices.ContainsFunc(all, func(have domain.AccessToken) bool { return have.Name == a.Name }) {
			return 0, a, &domain.Error{Code: domain.NameTaken, Message: "the provider has or had a token of this name; choose another"}
		}
		if countLive(all, now, domain.ScopeRead) >= maxAccessTokens {
			return 0, a, &domain.Error{Code: domain.AccessTokenLimit, Message: "the provider has as many live tokens as it may have; revoke one that is not used any more"}
		}
		return domain.TokenCreated, a, nil
	})
	return added, secret, err
}

// limitTo sets missing scopes and a missing expiry of a new token to those of its maker, and refuses
// a token that exceeds them.
func limitTo(t *domain.AccessToken, maker domain.AccessToken) error {
	if t.Scopes == 0 {
		t.Scopes = maker.Scopes &^ domain.ScopeTokens
	}
	if t.ExpiresAt.IsZero() {
		t.ExpiresAt = maker.ExpiresAt
	}
	if missing := t.Scopes &^ maker.Scopes; missing != 0 {
		return insufficientScope(missing)
	}
	if outlives(*t, maker) {
		return domain.Invalid("expires_at", "must not be later than the end of the token that makes it")
	}
	return nil
}

// RevokeToken revokes an access token and the bearer tokens issued for it. The operator gives its
// id or name, a provider its id. A token that is already revoked stays as it is. A provider's token
// may revoke itself, but not the last live token with ScopeTokens: that is LastAdminToken.
func (t *Tokens) RevokeToken(ctx context.Context, by domain.Caller, idOrName string) (domain.AccessToken, error) {
	return t.change(ctx, by, func(all []domain.AccessToken, acting *domain.AccessToken, now time.Time) (domain.EventType, domain.AccessToken, error) {
		a, err := findToken(all, idOrName, acting)
		if err != nil || !a.RevokedAt.IsZero() {
			return 0, a, err
		}
		administers := a.IsLive(now) && a.Scopes.Include(domain.ScopeTokens)
		if acting != nil && administers && countLive(all, now, domain.ScopeTokens) == 1 {
			return 0, a, &domain.Error{Code: domain.LastAdminToken, Message: "it is the last token that may make others; only the operator can revoke it"}
		}
		a.RevokedAt = now
		return domain.TokenRevoked, a, nil
	})
}

// RotateToken gives a live access token a new secret and returns it, to be shown once. The
// operator gives the token's id or name, a provider its id. The previous secret and its bearer
// tokens stay valid for the grace period; older ones end at once. A provider's token cannot rotate
// one with scopes that it lacks, or one that ends later.
func (t *Tokens) RotateToken(ctx context.Context, by domain.Caller, idOrName string, grace time.Duration) (domain.AccessToken, string, error) {
	secret := NewAccessToken()
	a, err := t.change(ctx, by, func(all []domain.AccessToken, acting *domain.AccessToken, now time.Time) (domain.EventType, domain.AccessToken, error) {
		a, err := findToken(all, idOrName, acting)
		switch {
		case err != nil:
			return 0, a, err
		case !a.IsLive(now):
			return 0, a, &domain.Error{Code: domain.AccessTokenEnded, Message: "the token has ended; create another"}
		case acting != nil && a.Scopes&^acting.Scopes != 0:
			return 0, a, insufficientScope(a.Scopes &^ acting.Scopes)
		case acting != nil && outlives(a, *acting):
			return 0, a, &domain.Error{Code: domain.InsufficientScope, Message: "the token ends later than the one that rotates it"}
		}
		a.Hash, a.SecretEndsAt = domain.HashSecret(secret), now.Add(grace)
		a.Generation++
		if grace == 0 { // for good, even if the clock is set back
			a.Generation++
		}
		return domain.TokenRotated, a, nil
	})
	return a, secret, err
}

// noteUse remembers that a token was used in this hour, unless that is already stored.
// [Tokens.RecordTokenUse] writes it later, so that no request waits.
func (t *Tokens) noteUse(id domain.TokenID, written time.Time) {
	if hour := t.clock.Now().Truncate(time.Hour); written.Before(hour) {
		t.keepUse(id, hour)
	}
}

func (t *Tokens) keepUse(id domain.TokenID, hour time.Time) {
	t.used.update(func(used map[domain.TokenID]time.Time) {
		if used[id].Before(hour) {
			used[id] = hour
		}
	})
}

// RecordTokenUse writes the last use of tokens, to the hour. After an error it keeps them for the
// next call.
func (t *Tokens) RecordTokenUse(ctx context.Context) error {
	return t.used.write(func(used map[domain.TokenID]time.Time) error { return t.store.SetTokensUsed(ctx, used) }, t.keepUse)
}
