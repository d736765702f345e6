package simulation_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"net/http/httptest"
	"slices"
	"strings"
	"time"

	"ativa/internal/api"
	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

// The invariants, named after the guarantees.
const (
	importExact    = "an import is exact"
	retriesOnce    = "a retry never doubles"
	acknowledged   = "an acknowledged write stays"
	statesLegal    = "the state machine holds"
	limitHolds     = "the limit holds and the queue is fair"
	deliveriesMade = "no delivery is lost, and a kill repeats one"
	feedInOrder    = "the feed is pushed in order, without a gap"
	reportedTrue   = "reports are true"
	apart          = "providers are separate"
	noSecret       = "no secret leaks"
	allEnds        = "everything ends"
	linksOnce      = "a link works once"
	scheduledOnce  = "a schedule is performed once"
	oneOfFamily    = "nobody has two products of a family"
)

// check compares the database at the end with what was requested, acknowledged, delivered and reported.
func (w *week) check() {
	ctx := context.Background()
	deliveries, err := w.db.Deliveries(ctx, domain.DeliveryFilter{})
	w.must(err)
	providers, err := w.db.Providers(ctx)
	w.must(err)
	if len(providers) != len(w.providers) {
		w.broken(acknowledged, "there are %d providers of %d", len(providers), len(w.providers))
		return
	}
	for i, p := range w.providers {
		p.all = map[string]domain.SubscriberServices{}
		w.must(w.db.EachSubscriber(ctx, p.id, func(s *domain.SubscriberServices) error {
			one := *s
			one.Services = slices.Clone(s.Services)
			p.all[string(s.Document)] = one
			return nil
		}))
		p.events = p.readEvents()
		p.checkImport()
		p.checkAcknowledged()
		p.checkHistory(providers[i])
		p.checkDeliveries(deliveries)
		p.checkFeed()
		p.checkSchedules()
		p.checkFamilies()
		for _, r := range p.reports {
			p.checkReport(r)
		}
	}
	w.checkDeliveries(deliveries)
	w.checkLinks()
	w.checkSecrets()
}

// checkSchedules: each due schedule was performed once.
func (p *provider) checkSchedules() {
	w := p.w
	all, err := w.db.Schedules(context.Background(), domain.ScheduleQuery{Provider: p.id})
	w.must(err)
	type key struct { // not the product, which a change may replace meanwhile
		service   domain.ServiceID
		operation string
	}
	done, happened := map[key]int{}, map[key]map[time.Time]bool{}
	for _, s := range all {
		k := key{s.Service, s.Request.String()}
		switch {
		case s.State == domain.ScheduleDone:
			done[k]++
		case s.State == domain.ScheduleWaiting && s.At.Before(w.now().Add(-time.Minute)):
			w.broken(scheduledOnce, "%s: %s was due at %s and waits", p.name, s.ID, s.At)
		}
	}
	for _, e := range p.events {
		k := key{e.Service, e.Trigger}
		if e.Document == "" || e.Reason != "scheduled" {
			continue // erased, with its schedules, or not scheduled
		}
		if happened[k] == nil {
			happened[k] = map[time.Time]bool{}
		}
		happened[k][e.At] = true
	}
	for k, times := range happened {
		if len(times) > done[k] {
			w.broken(scheduledOnce, "%s: the scheduled %s of service %d happened %d times and was done %d times", p.name, k.operation, k.service, len(times), done[k])
		}
	}
}

// checkFamilies: nobody has both of the products 1 and 2, which replace each other.
func (p *provider) checkFamilies() {
	for d, s := range p.all {
		live := 0
		for _, v := range s.Services {
			if v.ProductID <= 2 && !v.Status.Ended() {
				live++
			}
		}
		if live > 1 {
			p.w.broken(oneOfFamily, "%s: %s has %d services of one family", p.name, d, live)
		}
	}
}

// checkLinks: a link that activated a service is marked as used, unless it is purged.
func (w *week) checkLinks() {
	for secret := range w.used {
		link, found, err := w.db.LinkByHash(context.Background(), sha256.Sum256([]byte(secret)))
		w.must(err)
		if found && link.UsedAt.IsZero() {
			w.broken(linksOnce, "a link that activated service %d is not marked as used", link.Service)
		}
	}
}

