package rules_test

import (
	"cmp"
	"slices"
	"time"

	"pgregory.net/rapid"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

// scheduleModel holds all schedules in order of creation, and the ones that were performed last.
type scheduleModel struct{ all, performed []*planned }

// planned is one scheduled operation in the model.
type planned struct {
	token            *token
	req              domain.Request
	at               time.Time
	state, code, who string
	product          int // when it ended
}

func (p *planned) waits() bool { return p.state == "waiting" }

func (p *planned) end(state string) { p.state, p.product = state, p.token.product }

// scheduleLater schedules an operation and compares the answer.
func (c *comparison) scheduleLater(rt *rapid.T) {
	n, p := person(rt), product(rt)
	req := rapid.SampledFrom([]domain.Request{domain.RequestActivate, domain.RequestSuspend, domain.RequestDeactivate,
		domain.RequestOverdue, domain.RequestSettle}).Draw(rt, "operation")
	after := time.Duration(rapid.IntRange(1, 300).Draw(rt, "after")) * time.Minute
	got := c.fx.schedule(req, p, after, doc(n))[0]
	k := c.model.find(n, p)
	if k == nil || k.ended() {
		c.answer(rt, got, "!service_not_found")
		return
	}
	replaced := c.cancelPlanned(k, func(p *planned) bool { return p.req == req })
	if got.Kind != rules.ResultAccepted || got.Status.String() != k.status || got.Replaced != replaced || got.Schedule == 0 {
		rt.Fatalf("scheduling %s: got %+v, the model says accepted in %s, replaced %t", req, got, k.status, replaced)
	}
	c.planned.all = append(c.planned.all, &planned{token: k, req: req, at: c.fx.now.Add(after), state: "waiting", who: c.access.name})
	c.comparePlanned(rt)
}

// cancelSchedules cancels the waiting schedules of the previous sequence.
func (fx *fixture) cancelSchedules() {
	fx.must(fx.m.EachSchedule(fx.ctx, domain.ScheduleQuery{Provider: fx.p.ID}, func(s *domain.Schedule) error {
		if s.State != domain.ScheduleWaiting {
			return nil
		}
		return fx.m.CancelSchedule(fx.ctx, fx.call(), *s)
	}))
}

// cancelPlanned cancels the waiting schedules of a token, and reports whether there was one.
func (c *comparison) cancelPlanned(k *token, which func(*planned) bool) (some bool) {
	for _, p := range c.planned.all {
		if p.waits() && p.token == k && which(p) {
			p.end("cancelled")
			some = true
		}
	}
	return some
}

// overrule cancels the schedules that an accepted request makes pointless.
func (c *comparison) overrule(k *token, req domain.Request, out string) {
	if out[0] == '!' || req != domain.RequestDeactivate && req != domain.RequestSettle {
		return
	}
	c.cancelPlanned(k, func(p *planned) bool { return req == domain.RequestDeactivate || p.req == domain.RequestOverdue })
}

// performDue waits and then performs due schedules in order.
func (c *comparison) performDue(rt *rapid.T) {
	c.fx.now = c.fx.now.Add(time.Duration(rapid.IntRange(0, 300).Draw(rt, "later")) * time.Minute)
	c.cancelEnded()
	due := slices.DeleteFunc(slices.Clone(c.planned.all), func(p *planned) bool { return !p.waits() || p.at.After(c.fx.now) })
	slices.SortStableFunc(due, func(a, b *planned) int { return cmp.Or(a.at.Compare(b.at), 0) })
	c.fx.perform()
	c.planned.performed = nil
	for _, p := range due {
		if !p.waits() {
			continue // cancelled by another due schedule
		}
		p.end("done")
		c.planned.performed = append(c.planned.performed, p)
		trigger := p.req.String()
		if p.req == domain.RequestActivate {
			trigger = "activate_same"
		}
		out := c.model.apply(p.token, trigger, 0)
		c.overrule(p.token, p.req, out)
		if out[0] == '!' {
			p.state, p.code = "refused", out[1:]
			p.token.moves = append(p.token.moves, "refusal: "+p.code)
		}
	}
	c.model.promote()
	c.comparePlanned(rt)
}

// cancelEnded cancels the schedules of ended tokens.
func (c *comparison) cancelEnded() {
	for _, p := range c.planned.all {
		if p.waits() && p.token.ended() {
			p.end("cancelled")
		}
	}
}

// comparePlanned compares all schedules.
func (c *comparison) comparePlanned(rt *rapid.T) {
	c.cancelEnded()
	var want []string
	for _, p := range c.planned.all {
		product := p.product
		if p.waits() {
			product = p.token.product
		}
		want = append(want, describeSchedule(p.req, product, p.state, p.code))
	}
	if got := c.fx.schedules(); !slices.Equal(got, want) {
		rt.Fatalf("schedules %q, the model says %q", got, want)
	}
}
