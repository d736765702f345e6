package rules_test

import (
	"slices"
	"time"

	"pgregory.net/rapid"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
)

// actors are the access tokens of the provider; the one that acted last is named in the events.
type actors struct {
	tokens []domain.AccessToken
	name   string         // of the token that acts
	events []domain.Event // compared so far
}

// newActors reads the provider's first token and creates another.
func (fx *fixture) newActors() actors {
	tokens, err := fx.m.AccessTokens(fx.ctx, []domain.ProviderID{fx.p.ID})
	fx.must(err)
	ana, _, err := fx.m.CreateToken(fx.ctx, domain.Caller{Provider: fx.p.ID}, domain.AccessToken{Name: "ana"})
	fx.must(err)
	return actors{tokens: append(tokens, ana)}
}

// withToken runs the step as one of the tokens.
func (c *comparison) withToken(step func(*rapid.T)) func(*rapid.T) {
	return func(rt *rapid.T) {
		token := rapid.SampledFrom(c.access.tokens).Draw(rt, "token")
		c.fx.acting, c.access.name = token.ID, token.Name
		step(rt)
	}
}

func (c *comparison) passTime(rt *rapid.T) {
	switch rapid.IntRange(0, 4).Draw(rt, "unit") {
	case 0:
		c.fx.now = c.fx.now.Add(time.Duration(rapid.IntRange(1, 60*60*24*12).Draw(rt, "seconds")) * time.Second)
	case 1:
		c.fx.now = midnight(date(c.fx.now, c.zone).AddDate(0, 0, 1), c.zone).UTC()
	case 2: // the clock is set back
		c.fx.now = c.fx.now.Add(-time.Duration(rapid.IntRange(1, 24*15).Draw(rt, "hours")) * time.Hour)
	default:
		c.fx.now = c.fx.now.Add(time.Duration(rapid.IntRange(1, 90).Draw(rt, "minutes")) * time.Minute)
	}
}

// compareActors compares the name of each new event with the acting token, and changes of status,
// refused schedules and resends with the model.
func (c *comparison) compareActors(rt *rapid.T) {
	var cursor domain.EventID
	if n := len(c.access.events); n > 0 {
		cursor = c.access.events[n-1].ID
	}
	events, _, err := c.fx.m.Events(c.fx.ctx, c.fx.p.ID, cursor, 500)
	c.fx.must(err)
	c.access.events = append(c.access.events, events...)
	for _, e := range events {
		want := ""
		var k *token // nil if the event is about no service
		if first, _ := e.Subscriber.Services(); e.Service != 0 {
			k = c.model.tokens[c.number(cpf.Document(e.Document))][e.Service-first-1]
		}
		if e.Actor == domain.ActorProvider {
			want = c.access.name
		}
		if e.Actor == domain.ActorSystem && (e.Reason == "scheduled" || e.Type == domain.ScheduleRefusal) {
			i := slices.IndexFunc(c.planned.performed, func(p *planned) bool { return p.token == k && p.req.String() == e.Trigger })
			if i < 0 {
				rt.Fatalf("a scheduled %s of product %d: the event %s for %s, which the model does not have", e.Trigger, e.ProductID, e.Type, e.Reason)
			}
			want = c.planned.performed[i].who
		}
		got := moveOf(e.Previous.String(), e.Status.String(), e.ProductID, e.PreviousProductID)
		if e.Type == domain.ScheduleRefusal {
			got = "refusal: " + e.Reason
		}
		if e.Type == domain.StatusChanged || e.Type == domain.ScheduleRefusal {
			if len(k.moves) == 0 || k.moves[0] != got {
				rt.Fatalf("got the event %s, the model has %q", got, k.moves)
			}
			k.moves = k.moves[1:]
		}
		if e.Type == domain.EmailRequested {
			if k.events++; e.ProductID != k.product || e.Trigger != "resend" || e.Status != domain.NoService || e.Operation == 0 {
				rt.Fatalf("got the event %+v of a resend of product %d", e, k.product)
			}
		}
		if e.ActorName != want {
			rt.Fatalf("%s of product %d to %s by the %s: named %q, the model says %q", e.Type, e.ProductID, e.Status, e.Actor, e.ActorName, want)
		}
	}
	for n, tokens := range c.model.tokens {
		for i, k := range tokens {
			if k.events != k.resends || len(k.moves) != 0 {
				rt.Fatalf("subscriber %d, token %d: %d events of resends, the model has %d and the moves %q", n, i, k.events, k.resends, k.moves)
			}
		}
	}
}
