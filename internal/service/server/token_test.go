package server_test

import (
	"strings"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/service/domain"
)

// A token grants no more than it has, and an invalid request creates nothing.
func TestATokenGivesNoMoreThanItHas(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ends := f.clock().Add(48 * time.Hour).UTC().Truncate(time.Microsecond)
	wide, _, err := f.m.CreateToken(t.Context(), domain.Caller{Provider: f.p.ID}, domain.AccessToken{Name: "wide", Scopes: domain.AllScopes, ExpiresAt: ends})
	f.must(err)
	long, _, err := f.m.CreateToken(t.Context(), domain.Caller{Provider: f.p.ID}, domain.AccessToken{Name: "long", Scopes: domain.ScopeRead})
	f.must(err)
	_, secret, err := f.m.CreateToken(t.Context(), domain.Caller{Provider: f.p.ID}, domain.AccessToken{Name: "lead", Scopes: domain.ScopeManage | domain.ScopeTokens, ExpiresAt: ends})
	f.must(err)
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
		{`{"name":"x","expires_at":"2027-01-31"}`, 422, "expires_at"},
		{`{"name":"x","expires_at":"0001-01-01T00:00:00Z"}`, 422, "expires_at"},
		{`{"name":"x","expires_at":7}`, 422, "expires_at"},
		{`{"name":"x","scopes":["read","cancel"]}`, 403, "cancel"},
		{`{"name":"x","scopes":["provision","cancel"]}`, 403, "provision"},
		{`{"name":"x","scopes":[]}`, 422, "scopes"},
		{`{"name":"x","scopes":"read"}`, 422, "scopes"},
		{`{"name":"x","scopes":["read",1]}`, 422, "scopes"},
		{`{"name":"x","scopes":["write"]}`, 422, "scopes"},
		{`{"name":"x","scopes":[""]}`, 422, "scopes"},
		{`{}`, 422, "name"}, {`{"name":null}`, 422, "name"}, {`{"name":""}`, 422, "name"}, {`{"name":7}`, 422, "name"}, {`{"name":"tok_7"}`, 422, "name"},
		{`{"name":"a\u001b"}`, 422, "name"}, {`{"name":"` + strings.Repeat("x", 61) + `"}`, 422, "name"},
		{`{"name":"a"}`, 409, "name_taken"}, {`{"name":"wide"}`, 409, "name_taken"},
		{`{"name":"x","name":"y"}`, 400, "malformed_json"}, {``, 400, "malformed_json"}, {`[]`, 422, "validation_failed"},
	} {
		before := len(f.do("GET", "/tokens?all=true", "").get("tokens").([]any))
		got := f.do("POST", "/tokens", c.body, lead)
		found := map[int]string{201: "token.scopes", 403: "required_scope", 422: "errors.0.field"}[c.status]
		if found == "" || c.want == "validation_failed" {
			found = "code"
		}
		got.want(c.status).has(map[string]string{found: c.want})
		after := len(f.do("GET", "/tokens?all=true", "").get("tokens").([]any))
		if (after > before) != (c.status == 201) {
			t.Errorf("%s: %d tokens became %d", c.body, before, after)
		}
	}
	f.do("POST", "/tokens/"+wide.ID.String()+"/rotate", "", lead).want(403, api.CodeInsufficientScope).has(map[string]string{"required_scope": "provision"})
	f.do("POST", "/tokens/"+long.ID.String()+"/rotate", "", lead).want(403, api.CodeInsufficientScope)
	const key = "Idempotency-Key: once" // no secret is repeated under it
	f.do("POST", "/tokens", `{"name":"maria"}`, key).want(201)
	f.do("POST", "/tokens", `{"name":"maria"}`, key).want(409, api.CodeNameTaken)
	for _, bad := range []string{`{"grace_seconds":-1}`, `{"grace_seconds":31622401}`, `{"grace_seconds":"soon"}`} {
		f.do("POST", "/tokens/"+long.ID.String()+"/rotate", bad).want(422).has(map[string]string{"errors.0.field": "grace_seconds"})
	}
	for _, id := range []string{"tok_zz9", "wide", "%20", "tok_01"} {
		f.do("POST", "/tokens/"+id+"/rotate", "").want(404, api.CodeNotFound)
		f.do("DELETE", "/tokens/"+id, "").want(404, api.CodeNotFound)
	}
}
