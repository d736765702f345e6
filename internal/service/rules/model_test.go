package rules_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ativa/internal/processtest"
	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/store/pgtest"
)

// model is an implementation of states.csv and the notes of decisions.md 9 in memory, without the
// program's code.
type model struct {
	cells  stateTable
	limit  int
	now    func() time.Time
	queue  []*token // first come, first served
	tokens map[int][]*token
}

// token is one service in the model.
type token struct {
	product, previous int
	status, stable    string
	kind              domain.OperationKind // of the running or failed operation
	deferred          string
	emails            int // requested so far
	resends, events   int // of the token, and their events (decisions.md 12)
	mailings          []*mailing
	moves             []string // changes of status, and refusals of schedules, whose events were not compared yet
}

func newModel(t *testing.T, now func() time.Time) *model {
	return &model{cells: readStateTable(t), now: now, tokens: map[int][]*token{}}
}

func (k *token) enabled() bool {
	return k.status == "active" || k.stable == "active" && !stable(k.status) && !k.ended()
}

func stable(status string) bool {
	return slices.Contains([]string{"active", "suspend", "overdue"}, status)
}

func (k *token) ended() bool {
	return k.status == "canceled" || k.status == "canceledWithoutActivation"
}

func (k *token) counted() bool {
	switch k.status {
	case "inProgress", "active", "changed", "reactivated", "waitingSuspension", "waitingSuspensionDueToOverdue":
		return true
	case "waitingCancellation", "error":
		return k.enabled()
	}
	return false
}

func (m *model) counted() int {
	n := 0
	for _, list := range m.tokens {
		for _, k := range list {
			if k.counted() {
				n++
			}
		}
	}
	return n
}

func (m *model) slotFree() bool { return len(m.queue) == 0 && m.counted() < m.limit }

// decide returns the decision about a trigger, target being the product that is requested.
func (m *model) decide(k *token, trigger string, target int) string {
	f := rules.Facts{SlotFree: m.slotFree(), Operation: k.kind, LastStable: statuses()[k.stable],
		Replaceable: target != 0 && family(target) == family(k.product) && target != k.product, SameTarget: target == k.product}
	if k.status == "error" {
		f.SameTarget = target == k.previous
	}
	return m.cells.decide(k.status, trigger, f)
}

func family(product int) string {
	if product == playBasic || product == playPremium {
		return "play"
	}
	return strconv.Itoa(product)
}

// apply applies a trigger to a token and returns the decision.
func (m *model) apply(k *token, trigger string, target int) string {
	out := m.decide(k, trigger, target)
	switch {
	case out == "~deferred":
		k.deferred = trigger
	case out == "=" && (trigger == "settle" && k.deferred == "overdue" || trigger == "overdue" && k.deferred == "settle"):
		k.deferred = ""
	case out == "=" || out == "new" || out[0] == '!' || out[0] == '~' || out == "-":
	default:
		for _, to := range strings.Split(out, ">") {
			m.move(k, to, target)
		}
		if d := k.deferred; d != "" && stable(k.status) {
			k.deferred = ""
			m.apply(k, d, 0)
		}
	}
	return out
}

func (m *model) move(k *token, to string, target int) {
	from, replaced := k.status, k.product
	if stable(from) {
		k.stable = from
	}
	if !stable(to) && to != "error" {
		k.deferred = "" // it waited for the end of the operation before
	}
	if from == "limitReached" {
		m.queue = slices.DeleteFunc(m.queue, func(q *token) bool { return q == k })
	}
	k.status = to
	switch to {
	case "limitReached":
		m.queue = append(m.queue, k)
		k.kind = domain.Activation
	case "inProgress":
		k.kind = domain.Activation
		k.mail(m.now())
	case "changed":
		k.previous, k.product, k.kind = k.product, target, domain.ProductChange
	case "reactivated":
		k.kind = domain.Reactivation
	case "waitingSuspension":
		k.kind = domain.Suspension
	case "waitingSuspensionDueToOverdue":
		k.kind = domain.OverdueSuspension
	case "waitingCancellation":
		k.kind = domain.Cancellation
	case "error":
		if k.kind == domain.ProductChange {
			k.product, k.previous = k.previous, k.product
		}
	case "active":
		if from == "error" && k.kind == domain.ProductChange {
			k.product = k.previous
		}
	}
	if replaced == k.product {
		replaced = 0
	}
	k.moves = append(k.moves, moveOf(from, to, k.product, replaced))
}

// moveOf describes a change of status.
func moveOf(from, to string, product, replaced int) string {
	return fmt.Sprintf("%s to %s of product %d after %d", from, to, product, replaced)
}

// promote starts queued activations while the provider is below its limit.
func (m *model) promote() {
	for len(m.queue) > 0 && m.counted() < m.limit {
		m.apply(m.queue[0], "slot_available", 0)
	}
}

