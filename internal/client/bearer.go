package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"ativa/internal/api"
)

// Bearer is a token and the form of the server that gave it.
type Bearer struct {
	Token string
	// Base is the base URL that answered /authenticate. It is the configured
	// one with or without /api; empty means as configured.
	Base string
}

// TokenSource gives bearer tokens. It is called for every request and by many
// goroutines; its errors reach the caller of the client unchanged.
type TokenSource interface {
	// Bearer is a token that should still be valid.
	Bearer(ctx context.Context) (Bearer, error)
	// Renew is a token other than old, which the server has refused.
	Renew(ctx context.Context, old string) (Bearer, error)
}

// Authorization is a new bearer and how long it lives from now on.
type Authorization struct {
	Bearer
	Lifetime time.Duration
	Raw      json.RawMessage
}

// Authenticate exchanges the access token for a bearer token. When the server
// has no /authenticate, the other form of its URL, with or without /api, is
// tried once.
func (c *Client) Authenticate(ctx context.Context, accessToken string) (Authorization, error) {
	a, err := c.authenticate(ctx, accessToken, c.base)
	if e, ok := errors.AsType[*Error](err); ok && e.Status == http.StatusNotFound {
		other, otherErr := c.authenticate(ctx, accessToken, withOtherPrefix(c.base))
		if e, ok := errors.AsType[*Error](otherErr); ok && e.Status == http.StatusNotFound {
			return Authorization{}, err
		}
		return other, otherErr
	}
	return a, err
}

// withOtherPrefix is the base URL with /api at its end taken away or added.
func withOtherPrefix(base *url.URL) *url.URL {
	other := *base
	path, had := strings.CutSuffix(base.Path, api.Prefix)
	if !had {
		path += api.Prefix
	}
	other.Path, other.RawPath = path, ""
	return &other
}

func (c *Client) authenticate(ctx context.Context, accessToken string, base *url.URL) (Authorization, error) {
	body, err := json.Marshal(api.AuthenticateRequest{AccessToken: accessToken})
	if err != nil {
		return Authorization{}, err
	}
	cl := call{
		method: http.MethodPost, route: api.PathAuthenticate, path: api.PathAuthenticate,
		base: base.String(), body: body, readOnly: true, withoutBearer: true,
	}
	got, err := c.do(ctx, cl)
	if e, ok := errors.AsType[*Error](err); ok && isWrongToken(e.Status) && e.Code != api.CodeInvalidAccessToken {
		// The response to a wrong access token is not shown in api.md, and there
		// is nothing else in the request that could be wrong.
		e.Code, e.Message, e.Problem.Errors = api.CodeInvalidAccessToken, "the access token is not valid", nil
	}
	if err != nil {
		return Authorization{}, err
	}
	var a api.AuthenticateResponse
	if err := decode(cl, got, &a); err != nil {
		return Authorization{}, err
	}
	if a.Authorization.Token == "" {
		return Authorization{}, &UnexpectedResponseError{Route: cl.name(), Err: errors.New("no authorization.token")}
	}
	return Authorization{
		Bearer:   Bearer{Token: a.Authorization.Token, Base: base.String()},
		Lifetime: bearerLifetime(a.Authorization.ExpiresIn),
		Raw:      got.body,
	}, nil
}

func isWrongToken(status int) bool {
	return status == http.StatusBadRequest || status == http.StatusUnauthorized || status == http.StatusUnprocessableEntity
}

// bearerLifetime is what the server says, within reason: a day at most, and the
// usual six hours where it says nothing.
func bearerLifetime(seconds api.Int) time.Duration {
	if seconds <= 0 {
		seconds = api.BearerSeconds
	}
	return time.Duration(min(seconds, 86400)) * time.Second
}
