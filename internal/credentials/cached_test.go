package credentials_test

import (
	"testing"
	"time"

	"ativa/internal/credentials"
)

func TestCachedBearerAsksNobody(t *testing.T) {
	fakeSessionBus(t)
	dir, e, c := t.TempDir(), &fakeServer{}, newClock()
	if _, ok := newBearerSource(t, dir, e, c).Cached(t.Context()); ok || e.count.Load() != 0 {
		t.Errorf("got a bearer from nowhere, or %d requests", e.count.Load())
	}
	bearerOf(t, newBearerSource(t, dir, e, c))
	s := newBearerSource(t, dir, e, c)
	s.Sources.Keyring = &credentials.Keyring{} // called only for the token
	if b, ok := s.Cached(t.Context()); !ok || b.Token != "bearer-1" || e.count.Load() != 1 {
		t.Errorf("got %+v, %t after %d requests; want the cached one", b, ok, e.count.Load())
	}
	c.at = c.at.Add(9*time.Hour + time.Minute) // more than nine tenths of its life
	if b, ok := s.Cached(t.Context()); ok {
		t.Errorf("got %+v, want none that is old", b)
	}

	command := &credentials.BearerSource{Cache: &credentials.Cache{Dir: t.TempDir()}, Authenticate: e.authenticate, Now: c.now,
		Sources: credentials.Sources{Account: account(), Command: "echo asked >&2; exit 1"}}
	if _, ok := command.Cached(t.Context()); ok {
		t.Error("got a bearer of a command that never ran")
	}
}
