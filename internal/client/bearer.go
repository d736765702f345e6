package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"ativa/internal/api"
)

// TokenSource returns bearer tokens. The client calls it for every request, concurrently, and
// returns its errors unchanged.
type TokenSource interface {
	// Bearer returns a token that should still be valid.
	Bearer(ctx context.Context) (api.Bearer, error)
	// Renew returns a token other than old, which the server has refused.
	Renew(ctx context.Context, old string) (api.Bearer, error)
}

// Authenticate exchanges the access token for a bearer token. If the server has
// no /authenticate, it tries the base URL with or without /api once.
func (c *Client) Authenticate(ctx context.Context, accessToken string) (api.Bearer, error) {
	a, err := c.authenticate(ctx, accessToken, c.base)
	if e, ok := errors.AsType[*Error](err); ok && e.Status == http.StatusNotFound {
		other, otherErr := c.authenticate(ctx, accessToken, withOtherPrefix(c.base))
		if e, ok := errors.AsType[*Error](otherErr); ok && e.Status == http.StatusNotFound {
			return api.Bearer{}, err
		}
		return other, otherErr
	}
	return a, err
}

// withOtherPrefix removes /api from the end of the base URL, or adds it.
func withOtherPrefix(base *url.URL) *url.URL {
	other := *base
	path, had := strings.CutSuffix(base.Path, api.Prefix)
	if !had {
		path += api.Prefix
	}
	other.Path, other.RawPath = path, ""
	return &other
}

func (c *Client) authenticate(ctx context.Context, accessToken string, base *url.URL) (api.Bearer, error) {
	body, err := json.Marshal(api.AuthenticateRequest{AccessToken: accessToken})
	if err != nil {
		return api.Bearer{}, err
	}
	cl := call{
		method: http.MethodPost, route: api.PathAuthenticate, path: api.PathAuthenticate,
		base: base.String(), body: body, readOnly: true, withoutBearer: true,
	}
	wrongToken := []int{http.StatusBadRequest, http.StatusUnauthorized, http.StatusUnprocessableEntity}
	start := time.Now()
	got, err := c.do(ctx, cl)
	if e, ok := errors.AsType[*Error](err); ok && slices.Contains(wrongToken, e.Status) && !e.isForeign() && e.Code != api.CodeInvalidAccessToken {
		// api.md does not describe the response to a wrong access token, and
		// nothing else in the request can be wrong.
		e.Code, e.Message, e.Problem.Errors = api.CodeInvalidAccessToken, "the access token is not valid", nil
	}
	if err != nil {
		return api.Bearer{}, err
	}
	var a struct {
		Authorization authorization `json:"authorization"`
	}
	if err := decode(cl, got, &a); err != nil {
		return api.Bearer{}, err
	}
	if a.Authorization.Token == "" {
		return api.Bearer{}, &UnexpectedResponseError{Route: cl.name(), Err: constError("no authorization.token")}
	}
	return api.Bearer{
		Token: a.Authorization.Token, Base: base.String(), AccessToken: a.Authorization.accessToken(),
		IssuedAt: start, ExpiresAt: start.Add(bearerLifetime(a.Authorization.ExpiresIn)),
	}, nil
}

// authorization is an [api.Authorization] whose extensions another server may use for something
// else.
type authorization struct {
	Token     string          `json:"token"`
	ExpiresIn api.Int         `json:"expires_in"`
	Name      json.RawMessage `json:"name"`
	Scopes    json.RawMessage `json:"scopes"`
	ExpiresAt api.Time        `json:"access_token_expires_at"`
}

// accessToken returns the description of the access token, which is zero without scopes.
func (a authorization) accessToken() *api.AccessToken {
	t := &api.AccessToken{ExpiresAt: a.ExpiresAt}
	if json.Unmarshal(a.Scopes, &t.Scopes) != nil || len(t.Scopes) == 0 {
		return &api.AccessToken{}
	}
	_ = json.Unmarshal(a.Name, &t.Name) // a name is for people only
	return t
}

// AccessToken returns the server's description of the access token in use. It asks the server only
// if the token source does not know.
func (c *Client) AccessToken(ctx context.Context) (api.AccessToken, error) {
	if c.tokens == nil {
		return api.AccessToken{}, nil
	}
	b, err := c.tokens.Bearer(ctx)
	if err == nil && b.AccessToken == nil {
		b, err = c.tokens.Renew(ctx, b.Token)
	}
	if err != nil || b.AccessToken == nil {
		return api.AccessToken{}, err
	}
	return *b.AccessToken, nil
}

// bearerLifetime returns the lifetime that the server states, at most a day, or the usual six hours
// if it states none.
func bearerLifetime(seconds api.Int) time.Duration {
	if seconds <= 0 {
		seconds = api.BearerSeconds
	}
	return time.Duration(min(seconds, 86400)) * time.Second
}
