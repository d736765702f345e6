package simulation_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/servicetest"
)

var errKilled = errors.New("the process is killed")

// The kinds of work that servers look for, named as the columns of agenda.
const (
	late       = "late operations"
	promotable = "promotable providers"
	feeds      = "feed callbacks"
	schedules  = "schedules"
)

// agenda returns when the first work of each kind is due, NULL if there is none.
const agenda = `SELECT
	(SELECT MIN(next_at) FROM delivery WHERE kind = 1 AND state < 2) AS "deliveries of kind email",
	(SELECT MIN(next_at) FROM delivery WHERE kind = 2 AND state < 2) AS "deliveries of kind callback",
	(SELECT MIN(next_at) FROM delivery WHERE kind = 3 AND state < 2) AS "deliveries of kind partner",
	(SELECT MIN(deadline) FROM operation WHERE deadline IS NOT NULL) AS "late operations",
	(SELECT MIN(due_at) FROM schedule WHERE state = 1) AS "schedules",
	(SELECT 0 FROM provider WHERE queued > 0 AND active_tokens < active_limit) AS "promotable providers",
	(SELECT MIN(MAX(next_attempt_at, leased_until)) FROM feed_callback f JOIN provider p ON p.id = f.provider_id
		WHERE f.cursor < (p.id << 43) + p.last_event) AS "feed callbacks"`

// disk is the servers' shared database. After each write it determines when the next work is due, so
// that servers need not look each second.
type disk struct {
	mu      sync.Mutex
	conn    *sqlite.Conn
	due     map[string]time.Time
	changed chan struct{} // closed and replaced by a write that makes work due earlier
}

func (d *disk) open(path string) (err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.conn, err = sqlite.OpenConn(path, sqlite.OpenReadOnly)
	return err
}

func (d *disk) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	err := d.conn.Close()
	d.conn = nil
	return err
}

// wake makes all servers look for due work.
func (d *disk) wake() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.wakeLocked()
}

func (d *disk) wakeLocked() {
	close(d.changed)
	d.changed = make(chan struct{})
}

// wrote is called after every write that may create work.
func (d *disk) wrote() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.conn == nil { // the database is being reopened
		return nil
	}
	st, err := d.conn.Prepare(agenda)
	if err != nil {
		return err
	}
	if _, err := st.Step(); err != nil {
		return errors.Join(err, st.Reset())
	}
	due, earlier := map[string]time.Time{}, false
	for i := range st.ColumnCount() {
		if st.ColumnType(i) != sqlite.TypeNull {
			what, at := st.ColumnName(i), time.UnixMicro(st.ColumnInt64(i))
			before, was := d.due[what]
			due[what], earlier = at, earlier || !was || at.Before(before)
		}
	}
	if d.due = due; earlier {
		d.wakeLocked()
	}
	return st.Reset()
}

// dueAt returns when the first of the kinds of work is due, at the latest at the given time, and a
// channel that is closed when that may have changed.
func (d *disk) dueAt(latest time.Time, looks ...string) (time.Time, <-chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, what := range looks {
		if at, ok := d.due[what]; ok && at.Before(latest) {
			latest = at
		}
	}
	return latest, d.changed
}

