package rules_test

import (
	"fmt"
	"slices"
	"time"

	"pgregory.net/rapid"

	"ativa/internal/service/domain"
)

// tokenModel is the access tokens of decisions.md 11, in memory.
type tokenModel struct {
	tokens  []*namedToken
	bearers []issuedBearer
	actor   string         // the name of the token that acts
	cursor  domain.EventID // of the events compared so far
}

// namedToken is one access token; the last of its secrets is in use.
type namedToken struct {
	id      domain.TokenID
	name    string
	secrets []string
	oldEnds time.Time // end of the previous secret
	expires time.Time // zero: never
	revoked bool
}

// issuedBearer is a bearer token and the secret it was issued for.
type issuedBearer struct {
	bearer  string
	token   *namedToken
	secret  int
	expires time.Time
}

func (k *namedToken) live(now time.Time) bool {
	return !k.revoked && (k.expires.IsZero() || now.Before(k.expires))
}

// accepts reports whether the secret with that number is accepted.
func (k *namedToken) accepts(secret int, now time.Time) bool {
	switch len(k.secrets) - 1 - secret {
	case 0:
		return k.live(now)
	case 1:
		return k.live(now) && now.Before(k.oldEnds)
	}
	return false
}

// withToken runs the step with a token that has a live secret.
func (c *comparison) withToken(step func(*rapid.T)) func(*rapid.T) {
	return func(rt *rapid.T) {
		type choice struct {
			token  *namedToken
			secret int
		}
		var accepted []choice
		for _, k := range c.access.tokens {
			for i := range k.secrets {
				if k.accepts(i, c.fx.now) {
					accepted = append(accepted, choice{k, i})
				}
			}
		}
		if len(accepted) == 0 {
			c.createToken(rt)
			k := c.access.tokens[len(c.access.tokens)-1]
			accepted = append(accepted, choice{k, 0})
		}
		with := rapid.SampledFrom(accepted).Draw(rt, "token")
		i := slices.IndexFunc(c.access.bearers, func(b issuedBearer) bool {
			return b.token == with.token && b.secret == with.secret && c.fx.now.Before(b.expires)
		})
		if i < 0 {
			i = len(c.access.bearers)
			c.authenticate(rt, with.token, with.secret)
		}
		caller, err := c.fx.m.Identify(c.fx.ctx, c.access.bearers[i].bearer)
		c.fx.must(err)
		c.fx.acting, c.access.actor = caller.Token, with.token.name
		step(rt)
	}
}

// authenticate compares whether a secret is accepted.
func (c *comparison) authenticate(rt *rapid.T, k *namedToken, secret int) {
	b, err := c.fx.m.Authenticate(c.fx.ctx, k.secrets[secret])
	if accepted := err == nil; accepted != k.accepts(secret, c.fx.now) {
		rt.Fatalf("secret %d of %s, which has %d: got %v, the model says %t", secret, k.name, len(k.secrets), err, !accepted)
	}
	if err == nil {
		c.access.bearers = append(c.access.bearers, issuedBearer{b.Token, k, secret, c.fx.now.Add(b.ExpiresIn)})
	}
}

func (c *comparison) createToken(rt *rapid.T) {
	k := &namedToken{name: fmt.Sprint("token ", len(c.access.tokens))}
	if hours := rapid.IntRange(0, 3).Draw(rt, "hours"); hours > 0 {
		k.expires = c.fx.now.Add(time.Duration(hours) * time.Hour)
	}
	by := c.caller(rt)
	made, secret, err := c.fx.m.CreateToken(c.fx.ctx, c.callerOf(by), domain.AccessToken{Name: k.name, Scopes: domain.AllScopes, ExpiresAt: k.expires})
	if by != nil && k.expires.IsZero() {
		k.expires = by.expires
	}
	if created := err == nil; created == k.outlives(by) {
		rt.Fatalf("making %s until %v by %+v: got %v", k.name, k.expires, by, err)
	} else if created {
		k.id, k.secrets = made.ID, []string{secret}
		c.access.tokens = append(c.access.tokens, k)
	}
}

func (c *comparison) someToken(rt *rapid.T) *namedToken {
	return rapid.SampledFrom(c.access.tokens).Draw(rt, "token")
}