// checkImport: each row exists once, with exactly its products.
func (p *provider) checkImport() {
	for d, products := range p.rows {
		s, found := p.all[d]
		if found == p.deleted[d] {
			p.w.broken(importExact, "%s: the imported %s is there: %t, deleted: %t", p.name, d, found, p.deleted[d])
		}
		if !found || p.touched[d] {
			continue
		}
		var got []int
		for _, v := range s.Services {
			got = append(got, v.ProductID)
		}
		slices.Sort(got)
		if !slices.Equal(got, products) {
			p.w.broken(importExact, "%s: %s has the products %v, its row %v", p.name, d, got, products)
		}
	}
	if len(p.all) > len(p.rows) {
		p.w.broken(importExact, "%s has %d subscribers of %d rows", p.name, len(p.all), len(p.rows))
	}
}

// checkAcknowledged: everything that a server acknowledged exists.
func (p *provider) checkAcknowledged() {
	for d := range p.acknowledged {
		if _, found := p.all[d]; !found && !p.deleted[d] {
			p.w.broken(acknowledged, "%s: the acknowledged %s is gone", p.name, d)
		}
	}
	begun := map[string]bool{}
	for _, e := range p.events {
		begun[e.Operation.String()] = true
	}
	for id := range p.operations {
		if !begun[id] {
			p.w.broken(acknowledged, "%s: the acknowledged operation %s is gone", p.name, id)
		}
	}
}

func (p *provider) readEvents() (all []domain.Event) {
	for after := domain.EventID(0); ; after = all[len(all)-1].ID {
		page, err := p.w.db.Events(context.Background(), p.id, after, 500)
		p.w.must(err)
		if all = append(all, page...); len(page) == 0 {
			return all
		}
	}
}

// history follows the events of a provider, from the first to the last.
type history struct {
	p        *provider
	services map[domain.ServiceID]domain.Service
	last     map[domain.ServiceID]domain.Event
	queue    []domain.ServiceID
	moves    map[string]int // repetitions of one operation's status change
	requests map[string]int // requests of the provider, by document and trigger
}

// checkHistory: every step is in the transition table and happens once for each request, and the limit and
// the order of the queue hold at each.
func (p *provider) checkHistory(now domain.Provider) {
	h := &history{p: p, services: map[domain.ServiceID]domain.Service{}, last: map[domain.ServiceID]domain.Event{}, moves: map[string]int{}, requests: map[string]int{}}
	created := map[domain.SubscriberID]int{}
	for _, e := range p.events {
		if e.Subscriber.Provider() != p.id {
			p.w.broken(apart, "%s has the event %s of another provider", p.name, e.ID)
		}
		switch e.Type {
		case domain.SubscriberCreated:
			if created[e.Subscriber]++; created[e.Subscriber] > 1 {
				p.w.broken(retriesOnce, "%s: the subscriber %s was created %d times", p.name, e.Subscriber, created[e.Subscriber])
			}
		case domain.SubscriberUpdated:
			h.requested(e, "update")
		case domain.EmailRequested:
			h.requested(e, "resend")
		case domain.StatusChanged:
			h.step(e)
		}
	}
	if active := h.active(); active != now.ActiveTokens || len(h.queue) != now.Queued {
		p.w.broken(limitHolds, "%s: %d are active and %d are queued, and its counters say %d and %d", p.name, active, len(h.queue), now.ActiveTokens, now.Queued)
	}
}

// requested counts the effects of a provider's commands of one kind.
func (h *history) requested(e domain.Event, command string) {
	if e.Actor != domain.ActorProvider || e.Document == "" || command == "" {
		return
	}
	key := e.Document + " " + command
	mine := key + " " + e.Subscriber.String() + string(rune(e.ProductID))
	if h.requests[mine]++; h.requests[mine] > h.p.typed[key] {
		h.p.w.broken(retriesOnce, "%s: %s happened %d times for the product %d, and was typed %d times", h.p.name, key, h.requests[mine], e.ProductID, h.p.typed[key])
	}
}