// activate requests an activation for subscriber n.
func (m *model) activate(n, product int) string {
	var same, related *token
	for _, k := range m.tokens[n] {
		switch {
		case k.ended():
		case k.product == product:
			same = k
		case family(k.product) == family(product):
			related = k
		}
	}
	switch {
	case same != nil:
		return m.apply(same, "activate_same", 0)
	case related != nil:
		return m.apply(related, "activate_family", product)
	}
	k := &token{product: product, status: "(none)"}
	out := m.decide(k, "activate_same", 0)
	m.tokens[n] = append(m.tokens[n], k)
	m.move(k, out, 0)
	return out
}

// find returns the token that a request about the product concerns.
func (m *model) find(n, product int) *token {
	var last *token
	for _, k := range m.tokens[n] {
		if k.product == product && (last == nil || last.ended()) {
			last = k
		}
	}
	return last
}

// rounds sets the number of random sequences and returns how many times they run: up to 100 each. On PostgreSQL each
// step goes over the network.
func rounds(t *testing.T) int {
	t.Helper()
	sequences := 100
	if os.Getenv(pgtest.Engine) != "sqlite" {
		sequences = 40
	}
	sequences = processtest.FromEnv(t, "ATIVA_MODEL_SEQUENCES", sequences)
	checks := flag.Lookup("rapid.checks").Value
	was := checks.String()
	t.Cleanup(func() { _ = checks.Set(was) })
	if err := checks.Set(strconv.Itoa(min(sequences, 100))); err != nil {
		t.Fatal(err)
	}
	return (sequences + 99) / 100
}

// The rules on a real database follow states.csv in any order of requests, clicks, confirmations
// (also duplicate, late, stale and unknown ones), limit changes and restarts. A hundred random sequences
// run, or as many hundreds as ATIVA_MODEL_SEQUENCES says, each with a provider of its own.
func TestTheRulesFollowTheModelInAnyOrder(t *testing.T) {
	t.Parallel()
	for range rounds(t) {
		fx, providers := newFixture(t, 0), 0
		rapid.Check(t, func(rt *rapid.T) {
			providers++
			runSequence(rt, fx, newModel(t, func() time.Time { return fx.now }), fmt.Sprint("Provedor ", providers))
		})
		fx.t = t
		fx.check(t)
	}
}

// runSequence runs one random sequence with a new provider.
func runSequence(rt *rapid.T, fx *fixture, m *model, provider string) {
	fx.t, fx.acting = rt, 0
	fx.cancelSchedules()
	fx.deliverAll()
	var err error
	fx.p, fx.token, err = fx.m.CreateProvider(fx.ctx, domain.Provider{Name: provider}, playBasic, playPremium, music)
	fx.must(err)
	fx.now = time.Date(2026, 3, 5, 12, 0, 0, 0, time.UTC) // the 8th of March has no midnight in Havana
	zone, err := time.LoadLocation(rapid.SampledFrom([]string{"UTC", "America/Sao_Paulo", "America/Havana", "Asia/Tokyo"}).Draw(rt, "zone"))
	fx.must(err)
	c := &comparison{fx: fx, model: m, access: fx.newActors(), callback: rapid.Bool().Draw(rt, "callback"), zone: zone}
	c.setLimit(rt)
	if c.callback {
		fx.must(errorOf(fx.m.SetCallback(fx.ctx, fx.p.Name, "https://azul.example.com/", false)))
	}
	rt.Repeat(map[string]func(*rapid.T){
		"":           c.compare,
		"activate":   c.withToken(c.request(domain.RequestActivate, "activate")),
		"suspend":    c.withToken(c.request(domain.RequestSuspend, "suspend")),
		"deactivate": c.withToken(c.request(domain.RequestDeactivate, "deactivate")),
		"overdue":    c.withToken(c.request(domain.RequestOverdue, "overdue")),
		"settle":     c.withToken(c.request(domain.RequestSettle, "settle")),
		"change":     c.withToken(c.change),
		"resend":     c.withToken(c.resend),
		"deliver":    c.deliver,
		"open":       c.open,
		"click":      c.click,
		"confirm":    c.confirm,
		"old":        c.confirmOld,
		"limit":      c.setLimit,
		"time":       c.passTime,
		"schedule":   c.withToken(c.scheduleLater),
		"perform":    c.performDue,
		"restart":    func(*rapid.T) { fx.reopen() },
	})
	c.comparePlanned(rt)
	for n := 1; n <= people; n++ {
		c.compareDeliveries(rt, n)
	}
	c.compareUsage(rt)
}

// deliverAll delivers all deliveries of earlier sequences.
func (fx *fixture) deliverAll() {
	fx.now = fx.now.AddDate(1, 0, 0) // an earlier sequence may have set the clock back
	for _, kind := range []domain.DeliveryKind{domain.EmailDelivery, domain.CallbackDelivery} {
		claimed, err := claim(fx.ctx, fx.m, kind, 1000, time.Minute)
		fx.must(err)
		for _, d := range claimed {
			d.Delivery.State = domain.OutboxDone
			fx.must(fx.m.Finish(fx.ctx, []domain.Delivery{d.Delivery}, nil))
		}
	}
}
