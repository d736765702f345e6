package rules

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
)

// unitOfWork is the work of one transaction. It changes services one by one in memory and writes
// them together at the end, so that a batch of thousands of elements takes a few statements.
type unitOfWork struct {
	engine         *Engine
	tx             Tx
	now            time.Time
	call           Call
	provider       domain.Provider // as it is saved at the end
	urgent         bool            // someone waits for its deliveries
	offers         map[int]domain.Offer
	speeds         map[int]bool        // the known ids of internet speeds
	onlySubscriber domain.SubscriberID // set if the call is about exactly one subscriber

	tracked map[domain.ServiceID]*domain.Service // every service read or created, by id
	created []*domain.Service                    // to insert
	changed map[domain.ServiceID]*domain.Service // to update
	changes Changes                              // to write; flush adds the services

	repeated    bool                                    // an earlier call did the work: nothing is written
	touched     bool                                    // a service or schedule was changed, perhaps without an event
	promoted    bool                                    // a queued activation has started
	waiting     map[domain.ServiceID][]*domain.Schedule // of the services for which they were read
	rescheduled []domain.ServiceID                      // that ended or changed their product
}

func newUnitOfWork(e *Engine, tx Tx, call Call) *unitOfWork {
	return &unitOfWork{
		engine: e, tx: tx, now: e.Now(), call: call, provider: tx.Provider(),
		tracked: map[domain.ServiceID]*domain.Service{}, changed: map[domain.ServiceID]*domain.Service{},
		waiting: map[domain.ServiceID][]*domain.Schedule{},
	}
}

// cause is why a service changes its status. It is recorded in the history.
type cause struct {
	trigger string
	actor   domain.Actor
	token   domain.TokenID
	reason  string
}

// causedBy returns the cause of a change that the caller requested.
func (u *unitOfWork) causedBy(trigger string) cause {
	return cause{trigger: trigger, actor: cmp.Or(u.call.Actor, domain.ActorProvider), token: u.call.Token}
}

// loadOffers reads the products, once per unit of work.
func (u *unitOfWork) loadOffers(ctx context.Context) (err error) {
	if u.offers == nil {
		u.offers, err = u.tx.Products(ctx)
	}
	return err
}

// loadSpeeds reads the ids of the internet speeds, once per unit of work.
func (u *unitOfWork) loadSpeeds(ctx context.Context) (err error) {
	if u.speeds == nil {
		u.speeds, err = u.tx.SpeedIDs(ctx)
	}
	return err
}

// track returns the unit of work's only copy of a service, so that everything
// that reads the service sees its changes.
func (u *unitOfWork) track(s domain.Service) *domain.Service {
	if have, ok := u.tracked[s.ID]; ok {
		return have
	}
	u.tracked[s.ID] = &s
	return &s
}

// loadServices returns the tracked services of the subscribers, in order of creation.
func (u *unitOfWork) loadServices(ctx context.Context, ids []domain.SubscriberID) (map[domain.SubscriberID][]*domain.Service, error) {
	read, err := u.tx.Services(ctx, ids)
	if err != nil {
		return nil, err
	}
	all := make(map[domain.SubscriberID][]*domain.Service, len(read))
	for id, list := range read {
		for _, s := range list {
			all[id] = append(all[id], u.track(s))
		}
	}
	return all, nil
}

// loadServicesOf reads the offers and returns the tracked services of the one subscriber that the
// call is about, in order of creation, or refuses with SubscriberNotFound.
func (u *unitOfWork) loadServicesOf(ctx context.Context, d cpf.Document) ([]*domain.Service, error) {
	if err := u.loadOffers(ctx); err != nil {
		return nil, err
	}
	sub, err := u.subscriber(ctx, d)
	if err != nil {
		return nil, err
	}
	all, err := u.loadServices(ctx, []domain.SubscriberID{sub.ID})
	return all[sub.ID], err
}

// loadOperations reads the offers and returns operations and their services, which it does not track.
func (u *unitOfWork) loadOperations(ctx context.Context, ids []domain.OperationID) (map[domain.OperationID]domain.Operation, map[domain.ServiceID]domain.Service, error) {
	if err := u.loadOffers(ctx); err != nil {
		return nil, nil, err
	}
	operations, err := u.tx.Operations(ctx, ids)
	if err != nil {
		return nil, nil, err
	}
	services := make([]domain.ServiceID, 0, len(operations))
	for _, op := range operations {
		services = append(services, op.Service)
	}
	found, err := u.tx.ServicesByID(ctx, services)
	return operations, found, err
}

