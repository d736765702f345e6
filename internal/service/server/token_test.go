package server_test

import (
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/service/domain"
)

// A token grants no more than it has, and a refused request creates nothing.
func TestATokenGrantsNoMoreThanItHas(t *testing.T) {
	f := newParallelFixture(t)
	ends := f.clock().Add(48 * time.Hour).UTC().Truncate(time.Microsecond)
	wide, _ := f.createToken(domain.AccessToken{Name: "wide", Scopes: domain.AllScopes, ExpiresAt: ends})
	long, _ := f.createToken(domain.AccessToken{Name: "long", Scopes: domain.ScopeRead})
	_, secret := f.createToken(domain.AccessToken{Name: "lead", Scopes: domain.ScopeManage | domain.ScopeTokens, ExpiresAt: ends})
	lead := "Authorization: Bearer " + f.login(secret)
	at := func(d time.Duration) string { return ends.Add(d).Format(time.RFC3339Nano) }
	for _, c := range []struct {
		body   string
		status int
		want   string // the code, the invalid field, or the scopes of the new token
	}{
		{`{"name":"a"}`, 201, "[read manage]"},
		{`{"name":"b","scopes":null,"expires_at":null}`, 201, "[read manage]"},
		{`{"name":"c","scopes":["tokens"]}`, 201, "[read tokens]"},
		{`{"name":"d","expires_at":"` + at(0) + `"}`, 201, "[read manage]"},
		{`{"name":"x","expires_at":"` + at(time.Microsecond) + `"}`, 422, "expires_at"},
		{`{"name":"x","expires_at":"` + at(-49*time.Hour) + `"}`, 422, "expires_at"},
		{`{"name":"x","scopes":["read","cancel"]}`, 403, "cancel"},
		{`{"name":"x","scopes":["provision","cancel"]}`, 403, "provision"},
		{`{"name":"a"}`, 409, "name_taken"}, {`{"name":"wide"}`, 409, "name_taken"},
	} {
		found := map[int]string{201: "token.scopes", 403: "required_scope", 409: "code", 422: "errors.0.field"}[c.status]
		f.do("POST", "/tokens", c.body, lead).want(c.status).has(map[string]string{found: c.want})
	}
	f.do("POST", "/tokens/"+wide.ID.String()+"/rotate", "", lead).want(403, api.CodeInsufficientScope).has(map[string]string{"required_scope": "provision"})
	f.do("POST", "/tokens/"+long.ID.String()+"/rotate", "", lead).want(403, api.CodeInsufficientScope)
	const key = "Idempotency-Key: once" // no secret is repeated under it
	f.do("POST", "/tokens", `{"name":"maria"}`, key).want(201)
	f.do("POST", "/tokens", `{"name":"maria"}`, key).want(409, api.CodeNameTaken)
	f.do("GET", "/tokens?all=true", "").want(200).has(map[string]string{"tokens.3.name": "lead", "tokens.7.name": "d", "tokens.8.name": "maria"})
}