func (c *comparison) revokeToken(rt *rapid.T) {
	k := c.someToken(rt)
	by, live := c.caller(rt), 0
	for _, other := range c.access.tokens {
		if other.live(c.fx.now) {
			live++
		}
	}
	_, err := c.fx.m.RevokeToken(c.fx.ctx, c.callerOf(by), k.id.String())
	last := by != nil && k.live(c.fx.now) && live == 1
	if (err != nil) != last {
		rt.Fatalf("revoking %s, the last of all %t: got %v", k.name, last, err)
	}
	k.revoked = k.revoked || !last
}

// caller returns a live token that may act for the provider, or nil for the operator.
func (c *comparison) caller(rt *rapid.T) *namedToken {
	k := c.someToken(rt)
	if !k.live(c.fx.now) || rapid.Bool().Draw(rt, "operator") {
		return nil
	}
	c.access.actor = k.name
	return k
}

// callerOf returns the caller with the token; nil is the operator.
func (c *comparison) callerOf(k *namedToken) domain.Caller {
	caller := domain.Caller{Provider: c.fx.p.ID}
	if k != nil {
		caller.Token = k.id
	}
	return caller
}

// outlives reports whether k ends later than other; nil is the operator.
func (k *namedToken) outlives(other *namedToken) bool {
	return other != nil && !other.expires.IsZero() && (k.expires.IsZero() || k.expires.After(other.expires))
}

func (c *comparison) rotateToken(rt *rapid.T) {
	k, grace, by := c.someToken(rt), time.Duration(rapid.IntRange(0, 2).Draw(rt, "grace"))*time.Hour, c.caller(rt)
	want := k.live(c.fx.now) && !k.outlives(by)
	_, secret, err := c.fx.m.RotateToken(c.fx.ctx, c.callerOf(by), k.id.String(), grace)
	if rotated := err == nil; rotated != want {
		rt.Fatalf("rotating %s: got %v, the model says %t", k.name, err, want)
	}
	if err == nil {
		k.secrets, k.oldEnds = append(k.secrets, secret), c.fx.now.Add(grace)
	}
}

// useToken tries a random secret or bearer token.
func (c *comparison) useToken(rt *rapid.T) {
	k := c.someToken(rt)
	c.authenticate(rt, k, rapid.IntRange(0, len(k.secrets)-1).Draw(rt, "secret"))
	if len(c.access.bearers) == 0 {
		return
	}
	b := rapid.SampledFrom(c.access.bearers).Draw(rt, "bearer")
	_, err := c.fx.m.Identify(c.fx.ctx, b.bearer)
	if want := b.token.accepts(b.secret, c.fx.now) && c.fx.now.Before(b.expires); (err == nil) != want {
		rt.Fatalf("a bearer token of secret %d of %s: got %v, the model says %t", b.secret, b.token.name, err, want)
	}
}

func (c *comparison) passTime(rt *rapid.T) {
	c.fx.now = c.fx.now.Add(time.Duration(rapid.IntRange(1, 90).Draw(rt, "minutes")) * time.Minute)
}

// compareActors compares the name of each new event with the acting token, and refused schedules with
// the model.
func (c *comparison) compareActors(rt *rapid.T) {
	events, next, err := c.fx.m.Events(c.fx.ctx, c.fx.p.ID, c.access.cursor, 500)
	c.fx.must(err)
	c.access.cursor = next
	for _, e := range events {
		want := ""
		if e.Actor == domain.ActorProvider {
			want = c.access.actor
		}
		if e.Actor == domain.ActorSystem && (e.Reason == "scheduled" || e.Type == domain.ScheduleRefusal) && slices.Contains(c.planned.by, e.ActorName) {
			want = e.ActorName
		}
		refused := func(p *planned) bool { return p.code == e.Reason && p.req.String() == e.Trigger }
		if e.Type == domain.ScheduleRefusal && !slices.ContainsFunc(c.planned.all, refused) {
			rt.Fatalf("the event says that a scheduled %s was refused for %s, the model does not", e.Trigger, e.Reason)
		}
		if e.ActorName != want {
			rt.Fatalf("%s of product %d to %s by the %s: named %q, the model says %q", e.Type, e.ProductID, e.Status, e.Actor, e.ActorName, want)
		}
	}
}