func (h *history) step(e domain.Event) {
	w, s := h.p.w, h.services[e.Service]
	if s.Status != e.Previous {
		w.broken(statesLegal, "%s: event %s leaves %s, and the service is %s", h.p.name, e.ID, e.Previous, s.Status)
	}
	if !allowed(e, h.last[e.Service]) {
		w.broken(statesLegal, "%s: event %s goes from %s to %s by %s", h.p.name, e.ID, e.Previous, e.Status, e.Trigger)
	}
	move := e.Operation.String() + e.Previous.String() + e.Status.String() + e.Trigger
	if h.moves[move]++; h.moves[move] > 1 {
		w.broken(retriesOnce, "%s: event %s repeats the step from %s to %s of operation %s", h.p.name, e.ID, e.Previous, e.Status, e.Operation)
	}
	h.requested(e, map[string]string{"suspend": "suspend", "overdue": "overdue", "deactivate": "deactivate"}[e.Trigger])
	switch position := slices.Index(h.queue, e.Service); {
	case e.Status == domain.LimitReached:
		h.queue = append(h.queue, e.Service)
	case e.Previous == domain.LimitReached && position >= 0:
		if position != 0 && e.Status == domain.InProgress {
			w.broken(limitHolds, "%s: event %s overtakes %d that were queued before", h.p.name, e.ID, position)
		}
		h.queue = slices.Delete(h.queue, position, position+1)
	case e.Status == domain.InProgress && len(h.queue) > 0:
		w.broken(limitHolds, "%s: event %s passes by %d that are queued", h.p.name, e.ID, len(h.queue))
	}
	if s.Status == domain.Active || s.Status == domain.Suspended || s.Status == domain.Overdue {
		s.LastStable = s.Status
	}
	s.Status = e.Status
	h.services[e.Service], h.last[e.Service] = s, e
	limit := h.p.limit
	for _, before := range h.p.raised {
		if e.ID > before {
			limit += raise
		}
	}
	if active := h.active(); e.Status == domain.InProgress && active > limit {
		w.broken(limitHolds, "%s: event %s makes %d active services of %d", h.p.name, e.ID, active, limit)
	}
}

func (h *history) active() (n int) {
	for _, s := range h.services {
		if s.HoldsActiveToken() {
			n++
		}
	}
	return n
}

// allowed reports whether the transition table has the step of an event. Of two steps at once the second follows
// from the first.
func allowed(e, before domain.Event) bool {
	for t := domain.ActivateSame; t <= domain.SlotAvailable; t++ {
		activates := t <= domain.ActivateOther && (e.Trigger == "import" || e.Trigger == "activate")
		if !activates && e.Trigger != t.String() {
			continue
		}
		if slices.ContainsFunc(rules.Choices(e.Previous, t), func(c rules.Choice) bool { return c.To == e.Status }) {
			return true
		}
		second := func(c rules.Choice) bool { return c.Then == e.Status }
		if before.Trigger == e.Trigger && before.At.Equal(e.At) && slices.ContainsFunc(rules.Choices(before.Previous, t), second) {
			return true
		}
	}
	return false
}

// checkDeliveries: every message to a subscriber or the partner has a delivery.
func (p *provider) checkDeliveries(deliveries []domain.Delivery) {
	has := map[domain.OperationID]map[domain.DeliveryKind]bool{}
	for _, j := range deliveries {
		if has[j.Operation] == nil {
			has[j.Operation] = map[domain.DeliveryKind]bool{}
		}
		has[j.Operation][j.Kind] = true
	}
	for _, e := range p.events {
		kind := domain.PartnerDelivery
		switch e.Status {
		case domain.InProgress:
			kind = domain.EmailDelivery
		case domain.WaitingSuspension, domain.WaitingSuspensionDueToOverdue, domain.Reactivated, domain.Changed, domain.WaitingCancellation:
		default:
			continue
		}
		if _, kept := p.all[e.Document]; kept && !has[e.Operation][kind] {
			p.w.broken(deliveriesMade, "%s: event %s made no delivery of kind %s", p.name, e.ID, kind)
		}
	}
}

// checkDeliveries: what was delivered has arrived, and nothing arrived more often than it was
// attempted, or was claimed without an attempt, except when a kill or a clock jump prevented recording it.
func (w *week) checkDeliveries(deliveries []domain.Delivery) {
	o := w.peers
	attempts := map[string]int{}
	repeats := map[domain.DeliveryKind]int{}
	byHand := map[domain.OperationID]bool{} // the partner gets no request
	operations, err := w.db.ListOperations(context.Background(), domain.OperationFilter{})
	w.must(err)
	for _, op := range operations {
		byHand[op.ID] = op.PartnerName == "manual"
	}
	arrived := func(j domain.Delivery) (id string, n int) {
		switch j.Kind {
		case domain.EmailDelivery:
			id = j.ID.String()
			return id, o.emails["<"+id+"@provedor.example>"]
		case domain.CallbackDelivery:
			id = j.ID.String()
			return id, o.notices[id]
		}
		id = j.Operation.String()
		return id, o.requests[id]
	}
	for _, j := range deliveries {
		id, n := arrived(j)
		attempts[id] += j.Attempts
		if j.State == domain.OutboxDead {
			w.broken(deliveriesMade, "the delivery %s of kind %s was given up: %s", j.ID, j.Kind, j.LastError)
		}
		if n := w.claims[j.ID]; n > j.Attempts+1+w.kills+w.jumps {
			w.broken(deliveriesMade, "the delivery %s of kind %s was claimed %d times for %d attempts", j.ID, j.Kind, n, j.Attempts)
		}
		called := j.Kind != domain.PartnerDelivery || !byHand[j.Operation]
		if called && j.State == domain.OutboxDone && j.Attempts > 0 && j.LastError == "" && n == 0 {
			w.broken(deliveriesMade, "the delivery %s of kind %s is done, and never arrived", j.ID, j.Kind)
		}
	}
	seen := map[string]bool{}
	for _, j := range deliveries {
		if id, n := arrived(j); !seen[id] {
			seen[id] = true
			repeats[j.Kind] += max(0, n-attempts[id])
		}
	}
	for kind, atOnce := range map[domain.DeliveryKind]int{domain.EmailDelivery: 1, domain.CallbackDelivery: 4, domain.PartnerDelivery: 8} {
		if most := (w.kills + w.jumps) * atOnce; repeats[kind] > most {
			w.broken(deliveriesMade, "%d of kind %s arrived again, in %d kills and %d jumps", repeats[kind], kind, w.kills, w.jumps)
		}
	}
}

