package client

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"ativa/internal/api"
)

// ListTokens returns the provider's live access tokens, or all. This and the other token methods
// need the extension ExtTokens.
func (c *Client) ListTokens(ctx context.Context, all bool) ([]Item[api.Token], error) {
	cl := get(api.PathTokens)
	if all {
		cl.query.Set(api.ParamAll, "true")
	}
	return getList[api.Token](ctx, c, cl, "tokens")
}

// CreateToken makes an access token and returns its secret. It has no idempotency key,
// because no server stores the secret: a request without an answer is not repeated.
func (c *Client) CreateToken(ctx context.Context, t api.TokenCreate) (Item[api.Token], string, error) {
	return c.writeToken(ctx, post(api.PathTokens), t)
}

// RotateToken gives an access token a new secret and returns it. The old one is accepted for the
// grace, in whole seconds.
func (c *Client) RotateToken(ctx context.Context, id string, grace time.Duration) (Item[api.Token], string, error) {
	cl := callTo(http.MethodPost, api.PathTokenRotate, api.TokenPath(id)+"/rotate")
	return c.writeToken(ctx, cl, api.TokenRotate{GraceSeconds: api.Int(grace / time.Second)})
}

// RevokeToken ends an access token.
func (c *Client) RevokeToken(ctx context.Context, id string) (Item[api.Token], error) {
	t, _, err := c.writeToken(ctx, callTo(http.MethodDelete, api.PathToken, api.TokenPath(id)), nil)
	return t, err
}

func (c *Client) writeToken(ctx context.Context, cl call, body any) (t Item[api.Token], secret string, err error) {
	if body != nil {
		if cl.body, err = api.Marshal(body); err != nil {
			return t, "", err
		}
	}
	a, err := c.do(ctx, cl)
	if err != nil {
		return t, "", err
	}
	var res struct {
		Token       json.RawMessage `json:"token"`
		AccessToken string          `json:"access_token"`
	}
	if err := decode(cl, a, &res); err != nil {
		return t, "", err
	}
	t.Raw = res.Token
	if err := json.Unmarshal(t.Raw, &t.Value); err != nil {
		return t, "", &UnexpectedResponseError{Route: cl.name(), Unknown: true, Err: err}
	}
	return t, res.AccessToken, nil
}
