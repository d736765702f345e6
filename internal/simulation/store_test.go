package simulation_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/servicetest"
)

var errKilled = errors.New("the process is killed")

// slowStore is the store as one server uses it. Each call takes its own time, drawn from the seed, and
// happens at one instant. The server is killed before or after the call that the seed chose; calls
// of a dead server have no effect.
type slowStore struct {
	servicetest.Store
	w    *week
	name string
	die  func() // takes the process off the network

	mu    sync.Mutex
	dead  bool
	steps int
	dieAt int  // number of the call at which it is killed; 0: none
	after bool // it is killed after that call has taken effect
}

// killAt makes a kill happen at one of the next calls.
func (s *slowStore) killAt(calls int, after bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dieAt, s.after = s.steps+calls, after
}

func (s *slowStore) kill() {
	s.mu.Lock()
	dead := s.dead
	s.dead = true
	s.mu.Unlock()
	if !dead {
		s.die()
	}
}

func (s *slowStore) isDead() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dead
}

// call makes one call at its own instant.
func (s *slowStore) call(what string, do func() error) error {
	if s.isDead() {
		return errKilled
	}
	<-time.After(s.w.chance.between("store "+s.name+what, 20*time.Microsecond, 4*time.Millisecond))
	s.mu.Lock()
	s.steps++
	dead, last, after := s.dead, s.steps == s.dieAt, s.after
	s.mu.Unlock()
	if !dead && last && !after {
		s.w.note(s.name, "is killed before %s", what)
		s.kill()
		dead = true
	}
	if dead {
		return errKilled
	}
	err := do()
	if last {
		s.w.note(s.name, "is killed after %s", what)
		s.kill()
		return errKilled
	}
	return err
}

func value[T any](s *slowStore, what string, do func() (T, error)) (v T, err error) {
	err = s.call(what, func() (err error) {
		v, err = do()
		return err
	})
	return v, err
}

func (s *slowStore) Update(ctx context.Context, p domain.ProviderID, fn func(context.Context, rules.Tx) error) error {
	return s.call(fmt.Sprint("a transaction of ", p), func() error {
		if request, ok := ctx.Value(requestName{}).(string); ok && s.w.chance.happens("meets "+request, 0.8) {
			s.w.meetings.attend(s, p, request)
			defer func() { <-time.After(s.w.chance.between("parts "+request, time.Microsecond, 100*time.Microsecond)) }()
			if s.isDead() {
				return errKilled
			}
		}
		return s.w.faults.update(ctx, s.Store, p, fn)
	})
}

// requestName is the key of a context's value that names its request by its content.
type requestName struct{}

// meetings make writes of requests share transactions: those that arrive at one instant are queued in
// the order of their names while the writer is busy, and it takes them all at once.
type meetings struct {
	mu      sync.Mutex
	arrived map[string]chan struct{} // by name; closed at its turn
}

// attend waits for the next meeting, and for the turn of the named request.
func (m *meetings) attend(s *slowStore, p domain.ProviderID, request string) {
	const every = 100 * time.Millisecond
	now := time.Now()
	<-time.After(now.Truncate(every).Add(every).Sub(now))
	if s.isDead() {
		return
	}
	m.mu.Lock()
	if len(m.arrived) == 0 {
		m.arrived = map[string]chan struct{}{}
		go m.hold(s.Store, p)
	}
	turn, same := m.arrived[request]
	if !same {
		turn = make(chan struct{})
		m.arrived[request] = turn
	}
	m.mu.Unlock()
	<-turn
}

// hold holds a meeting. Its nanoseconds let everything that happens at one instant end.
func (m *meetings) hold(s servicetest.Store, p domain.ProviderID) {
	<-time.After(time.Nanosecond)
	m.mu.Lock()
	arrived := m.arrived
	m.arrived = nil
	m.mu.Unlock()
	over := make(chan struct{})
	go func() {
		_ = s.Update(context.Background(), p, func(context.Context, rules.Tx) error {
			<-over
			return errPlanted
		})
	}()
	for _, request := range slices.Sorted(maps.Keys(arrived)) {
		<-time.After(time.Nanosecond)
		close(arrived[request])
	}
	<-time.After(time.Nanosecond)
	close(over)
}

// look makes a call that looks for work. Servers look less often than each second, in which they would
// seldom find any.
func look[T any](ctx context.Context, s *slowStore, what string, do func() ([]T, error)) ([]T, error) {
	select {
	case <-ctx.Done():
	case <-time.After(s.w.chance.between("looks "+s.name+what, time.Second, 20*time.Second)):
	}
	return value(s, what, do)
}

func (s *slowStore) DueDestinations(ctx context.Context, kind domain.DeliveryKind, now time.Time) ([]int64, error) {
	return look(ctx, s, "deliveries of kind "+kind.String(), func() ([]int64, error) { return s.Store.DueDestinations(ctx, kind, now) })
}