// slowStore is the store as one server uses it. Each call takes its own time, drawn from the seed, and
// happens at one instant. The server is killed before or after the call that the seed chose; calls
// of a dead server have no effect.
type slowStore struct {
	servicetest.Store
	w    *week
	name string
	disk *disk
	die  func() // takes the process off the network

	mu     sync.Mutex
	dead   bool
	steps  int
	dieAt  int                  // number of the call at which it is killed; 0: none
	after  bool                 // it is killed after that call has taken effect
	looked map[string]time.Time // when this server last looked
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

// call makes one call at its own instant. It may create work that servers look for.
func (s *slowStore) call(what string, makesWork bool, do func() error) error {
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
	if makesWork {
		s.w.must(s.disk.wrote())
	}
	if last {
		s.w.note(s.name, "is killed after %s", what)
		s.kill()
		return errKilled
	}
	return err
}

// lookAnyway is how often a server looks for work that is not due.
const lookAnyway = 10 * time.Minute

// isDue reports whether looking for work may find any; now and then also if it will not.
func (s *slowStore) isDue(what string) bool {
	now := s.w.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	at, _ := s.disk.dueAt(s.looked[what].Add(lookAnyway), what)
	if at.After(now) {
		return false
	}
	s.looked[what] = now
	return true
}

// waitUntilDue waits until one of several kinds of work is due, half a minute at most, and reports
// whether it waited. A server that looked each second would find the same.
func (s *slowStore) waitUntilDue(ctx context.Context, looks ...string) (waited bool) {
	for limit := s.w.now().Add(30 * time.Second); ctx.Err() == nil; {
		now := s.w.now()
		at, changed := s.disk.dueAt(limit, looks...)
		if !at.After(now) {
			break
		}
		waited = true
		select {
		case <-ctx.Done():
		case <-changed:
		case <-time.After(at.Sub(now)):
		}
	}
	if waited { // not at the instant of the write that ended the wait, which also wakes the worker
		<-time.After(s.w.chance.between("looks "+s.name+looks[0], time.Microsecond, 100*time.Microsecond))
	}
	return waited
}

func value[T any](s *slowStore, what string, makesWork bool, do func() (T, error)) (v T, err error) {
	err = s.call(what, makesWork, func() (err error) {
		v, err = do()
		return err
	})
	return v, err
}

func (s *slowStore) Update(ctx context.Context, p domain.ProviderID, fn func(context.Context, rules.Tx) error) error {
	return s.call(fmt.Sprint("a transaction of ", p), true, func() error {
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

// whenDue makes a call that looks for work if there may be some. Otherwise it waits until some is due,
// and returns none.
func whenDue[T any](ctx context.Context, s *slowStore, what string, do func() ([]T, error)) ([]T, error) {
	if !s.isDue(what) {
		s.waitUntilDue(ctx, what)
		return nil, nil
	}
	return value(s, what, false, do)
}

func (s *slowStore) DueDestinations(ctx context.Context, kind domain.DeliveryKind, now time.Time) ([]int64, error) {
	return whenDue(ctx, s, "deliveries of kind "+kind.String(), func() ([]int64, error) { return s.Store.DueDestinations(ctx, kind, now) })
}

func (s *slowStore) ClaimDeliveries(ctx context.Context, to domain.Destination, n int, due, until time.Time) ([]domain.Delivery, error) {
	return value(s, fmt.Sprint("claiming deliveries of kind ", to.Kind, " to ", to.ID), true, func() ([]domain.Delivery, error) { return s.w.faults.claimDeliveries(ctx, s.Store, to, n, due, until) })
}

func ids(deliveries []domain.Delivery) (all []domain.DeliveryID) {
	for _, j := range deliveries {
		all = append(all, j.ID)
	}
	return all
}

func (s *slowStore) FinishDeliveries(ctx context.Context, deliveries []domain.Delivery, links []domain.Link) error {
	return s.call(fmt.Sprint("finishing deliveries ", ids(deliveries)), true, func() error { return s.w.faults.finishDeliveries(ctx, s.Store, deliveries, links) })
}

// LateOperations is the first query of each second.
func (s *slowStore) LateOperations(ctx context.Context, now time.Time, n int, except []domain.ProviderID) ([]domain.Operation, error) {
	if s.waitUntilDue(ctx, late, promotable) {
		<-time.After(time.Second)
	}
	return lookFor(s, late, func() ([]domain.Operation, error) { return s.Store.LateOperations(ctx, now, n, except) })
}

func (s *slowStore) DueSchedules(ctx context.Context, now time.Time, n int, except []domain.ProviderID) ([]domain.Schedule, error) {
	return whenDue(ctx, s, schedules, func() ([]domain.Schedule, error) {
		if s.w.faults.name == "due schedules are forgotten" {
			return nil, nil
		}
		return s.Store.DueSchedules(ctx, now, n, except)
	})
}

func (s *slowStore) PromotableProviders(ctx context.Context) ([]domain.ProviderID, error) {
	return lookFor(s, promotable, func() ([]domain.ProviderID, error) { return s.Store.PromotableProviders(ctx) })
}

// lookFor makes a call that looks for work if there may be some.
func lookFor[T any](s *slowStore, what string, do func() ([]T, error)) ([]T, error) {
	if !s.isDue(what) {
		return nil, nil
	}
	return value(s, what, false, do)
}

func (s *slowStore) FeedCallbacks(ctx context.Context) ([]domain.FeedCallback, error) {
	return whenDue(ctx, s, feeds, func() ([]domain.FeedCallback, error) { return s.Store.FeedCallbacks(ctx) })
}

func (s *slowStore) UpdateFeedCallback(ctx context.Context, p domain.ProviderID, fn func(*domain.FeedCallback) error) (domain.FeedCallback, error) {
	return value(s, fmt.Sprint("the feed's cursor of ", p), true, func() (domain.FeedCallback, error) {
		return s.Store.UpdateFeedCallback(ctx, p, func(c *domain.FeedCallback) error {
			before := *c
			err := fn(c)
			s.w.faults.feed(before, c)
			return err
		})
	})
}

func (s *slowStore) Events(ctx context.Context, p domain.ProviderID, after domain.EventID, limit int) ([]domain.Event, error) {
	return value(s, fmt.Sprint("events of ", p), false, func() ([]domain.Event, error) { return s.w.faults.events(ctx, s.Store, p, after, limit) })
}

func (s *slowStore) EachSubscriber(ctx context.Context, p domain.ProviderID, fn func(*domain.SubscriberServices) error) error {
	return s.Store.EachSubscriber(ctx, s.w.faults.owner(p), fn)
}

func (s *slowStore) SubscriberPage(ctx context.Context, p domain.ProviderID, offset, limit int) ([]domain.SubscriberServices, int, error) {
	return s.Store.SubscriberPage(ctx, s.w.faults.owner(p), offset, limit)
}

func (s *slowStore) AddPartnerEvent(ctx context.Context, e domain.PartnerEvent) (bool, error) {
	return value(s, "storing partner event "+e.ID, true, func() (bool, error) { return s.Store.AddPartnerEvent(ctx, e) })
}

func (s *slowStore) RecordCallbackResult(ctx context.Context, p domain.ProviderID, ok bool) error {
	return s.call(fmt.Sprint("a callback's result of ", p), true, func() error { return s.Store.RecordCallbackResult(ctx, p, ok) })
}

func (s *slowStore) MarkOpened(ctx context.Context, l domain.Link, at time.Time) error {
	return s.call("an opened link", false, func() error { return s.Store.MarkOpened(ctx, l, at) })
}

func (s *slowStore) ChangeToken(ctx context.Context, p domain.ProviderID, decide func(domain.Provider, []domain.AccessToken) (domain.TokenChange, error)) (domain.AccessToken, error) {
	return value(s, "a token", true, func() (domain.AccessToken, error) { return s.Store.ChangeToken(ctx, p, decide) })
}

func (s *slowStore) SaveBearer(ctx context.Context, b domain.BearerToken) error {
	return s.call("a bearer token", false, func() error { return s.Store.SaveBearer(ctx, b) })
}

func (s *slowStore) SetTokensUsed(ctx context.Context, used map[domain.TokenID]time.Time) error {
	return s.call("the use of tokens", false, func() error { return s.Store.SetTokensUsed(ctx, used) })
}

func (s *slowStore) Purge(ctx context.Context, c domain.RetentionCutoffs) error {
	return s.call("retention", false, func() error { return s.Store.Purge(ctx, c) })
}