// start creates a service of the product for a subscriber and moves it to its first status. have
// are the subscriber's services so far, in order of creation.
func (u *unitOfWork) start(sub domain.SubscriberID, product int, have []*domain.Service, c cause) (*domain.Service, *domain.Error) {
	first, _ := sub.Services()
	id := first + 1
	if n := len(have); n > 0 {
		id = have[n-1].ID + 1
	}
	if int64(id-first) > domain.MaxTokens {
		return nil, &domain.Error{Code: domain.TokenLimit, Message: "the subscriber has used up its 4,095 tokens"}
	}
	s := &domain.Service{ID: id, ProductID: product, CreatedAt: u.now}
	u.tracked[id] = s
	u.created = append(u.created, s)
	out := Decide(domain.NoService, domain.ActivateSame, Facts{SlotFree: u.provider.SlotFree()})
	u.move(s, out.To, c)
	return s, nil
}

// apply applies a trigger to a service and returns the table's decision. The caller has checked
// the rules that are not in the table.
func (u *unitOfWork) apply(s *domain.Service, t domain.Trigger, f Facts, c cause) Choice {
	out := u.decide(s, t, f)
	switch out.Verdict() {
	case Moves:
		u.move(s, out.To, c)
		if out.Then != 0 {
			u.move(s, out.Then, c)
		}
		u.applyDeferred(s)
	case Defers:
		u.deferTrigger(s, t)
	case Stays:
		if t == domain.Settle && s.Deferred == domain.GoOverdue || t == domain.GoOverdue && s.Deferred == domain.Settle {
			u.deferTrigger(s, 0) // the later request cancels the deferred one
		}
	}
	return out
}

// decide looks up the table's decision. It fills in the facts that follow from
// the service and the provider.
func (u *unitOfWork) decide(s *domain.Service, t domain.Trigger, f Facts) Choice {
	f.SlotFree = u.provider.SlotFree()
	f.Operation, f.LastStable = s.Kind, s.LastStable
	f.Expires = u.engine.options.ActivationTTL > 0
	return Decide(s.Status, t, f)
}

// deferTrigger records the trigger that is applied when the running operation
// ends; 0 clears it.
func (u *unitOfWork) deferTrigger(s *domain.Service, t domain.Trigger) {
	s.Deferred = t
	u.markChanged(s)
}

// applyDeferred applies a deferred overdue or settle once no operation is running.
func (u *unitOfWork) applyDeferred(s *domain.Service) {
	if t := s.Deferred; t != 0 && s.Status.Stable() {
		u.deferTrigger(s, 0)
		u.apply(s, t, Facts{}, cause{trigger: t.String(), actor: domain.ActorSystem, reason: "deferred"})
	}
}

func (u *unitOfWork) markChanged(s *domain.Service) { u.changed[s.ID], u.touched = s, true }

// recordEvent adds an event about a subscriber and returns it. The caller may complete it until
// the next one is added.
func (u *unitOfWork) recordEvent(t domain.EventType, sub domain.SubscriberID, c cause) *domain.Event {
	all := &u.changes.Events
	*all = append(*all, domain.Event{
		ID: u.provider.NextEvent(), At: u.now, Type: t, Subscriber: sub, Trigger: c.trigger, Actor: c.actor, Token: c.token, Reason: c.reason,
	})
	return &(*all)[len(*all)-1]
}

// finish writes the changes, promotes queued activations and saves the provider.
func (u *unitOfWork) finish(ctx context.Context) error {
	if err := u.flush(ctx); err != nil {
		return err
	}
	if err := u.promote(ctx); err != nil {
		return err
	}
	return u.tx.SaveProvider(ctx, u.provider)
}

// flush writes the changes so far.
func (u *unitOfWork) flush(ctx context.Context) error {
	if err := u.reschedule(ctx); err != nil {
		return err
	}
	c := u.changes
	for _, s := range u.created {
		c.NewServices = append(c.NewServices, *s)
		delete(u.changed, s.ID)
	}
	for _, id := range slices.Sorted(maps.Keys(u.changed)) {
		c.Services = append(c.Services, *u.changed[id])
	}
	u.created = nil
	clear(u.changed)
	// The next chunk needs about as much.
	u.changes = Changes{NewServices: c.NewServices[:0], NewOperations: c.NewOperations[:0], Events: c.Events[:0], NewDeliveries: c.NewDeliveries[:0]}
	return u.tx.Write(ctx, c)
}