func (s *slowStore) ClaimDeliveries(ctx context.Context, to domain.Destination, n int, due, until time.Time) ([]domain.Delivery, error) {
	return value(s, fmt.Sprint("claiming deliveries of kind ", to.Kind, " to ", to.ID), func() ([]domain.Delivery, error) { return s.w.faults.claimDeliveries(ctx, s.Store, to, n, due, until) })
}

func ids(deliveries []domain.Delivery) (all []domain.DeliveryID) {
	for _, j := range deliveries {
		all = append(all, j.ID)
	}
	return all
}

func (s *slowStore) FinishDeliveries(ctx context.Context, deliveries []domain.Delivery, links []domain.Link) error {
	return s.call(fmt.Sprint("finishing deliveries ", ids(deliveries)), func() error { return s.w.faults.finishDeliveries(ctx, s.Store, deliveries, links) })
}

func (s *slowStore) LateOperations(ctx context.Context, now time.Time, n int, except []domain.ProviderID) ([]domain.Operation, error) {
	return look(ctx, s, "late operations", func() ([]domain.Operation, error) { return s.Store.LateOperations(ctx, now, n, except) })
}

func (s *slowStore) DueSchedules(ctx context.Context, now time.Time, n int, except []domain.ProviderID) ([]domain.Schedule, error) {
	return look(ctx, s, "schedules", func() ([]domain.Schedule, error) {
		if s.w.faults.name == "due schedules are forgotten" {
			return nil, nil
		}
		return s.Store.DueSchedules(ctx, now, n, except)
	})
}

func (s *slowStore) PromotableProviders(ctx context.Context) ([]domain.ProviderID, error) {
	return value(s, "promotable providers", func() ([]domain.ProviderID, error) { return s.Store.PromotableProviders(ctx) })
}

func (s *slowStore) FeedCallbacks(ctx context.Context) ([]domain.FeedCallback, error) {
	return look(ctx, s, "feed callbacks", func() ([]domain.FeedCallback, error) { return s.Store.FeedCallbacks(ctx) })
}

func (s *slowStore) UpdateFeedCallback(ctx context.Context, p domain.ProviderID, fn func(*domain.FeedCallback) error) (domain.FeedCallback, error) {
	return value(s, fmt.Sprint("the feed's cursor of ", p), func() (domain.FeedCallback, error) {
		return s.Store.UpdateFeedCallback(ctx, p, func(c *domain.FeedCallback) error {
			before := *c
			err := fn(c)
			s.w.faults.feed(before, c)
			return err
		})
	})
}

func (s *slowStore) Events(ctx context.Context, p domain.ProviderID, after domain.EventID, limit int) ([]domain.Event, error) {
	return value(s, fmt.Sprint("events of ", p), func() ([]domain.Event, error) { return s.w.faults.events(ctx, s.Store, p, after, limit) })
}

func (s *slowStore) EachSubscriber(ctx context.Context, p domain.ProviderID, fn func(*domain.SubscriberServices) error) error {
	return s.Store.EachSubscriber(ctx, s.w.faults.owner(p), fn)
}

func (s *slowStore) SubscriberPage(ctx context.Context, p domain.ProviderID, offset, limit int) ([]domain.SubscriberServices, int, error) {
	return s.Store.SubscriberPage(ctx, s.w.faults.owner(p), offset, limit)
}

func (s *slowStore) AddPartnerEvent(ctx context.Context, e domain.PartnerEvent) (bool, error) {
	return value(s, "storing partner event "+e.ID, func() (bool, error) { return s.Store.AddPartnerEvent(ctx, e) })
}

func (s *slowStore) RecordCallbackResult(ctx context.Context, p domain.ProviderID, ok bool) error {
	return s.call(fmt.Sprint("a callback's result of ", p), func() error { return s.Store.RecordCallbackResult(ctx, p, ok) })
}

func (s *slowStore) MarkOpened(ctx context.Context, l domain.Link, at time.Time) error {
	return s.call("an opened link", func() error { return s.Store.MarkOpened(ctx, l, at) })
}

func (s *slowStore) SaveBearer(ctx context.Context, b domain.BearerToken) error {
	return s.call("a bearer token", func() error { return s.Store.SaveBearer(ctx, b) })
}

func (s *slowStore) SetTokensUsed(ctx context.Context, used map[domain.TokenID]time.Time) error {
	return s.call("the use of tokens", func() error { return s.Store.SetTokensUsed(ctx, used) })
}

func (s *slowStore) Purge(ctx context.Context, c domain.RetentionCutoffs) error {
	return s.call("retention", func() error { return s.Store.Purge(ctx, c) })
}
