package server

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"ativa/internal/api"
	"ativa/internal/service/accounts"
	"ativa/internal/service/domain"
)

// TokenOf returns an access token as the API writes it.
func TokenOf(t domain.AccessToken) api.Token {
	return api.Token{
		ID: t.ID.String(), Name: t.Name, Scopes: wireScopes(t.Scopes), CreatedAt: api.At(t.CreatedAt), ExpiresAt: api.At(t.ExpiresAt),
		LastUsedAt: api.At(t.LastUsedAt), RevokedAt: api.At(t.RevokedAt),
	}
}

func wireScopes(scopes domain.Scopes) (all []api.Scope) {
	for _, name := range scopes.Names() {
		all = append(all, api.Scope(name))
	}
	return all
}

// listTokens sends the provider's live access tokens, or all of them with `all=true`.
func (s *Server) listTokens(c *requestContext) error {
	tokens, err := s.store.AccessTokens(c.r.Context(), []domain.ProviderID{c.Provider})
	if err != nil {
		return err
	}
	all := c.r.URL.Query().Get(api.ParamAll) == "true"
	res := api.TokensResponse{Response: api.ResponseSuccess}
	for _, t := range tokens {
		if all || t.IsLive(s.rules.Now()) {
			res.Tokens = append(res.Tokens, TokenOf(t))
		}
	}
	return c.writeJSON(http.StatusOK, &res)
}

// createToken creates an access token. Its response has the secret, so it is not stored under an
// Idempotency-Key: a repetition is refused by its name.
func (s *Server) createToken(c *requestContext, body tokenBody) error {
	wanted, err := body.token()
	if err != nil {
		return err
	}
	made, secret, err := s.tokens.CreateToken(c.r.Context(), c.Caller, wanted)
	if err != nil {
		return err
	}
	return c.writeJSON(http.StatusCreated, api.TokenResponse{Token: TokenOf(made), AccessToken: secret, Response: api.ResponseSuccess})
}

type tokenBody struct {
	Name      *string  `json:"name" required:"yes"`
	Scopes    []string `json:"scopes"`
	ExpiresAt *string  `json:"expires_at"`
}

// token returns the requested token; absent scopes and expiry are zero.
func (body *tokenBody) token() (t domain.AccessToken, err error) {
	t.Name = *body.Name
	if body.Scopes != nil {
		var unknown int
		t.Scopes, unknown = domain.ParseScopes(body.Scopes)
		switch {
		case len(body.Scopes) == 0:
			return t, invalidField(api.FieldScopes, "at least one scope")
		case unknown >= 0:
			wrong := fieldError(api.FieldScopes, "invalid", "must be one of "+strings.Join(domain.ScopeNames(), ", "))
			wrong.Pointer += "/" + strconv.Itoa(unknown)
			return t, invalidFields(wrong)
		}
	}
	if body.ExpiresAt != nil {
		if t.ExpiresAt, err = parseTime(*body.ExpiresAt); err != nil {
			return t, invalidField(api.FieldExpiresAt, "a time such as 2027-01-31T12:00:00Z")
		}
	}
	return t, nil
}

// rotateToken gives an access token a new secret.
func (s *Server) rotateToken(c *requestContext) error {
	var body struct {
		GraceSeconds *int `json:"grace_seconds"`
	}
	if c.body != "" {
		if err := decodeBody(c.body, &body); err != nil {
			return err
		}
	}
	grace := accounts.DefaultGrace
	if seconds := body.GraceSeconds; seconds != nil {
		if *seconds < 0 || *seconds > api.MaxGraceDays*24*60*60 {
			return invalidField(api.FieldGraceSeconds, "0 to 31622400")
		}
		grace = time.Duration(*seconds) * time.Second
	}
	rotated, secret, err := s.tokens.RotateToken(c.r.Context(), c.Caller, c.r.PathValue(api.WildcardID), grace)
	if err != nil {
		return err
	}
	return c.writeJSON(http.StatusOK, api.TokenResponse{Token: TokenOf(rotated), AccessToken: secret, Response: api.ResponseSuccess})
}

// revokeToken ends an access token, perhaps the one of the request.
func (s *Server) revokeToken(c *requestContext) error {
	revoked, err := s.tokens.RevokeToken(c.r.Context(), c.Caller, c.r.PathValue(api.WildcardID))
	if err != nil {
		return err
	}
	return c.writeJSON(http.StatusOK, api.TokenResponse{Token: TokenOf(revoked), Response: api.ResponseSuccess})
}
