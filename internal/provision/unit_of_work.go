package provision

import (
	"context"
	"maps"
	"slices"
	"time"
)

// unitOfWork is the work of one transaction: services are changed in memory, one
// after the other as if each were alone, and written together at the end, so
// that a batch of thousands takes a handful of statements.
type unitOfWork struct {
	m              *Manager
	tx             Tx
	now            time.Time
	actor          Actor
	provider       Provider
	offers         map[int]Offer
	onlySubscriber SubscriberID // the one subscriber that the call is about, if it is

	tracked  map[ServiceID]*Service // every service met, by id
	inserted []*Service             // to insert
	changed  map[ServiceID]*Service // to update

	operations []Operation
	changes    []OperationChange // to operations begun earlier
	events     []Event
	jobs       []Job
	madeJobs   bool
	promoted   bool // a queued activation has started
	unfinished bool // it is a part of a request, and not the last
}

func newUnitOfWork(m *Manager, tx Tx, actor Actor) *unitOfWork {
	if actor == "" {
		actor = ActorProvider
	}
	return &unitOfWork{
		m: m, tx: tx, now: m.now(), actor: actor, provider: tx.Provider(),
		tracked: map[ServiceID]*Service{}, changed: map[ServiceID]*Service{},
	}
}

// cause is why a service moves: it ends up in the history.
type cause struct {
	trigger string
	actor   Actor
	reason  string
}

func (u *unitOfWork) causedBy(trigger string) cause { return cause{trigger: trigger, actor: u.actor} }

// loadOffers reads the products, once per unit.
func (u *unitOfWork) loadOffers(ctx context.Context) error {
	if u.offers != nil {
		return nil
	}
	offers, err := u.tx.Products(ctx)
	u.offers = offers
	return err
}

// track returns the unit's own copy of a service that was read, so that two
// readings of one service share their changes.
func (u *unitOfWork) track(s Service) *Service {
	if have, ok := u.tracked[s.ID]; ok {
		return have
	}
	u.tracked[s.ID] = &s
	return &s
}

// services returns the tracked services of the subscribers, in order of creation.
func (u *unitOfWork) services(ctx context.Context, ids []SubscriberID) (map[SubscriberID][]*Service, error) {
	read, err := u.tx.Services(ctx, ids)
	if err != nil {
		return nil, err
	}
	all := make(map[SubscriberID][]*Service, len(read))
	for id, list := range read {
		for _, s := range list {
			all[id] = append(all[id], u.track(s))
		}
	}
	return all, nil
}

// start makes a new token of the product for the subscriber, whose tokens so
// far are given, and moves it to its first status.
func (u *unitOfWork) start(sub SubscriberID, product int, have []*Service, c cause) (*Service, *Error) {
	first, _ := sub.Services()
	id := first + 1
	if n := len(have); n > 0 {
		id = have[n-1].ID + 1
	}
	if int64(id-first) > maxTokens {
		return nil, &Error{Code: TokenLimit, Message: "the subscriber has used up its 4,095 tokens"}
	}
	s := &Service{ID: id, ProductID: product, CreatedAt: u.now}
	u.tracked[id] = s
	u.inserted = append(u.inserted, s)
	out := Decide(NoService, ActivateSame, Facts{SlotFree: u.provider.slotFree()})
	u.move(s, out.To[0], c)
	return s, nil
}

// apply lets a trigger happen to a service and reports the table's decision.
// The caller has checked what the table does not know.
func (u *unitOfWork) apply(s *Service, t Trigger, f Facts, c cause) Outcome {
	out := u.decide(s, t, f)
	switch out.Verdict {
	case Moves:
		for _, to := range out.To {
			u.move(s, to, c)
		}
		u.applyDeferred(s)
	case Defers:
		u.deferTrigger(s, t)
	case Stays:
		if t == Settle && s.Deferred == GoOverdue || t == GoOverdue && s.Deferred == Settle {
			u.deferTrigger(s, 0) // the later wish counts
		}
	}
	return out
}

// decide asks the table; it fills in the facts that the service and the
// provider know themselves.
func (u *unitOfWork) decide(s *Service, t Trigger, f Facts) Outcome {
	f.SlotFree = u.provider.slotFree()
	f.Operation, f.LastStable = s.Kind, s.LastStable
	f.Expires = u.m.options.ActivationTTL > 0
	return Decide(s.Status, t, f)
}

func (u *unitOfWork) deferTrigger(s *Service, t Trigger) {
	s.Deferred = t
	u.markChanged(s)
}

// applyDeferred lets an overdue or settle that had to wait happen now, if the
// service came to rest.
func (u *unitOfWork) applyDeferred(s *Service) {
	t := s.Deferred
	if t == 0 || !s.Status.stable() && !s.Status.Ended() {
		return
	}
	u.deferTrigger(s, 0)
	if s.Status.stable() {
		u.apply(s, t, Facts{}, cause{trigger: t.String(), actor: ActorSystem, reason: "deferred"})
	}
}

// markChanged marks a service as changed.
func (u *unitOfWork) markChanged(s *Service) { u.changed[s.ID] = s }

// recordEvent adds an event about the subscriber itself.
func (u *unitOfWork) recordEvent(t EventType, sub SubscriberID, c cause) {
	u.events = append(u.events, Event{
		ID: u.provider.nextEvent(), At: u.now, Type: t, Subscriber: sub, Trigger: c.trigger, Actor: c.actor, Reason: c.reason,
	})
}

// finish writes what the unit did and starts queued activations that have
// room now, oldest first.
func (u *unitOfWork) finish(ctx context.Context) error {
	if err := u.flush(ctx); err != nil {
		return err
	}
	if err := u.promote(ctx); err != nil {
		return err
	}
	return u.tx.SaveProvider(ctx, u.provider)
}

// flush writes what has gathered, in a handful of statements.
func (u *unitOfWork) flush(ctx context.Context) error {
	fresh := make([]Service, 0, len(u.inserted))
	for _, s := range u.inserted {
		fresh = append(fresh, *s)
		delete(u.changed, s.ID)
	}
	changed := make([]Service, 0, len(u.changed))
	for _, id := range slices.Sorted(maps.Keys(u.changed)) {
		changed = append(changed, *u.changed[id])
	}
	err := firstError(
		writeRows(ctx, u.tx.InsertServices, fresh),
		writeRows(ctx, u.tx.UpdateServices, changed),
		writeRows(ctx, u.tx.InsertOperations, u.operations),
		writeRows(ctx, u.tx.UpdateOperations, u.changes),
		writeRows(ctx, u.tx.InsertEvents, u.events),
		writeRows(ctx, u.tx.InsertJobs, u.jobs),
	)
	u.inserted, u.operations, u.changes, u.events, u.jobs = nil, nil, nil, nil, nil
	clear(u.changed)
	return err
}

// writeRows returns the step of writing rows, which is none when there are none.
func writeRows[T any](ctx context.Context, to func(context.Context, []T) error, rows []T) func() error {
	return func() error {
		if len(rows) == 0 {
			return nil
		}
		return to(ctx, rows)
	}
}

func firstError(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