// checkFeed: the receiver got every event, in order.
func (p *provider) checkFeed() {
	var want []domain.EventID
	for _, e := range p.events {
		want = append(want, e.ID)
	}
	if !slices.Equal(p.fed, want) {
		p.w.broken(feedInOrder, "%s was pushed %d events, and there are %d", p.name, len(p.fed), len(want))
	}
	for _, got := range p.forwards {
		if len(got) > len(want) || !slices.Equal(got, want[:len(got)]) {
			p.w.broken(feedInOrder, "%s was forwarded %d events, and not the first ones", p.name, len(got))
		}
	}
}

// report is the output of a command with --wait, and the newest events before and after it.
type report struct {
	began, ended domain.EventID
	stdout       string
}

// checkReport: each service had the printed status while the command ran.
func (p *provider) checkReport(r report) {
	var res api.BatchResponse
	if err := json.Unmarshal([]byte(r.stdout), &res); err != nil || len(res.Results) == 0 {
		p.w.broken(reportedTrue, "%s: %v in %s", p.name, err, r.stdout)
	}
	for _, one := range res.Results {
		if one.Status == nil || p.deleted[one.Document] || one.Result == api.ResultFailed {
			continue
		}
		last := map[domain.ServiceID]domain.Event{}
		had := false
		for _, e := range p.events {
			if e.Document != one.Document || e.Type != domain.StatusChanged || e.ID > r.ended {
				continue
			}
			if e.ID <= r.began {
				last[e.Service] = e
			} else {
				had = had || e.Status.String() == *one.Status
			}
		}
		for _, e := range last {
			had = had || e.Status.String() == *one.Status
		}
		if !had {
			p.w.broken(reportedTrue, "%s: %s was reported as %s between the events %s and %s", p.name, one.Document, *one.Status, r.began, r.ended)
		}
	}
}

// checkSecrets: logs, outputs and the files of commands contain no secret, and a server's log no
// personal data. Commands may keep bearer tokens.
func (w *week) checkSecrets() {
	logged, printed := w.logged.text.String(), w.printed.text.String()
	for secret, what := range w.secrets {
		if strings.Contains(logged, secret) || strings.Contains(printed, secret) {
			w.broken(noSecret, "%s was logged or printed", what)
		}
	}
	for _, p := range w.providers {
		for path, text := range p.files() {
			for secret, what := range w.secrets {
				if bytes.Contains(text, []byte(secret)) && what != bearerToken {
					w.broken(noSecret, "%s stands in %s", what, path)
				}
			}
		}
		for _, d := range p.order {
			if strings.Contains(logged, d) {
				w.broken(noSecret, "a document was logged")
			}
		}
		if strings.Contains(logged, "@"+p.name+".example.com") && !strings.Contains(logged, "***@"+p.name) {
			w.broken(noSecret, "an e-mail address was logged")
		}
	}
}

// followed records the page's answer to a press of its button.
func (w *week) followed(secret string, a *httptest.ResponseRecorder) {
	w.mu.Lock()
	defer w.mu.Unlock()
	page := a.Body.String()
	if w.used[secret] && a.Code < 500 && !strings.Contains(page, "Link já utilizado") && !strings.Contains(page, "Serviço já ativo") {
		w.brokenLocked(linksOnce, "a link that was used is answered with %d", a.Code)
	}
	if strings.Contains(page, "Serviço ativado") {
		w.used[secret] = true
	}
}
