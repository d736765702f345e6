package rules_test

import (
	"slices"
	"time"

	"pgregory.net/rapid"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

// mailing is an e-mail or a callback in the model.
type mailing struct {
	kind     domain.DeliveryKind
	number   int // of the e-mail of its token
	state    domain.DeliveryState
	attempts int
	due      time.Time
	link     string
	expires  time.Time // the link
	opened   bool
	used     bool
}

// mail adds an e-mail of a token.
func (k *token) mail(now time.Time) {
	k.emails++
	k.mailings = append(k.mailings, &mailing{kind: domain.EmailDelivery, number: k.emails, state: domain.DeliveryWaiting, due: now})
}

// call adds a callback about the token's last e-mail.
func (k *token) call(now time.Time) {
	k.mailings = append(k.mailings, &mailing{kind: domain.CallbackDelivery, number: k.emails, state: domain.DeliveryWaiting, due: now})
}

// stateOf returns the state of a mailing. A waiting one without a purpose is superseded.
func (k *token) stateOf(m *mailing) domain.DeliveryState {
	if m.state == domain.DeliveryWaiting && (m.number != k.emails || k.status != "inProgress" && k.status != "active") {
		return domain.DeliverySuperseded
	}
	return m.state
}

// resendOne resends a token in the model. It reports whether it mails or queues it.
func (c *comparison) resendOne(k *token) bool {
	out := c.model.apply(k, "resend", 0)
	if out[0] == '~' || out[0] == '!' {
		return false
	}
	if out == "=" {
		k.mail(c.fx.now)
	}
	if out != "limitReached" {
		k.resends++
		if c.callback {
			k.call(c.fx.now)
		}
	}
	return true
}

// claim claims the due deliveries of a kind and calls end for each with its mailing. Obsolete deliveries are then
// superseded.
func (c *comparison) claim(rt *rapid.T, kind domain.DeliveryKind, end func(domain.ClaimedDelivery, *token, *mailing)) {
	claimed, err := claim(c.fx.ctx, c.fx.m, kind, 1000, 1)
	c.fx.must(err)
	due := map[*mailing]bool{}
	for _, tokens := range c.model.tokens {
		for _, k := range tokens {
			for _, m := range k.mailings {
				if m.kind != kind || m.state != domain.DeliveryWaiting || m.due.After(c.fx.now) {
					continue
				}
				m.state = k.stateOf(m)
				due[m] = m.state == domain.DeliveryWaiting
			}
		}
	}
	for _, d := range claimed {
		first, _ := d.Subscriber.ID.Services()
		k := c.model.tokens[c.number(d.Subscriber.Document)][d.Delivery.Service-first-1]
		i := slices.IndexFunc(k.mailings, func(m *mailing) bool { return m.kind == kind && m.number == d.Sequence })
		if i < 0 || !due[k.mailings[i]] {
			rt.Fatalf("%s %d of a token is delivered, the model says it is not due", kind, d.Sequence)
		}
		m := k.mailings[i]
		delete(due, m)
		m.link, m.expires = d.LinkSecret, c.fx.now.Add(7*24*time.Hour)
		m.attempts++
		m.due = c.fx.now
		end(d, k, m)
	}
	for _, waits := range due {
		if waits {
			rt.Fatalf("a %s that waits was not delivered", kind)
		}
	}
}

// deliver attempts every due delivery, with random results.
func (c *comparison) deliver(rt *rapid.T) {
	for _, kind := range []domain.DeliveryKind{domain.EmailDelivery, domain.CallbackDelivery} {
		c.claim(rt, kind, func(d domain.ClaimedDelivery, k *token, m *mailing) {
			d.Delivery.LastAttemptAt = c.fx.now
			switch rapid.IntRange(0, 3).Draw(rt, "result") {
			case 0:
				d.Delivery.State, d.Delivery.LastError = domain.OutboxDue, "busy"
			case 1:
				d.Delivery.State, d.Delivery.LastError = domain.OutboxDead, "refused"
				m.state = domain.DeliveryFailed
				if kind == domain.EmailDelivery {
					c.fx.must(c.fx.m.FailRefused(c.fx.ctx, d.Delivery)) // killed before Finish
					c.model.apply(k, "failed", 0)
					c.model.promote()
					return
				}
			default:
				d.Delivery.State = domain.OutboxDone
				d.Delivery.LastError = ""
				m.state = domain.DeliverySent
			}
			c.fx.must(c.fx.m.Finish(c.fx.ctx, []domain.Delivery{d.Delivery}, nil))
		})
	}
}

// open views a random link that was sent.
func (c *comparison) open(rt *rapid.T) {
	var sent []*mailing
	of := map[*mailing]*token{}
	for n := 1; n <= people; n++ {
		for _, k := range c.model.tokens[n] {
			for _, m := range k.mailings {
				if m.link != "" {
					sent, of[m] = append(sent, m), k
				}
			}
		}
	}
	if len(sent) == 0 {
		return
	}
	m := rapid.SampledFrom(sent).Draw(rt, "link")
	m.opened = true
	k := of[m]
	c.fx.must(c.fx.m.RecordOpening(c.fx.ctx, c.viewLink(rt, k, m)))
}

// viewLink views a link and compares its state with the model.
func (c *comparison) viewLink(rt *rapid.T, k *token, m *mailing) rules.LinkView {
	view, err := c.fx.m.ViewLink(c.fx.ctx, m.link)
	c.fx.must(err)
	if want := k.linkOf(m, c.fx.now); view.State != want {
		rt.Fatalf("a link of %s shows state %d, the model says %d", k.status, view.State, want)
	}
	return view
}

// linkOf returns what the link of an e-mail shows. During a change, and while an activation is queued,
// it can be tried later: nothing is cancelled.
func (k *token) linkOf(m *mailing, now time.Time) rules.LinkState {
	switch {
	case m.used && k.status == "active":
		return rules.LinkActive
	case m.used:
		return rules.LinkUsed
	case m.number != k.emails:
		return rules.LinkReplaced
	case !now.Before(m.expires):
		return rules.LinkExpired
	case k.status == "error" && k.kind == domain.Activation:
		return rules.LinkClosed
	}
	return map[string]rules.LinkState{
		"inProgress": rules.LinkReady, "active": rules.LinkActive,
		"suspend": rules.LinkSuspended, "overdue": rules.LinkSuspended, "waitingSuspension": rules.LinkSuspended, "waitingSuspensionDueToOverdue": rules.LinkSuspended,
		"canceled": rules.LinkClosed, "canceledWithoutActivation": rules.LinkClosed, "waitingCancellation": rules.LinkClosed,
		"changed": rules.LinkUnavailable, "reactivated": rules.LinkUnavailable, "limitReached": rules.LinkUnavailable, "error": rules.LinkUnavailable,
	}[k.status]
}

// compareDeliveries compares the deliveries of a subscriber with the model.
func (c *comparison) compareDeliveries(rt *rapid.T, n int) {
	all, err := c.fx.m.SubscriberDeliveries(c.fx.ctx, c.fx.p.ID, document(n))
	c.fx.must(err)
	if !slices.IsSortedFunc(all, func(a, b domain.SubscriberDelivery) int { return int(b.ID - a.ID) }) {
		rt.Fatalf("the deliveries are not newest first")
	}
	slices.Reverse(all)
	for i, k := range c.model.tokens[n] {
		var got []domain.SubscriberDelivery
		for _, d := range all {
			first, _ := d.Delivery.Service.Subscriber().Services()
			if d.Delivery.Service == first+1+domain.ServiceID(i) {
				got = append(got, d)
			}
		}
		if len(got) != len(k.mailings) {
			rt.Fatalf("subscriber %d, token %d: %d deliveries, the model has %d", n, i, len(got), len(k.mailings))
		}
		for j, m := range k.mailings {
			c.compareDelivery(rt, &got[j], m, k.stateOf(m))
			if m.link != "" && m.number == k.emails {
				c.viewLink(rt, k, m)
			}
		}
	}
}

func (c *comparison) compareDelivery(rt *rapid.T, d *domain.SubscriberDelivery, m *mailing, want domain.DeliveryState) {
	if got := d.StateAt(c.fx.now); d.Kind != m.kind || got != want || d.Attempts != m.attempts || d.OpenedAt.IsZero() == m.opened {
		rt.Fatalf("%s %s after %d attempts, opened at %s; the model says %s %s after %d, opened: %t",
			d.Kind, got, d.Attempts, d.OpenedAt, m.kind, want, m.attempts, m.opened)
	}
	if attempted, next := d.LastAttemptAt, d.NextAttempt(c.fx.now); attempted.IsZero() != (m.attempts == 0) || next.IsZero() == (want == domain.DeliveryWaiting) {
		rt.Fatalf("%s %s after %d attempts: the last at %s, the next at %s", m.kind, want, m.attempts, attempted.Format(time.TimeOnly), next.Format(time.TimeOnly))
	}
}
