package rules_test

import (
	"errors"
	"slices"
	"time"

	"pgregory.net/rapid"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

const people = 4

// comparison runs each step on the database and on the model.
type comparison struct {
	fx       *fixture
	model    *model
	access   actors
	callback bool // the provider has one
	zone     *time.Location
	// planned is the model of the schedules.
	planned scheduleModel
	turn    int // the subscriber whose deliveries are compared next: reading all takes half the time of a sequence
}

func person(rt *rapid.T) int { return rapid.IntRange(1, people).Draw(rt, "subscriber") }

func product(rt *rapid.T) int {
	return rapid.SampledFrom([]int{playBasic, playPremium, music}).Draw(rt, "product")
}

func (c *comparison) setLimit(rt *rapid.T) {
	limit := rapid.IntRange(0, 6).Draw(rt, "limit")
	_, err := c.fx.m.SetLimit(c.fx.ctx, c.fx.p.Name, limit)
	c.fx.must(err)
	c.model.limit = limit
	c.model.promote()
	if c.model.tokens[1] == nil {
		c.fx.register(1, people)
		for n := 1; n <= people; n++ {
			c.model.tokens[n] = []*token{}
		}
	}
}

// request compares the answer of a batch.
func (c *comparison) request(req domain.Request, trigger string) func(*rapid.T) {
	return func(rt *rapid.T) {
		from, p := person(rt), product(rt)
		documents := docs(from, rapid.IntRange(from, people).Draw(rt, "to"))
		results, err := c.fx.m.Provision(c.fx.ctx, c.fx.call(), req, p, documents)
		c.fx.must(err)
		for i, got := range results {
			want := "!service_not_found"
			if req == domain.RequestActivate {
				want = c.model.activate(from+i, p)
			} else if k := c.model.find(from+i, p); k != nil {
				want = c.model.apply(k, trigger, 0)
				c.overrule(k, req, want)
			}
			c.answer(rt, got, want)
		}
		for i, got := range results {
			place := 0
			if k := c.model.find(from+i, p); k != nil && got.Kind != rules.ResultFailed {
				place = slices.Index(c.model.queue, k) + 1
			}
			if got.QueuePosition != place {
				rt.Fatalf("subscriber %d is at place %d of the queue, the model says %d", from+i, got.QueuePosition, place)
			}
		}
		c.model.promote()
	}
}

func (c *comparison) answer(rt *rapid.T, got rules.Result, want string) {
	rt.Helper()
	kind, code := rules.ResultAccepted, domain.Code("")
	switch {
	case want == "=":
		kind = rules.ResultUnchanged
	case want[0] == '!':
		kind, code = rules.ResultFailed, domain.Code(want[1:])
	}
	if got.Kind != kind || got.Code != code {
		rt.Fatalf("answer %+v, the model says %q", got, want)
	}
}

func (c *comparison) change(rt *rapid.T) {
	n, from, to := person(rt), product(rt), product(rt)
	if from == to {
		return
	}
	got, err := c.fx.m.ChangeProduct(c.fx.ctx, c.fx.call(), document(n), from, to)
	if code := c.refusal(err); code != "" {
		got = rules.Result{Kind: rules.ResultFailed, Code: code}
	}
	k := c.model.find(n, from)
	for _, other := range c.model.tokens[n] {
		if other.status == "changed" && other.previous == from {
			k = other
		}
	}
	want := "!service_not_found"
	if k != nil {
		want = c.model.apply(k, "change", to)
	}
	c.model.promote()
	c.answer(rt, got, want)
}

// resend resends the activation of one service or of all.
func (c *comparison) resend(rt *rapid.T) {
	n, p := person(rt), product(rt)
	var results []rules.ResendResult
	var err error
	tokens, want := c.model.tokens[n], domain.NothingToResend
	if rapid.Bool().Draw(rt, "all") {
		results, err = c.fx.m.Resend(c.fx.ctx, c.fx.call(), document(n))
	} else {
		results, err = c.fx.m.ResendProduct(c.fx.ctx, c.fx.call(), document(n), p)
		if k := c.model.find(n, p); k != nil {
			tokens = []*token{k}
		} else {
			tokens, want = nil, domain.ServiceNotFound
		}
	}
	for _, k := range tokens {
		if c.resendOne(k) {
			want = ""
		}
	}
	c.model.promote()
	if got := c.refusal(err); got != want || want == "" && len(results) != len(tokens) {
		rt.Fatalf("resend of product %d: %q with %d results, the model says %q with %d", p, got, len(results), want, len(tokens))
	}
}

// refusal returns the code of an error that refuses a request, "" if there is none.
func (c *comparison) refusal(err error) domain.Code {
	if refused, ok := errors.AsType[*domain.Error](err); ok {
		return refused.Code
	}
	c.fx.must(err)
	return ""
}

// click follows every link that was mailed since the last click. Links of services that do not wait
// for them must change nothing.
func (c *comparison) click(rt *rapid.T) {
	c.claim(rt, domain.EmailDelivery, func(e domain.ClaimedDelivery, k *token, m *mailing) {
		e.Delivery.State, e.Delivery.LastError, e.Delivery.LastAttemptAt = domain.OutboxDone, "", c.fx.now
		m.state = domain.DeliverySent
		c.fx.must(c.fx.m.Finish(c.fx.ctx, []domain.Delivery{e.Delivery}, nil))
		want := k.linkOf(m, c.fx.now)
		if want == rules.LinkReady {
			want, m.used = rules.LinkDone, true
		}
		c.model.apply(k, "link_completed", 0)
		c.model.promote()
		c.fx.wantLink(e.LinkSecret, want)
	})
}

func (c *comparison) number(d cpf.Document) int {
	return slices.IndexFunc(docs(0, people), func(s string) bool { return s == string(d) })
}

// confirm confirms or fails the current operations of some tokens at once.
func (c *comparison) confirm(rt *rapid.T) {
	var all []domain.Confirmation
	var want []string
	for n := 1; n <= people; n++ {
		for i, s := range c.read(n) {
			trigger := rapid.SampledFrom([]string{"", "", "confirmed", "confirmed", "failed"}).Draw(rt, "end")
			if trigger != "" {
				all = append(all, domain.Confirmation{Operation: s.Operation, Confirmed: trigger == "confirmed", Actor: domain.ActorPartner})
				want = append(want, c.model.apply(c.model.tokens[n][i], trigger, 0))
			}
		}
	}
	c.model.promote()
	got, err := c.fx.m.Confirm(c.fx.ctx, all)
	c.fx.must(err)
	for i, state := range got {
		if stale := state == domain.PartnerEventStale; stale != (want[i] == "~stale") {
			rt.Fatalf("%+v: event state %s, the model says %q", all[i], state, want[i])
		}
	}
}

// confirmOld confirms an operation that has ended, or one that never existed: the model does not
// change.
func (c *comparison) confirmOld(rt *rapid.T) {
	old := []domain.OperationID{1 << 42}
	for _, e := range c.access.events {
		old = append(old, e.Operation)
	}
	for n := 1; n <= people; n++ {
		for _, s := range c.read(n) {
			old = slices.DeleteFunc(old, func(id domain.OperationID) bool { return id == s.Operation })
		}
	}
	id := rapid.SampledFrom(old).Draw(rt, "operation")
	if got := c.fx.confirmOperation(id, rapid.Bool().Draw(rt, "confirmed")); got == domain.PartnerEventApplied {
		rt.Fatalf("an old or unknown operation was applied")
	}
}

func (c *comparison) read(n int) []domain.Service {
	s, err := c.fx.m.Subscriber(c.fx.ctx, c.fx.p.ID, document(n))
	c.fx.must(err)
	return s.Services
}

// readAll returns the services of each subscriber, 1 first, in the order of a page.
func (c *comparison) readAll() (all [][]domain.Service) {
	page, _, err := c.fx.m.SubscriberPage(c.fx.ctx, c.fx.p.ID, 0, people)
	c.fx.must(err)
	for _, s := range page {
		all = append(all, s.Services)
	}
	return all
}

// compare compares tokens, counters and queue with the model.
func (c *comparison) compare(rt *rapid.T) {
	c.compareActors(rt)
	for i, services := range c.readAll() {
		c.compareServices(rt, i+1, services)
	}
	if p := c.fx.provider(); p.ActiveTokens != c.model.counted() || p.Queued != len(c.model.queue) {
		rt.Fatalf("%d counted and %d queued, the model says %d and %d", p.ActiveTokens, p.Queued, c.model.counted(), len(c.model.queue))
	}
	c.turn = c.turn%people + 1
	c.compareDeliveries(rt, c.turn)
}

func (c *comparison) compareServices(rt *rapid.T, n int, services []domain.Service) {
	if len(services) != len(c.model.tokens[n]) {
		rt.Fatalf("subscriber %d has %d tokens, the model %d", n, len(services), len(c.model.tokens[n]))
	}
	for i, s := range services {
		if k := c.model.tokens[n][i]; s.Status.String() != k.status || s.ProductID != k.product {
			rt.Fatalf("subscriber %d, token %d is %s of product %d, the model says %s of %d", n, i, s.Status, s.ProductID, k.status, k.product)
		}
	}
}
