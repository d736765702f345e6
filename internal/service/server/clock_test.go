package server_test

import (
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/service/domain"
)

// A clock that is set ahead ends bearer tokens early, which costs each client one
// authentication; set back, it shuts nobody out, and what is revoked still ends at once.
func TestBearerTokensUnderAClockThatIsSet(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	before := f.bearer
	f.advance(30 * time.Hour)
	f.do("GET", "/products", "").want(401, api.CodeTokenExpired)
	f.bearer = f.login(f.access)
	f.do("GET", "/products", "").want(200)
	f.advance(-30 * time.Hour)
	f.do("GET", "/products", "").want(200)
	f.bearer = before
	f.do("GET", "/products", "").want(200)
	_, err := f.m.RevokeToken(t.Context(), domain.Caller{Provider: f.p.ID}, "default")
	f.must(err)
	f.advance(time.Second)
	f.do("GET", "/products", "").want(401, api.CodeTokenInvalid)
}
