package server

import (
	"time"

	"ativa/internal/service/domain"
)

// NewThrottle returns the take of a throttle.
func NewThrottle() func(key string, at time.Time) error { return newRateLimiter().take }

// Route describes one route, for tests that cover all of them.
type Route struct {
	Method, Path string
	Open         bool          // needs no bearer token
	Scope        domain.Scopes // required scope, unless Open
	OrScope      domain.Scopes // also sufficient for some operations
	Write        bool          // honours Idempotency-Key
}

// Routes lists every route, without the prefixed ones.
func (s *Server) Routes() []Route {
	var all []Route
	for _, r := range s.allRoutes() {
		all = append(all, Route{Method: r.method, Path: r.path, Open: r.open, Scope: r.scope, OrScope: r.orScope, Write: r.idempotent})
	}
	return all
}
