package accounts_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"ativa/internal/service/accounts"
	"ativa/internal/service/domain"
	"ativa/internal/service/servicetest"
)

// bearerStore finds every bearer token, and counts the look-ups.
type bearerStore struct {
	servicetest.Store
	asked   int
	expires time.Time
	during  func() // runs during a look-up
}

func (s *bearerStore) BearerByHash(_ context.Context, hash [32]byte) (domain.BearerToken, bool, error) {
	s.asked++
	if s.during != nil {
		s.during()
	}
	return domain.BearerToken{Hash: hash, ExpiresAt: s.expires}, true, nil
}

// newBearerStore returns a service on a store whose bearer tokens end after a while.
func newBearerStore(t *testing.T, end time.Duration) (*fixture, *bearerStore) {
	t.Helper()
	fx := newFixture(t)
	s := &bearerStore{Store: fx.store, expires: fx.now.Add(end)}
	fx.m = servicetest.New(s, fx.options)
	return fx, s
}

// A bearer token is looked up at most once a second. Its expiry ends it at once, and a clock that is
// set back prolongs nothing.
func TestABearerTokenIsLookedUpOnceASecond(t *testing.T) {
	fx, s := newBearerStore(t, 1500*time.Millisecond)
	for _, step := range []struct {
		later time.Duration
		asked int
		want  domain.Code // "": accepted
	}{
		{0, 1, ""}, {time.Second - time.Microsecond, 1, ""}, {time.Microsecond, 2, ""},
		{-time.Microsecond, 3, ""}, {time.Microsecond, 3, ""}, {500 * time.Millisecond, 3, domain.TokenExpired},
	} {
		fx.now = fx.now.Add(step.later)
		fx.wantBearer(accounts.Bearer{Token: "bearer"}, step.want)
		if s.asked != step.asked {
			t.Fatalf("at %v: looked up %d times, want %d", fx.now, s.asked, step.asked)
		}
	}
}

// A token that is revoked during its look-up is not cached.
func TestABearerTokenRevokedWhileItIsLookedUpIsNotRemembered(t *testing.T) {
	fx, s := newBearerStore(t, time.Hour)
	s.during = func() { fx.revoke("default") }
	for range 2 {
		fx.wantBearer(accounts.Bearer{Token: "bearer"}, "")
		s.during = nil
	}
	if s.asked != 2 {
		t.Errorf("looked up %d times, want again after the revocation", s.asked)
	}
}

// The cache is bounded, whatever the number of tokens.
func TestRememberedBearerTokensAreBounded(t *testing.T) {
	fx, s := newBearerStore(t, time.Hour)
	for n := range 5000 {
		fx.wantBearer(accounts.Bearer{Token: fmt.Sprint("bearer ", n)}, "")
	}
	if fx.wantBearer(accounts.Bearer{Token: "bearer 0"}, ""); s.asked != 5001 {
		t.Errorf("looked up %d times, want the first of 5,000 to be forgotten", s.asked)
	}
}
