package simulation_test

import (
	"context"
	"errors"
	"sync"
	"time"

	"ativa/internal/provision"
)

var errKilled = errors.New("the process is killed")

// disk is what the servers share: the version counts the writes, so that a server
// need not look again where nothing has changed.
type disk struct {
	mu      sync.Mutex
	version int
}

func (d *disk) wrote() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.version++
}

func (d *disk) at() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.version
}

// slowStore is the store as one server sees it. Each call takes a time of its own,
// drawn from the seed, and then happens at one instant. The server is killed before
// or after the call that the seed chose; a dead server's calls have no effect.
type slowStore struct {
	provision.Store
	w    *world
	name string
	disk *disk
	die  func() // takes the process off the network

	mu     sync.Mutex
	dead   bool
	steps  int
	dieAt  int  // number of the call at which it is killed; 0: none
	after  bool // it is killed after that call has taken effect
	looked map[string]look
}

// look is when a server looked for work and found none.
type look struct {
	version int
	again   time.Time
}

// killAt makes one of the next calls the last.
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

// call makes one call at an instant of its own.
func (s *slowStore) call(what string, write bool, do func() error) error {
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
	if write {
		s.disk.wrote()
	}
	if last {
		s.w.note(s.name, "is killed after %s", what)
		s.kill()
		return errKilled
	}
	return err
}

// idle reports whether a look for work can be left out: nothing was written since
// the last one, which found none, and nothing has come due.
func (s *slowStore) idle(what string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.looked[what]
	return ok && !s.dead && l.version == s.disk.at() && s.w.now().Before(l.again)
}

func (s *slowStore) foundNothing(what string, again time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.looked[what] = look{s.disk.at(), again}
}

func value[T any](s *slowStore, what string, write bool, do func() (T, error)) (v T, err error) {
	err = s.call(what, write, func() error {
		var failed error
		v, failed = do()
		return failed
	})
	return v, err
}

func (s *slowStore) Update(ctx context.Context, p provision.ProviderID, fn func(context.Context, provision.Tx) error) error {
	return s.call("a transaction", true, func() error { return s.w.faults.update(ctx, s.Store, p, fn) })
}

func (s *slowStore) ClaimJobs(ctx context.Context, kind provision.JobKind, n int, now, until time.Time) ([]provision.Job, error) {
	what := "claiming of kind " + kind.String()
	if s.idle(what) {
		return nil, nil
	}
	jobs, err := value(s, what, false, func() ([]provision.Job, error) { return s.Store.ClaimJobs(ctx, kind, n, now, until) })
	switch {
	case err != nil:
		return nil, err
	case len(jobs) > 0:
		s.disk.wrote()
		return jobs, nil
	}
	open, err := s.Jobs(ctx, provision.JobFilter{Kinds: []provision.JobKind{kind}, States: []provision.JobState{provision.JobDue, provision.JobLeased}})
	again := now.Add(24 * time.Hour)
	for _, j := range open {
		if j.NextAt.Before(again) {
			again = j.NextAt
		}
	}
	s.foundNothing(what, again)
	return nil, err
}

func (s *slowStore) FinishJobs(ctx context.Context, jobs []provision.Job) error {
	return s.call("finishing deliveries", true, func() error { return s.w.faults.finishJobs(ctx, s.Store, jobs) })
}

func (s *slowStore) LateOperations(ctx context.Context, now time.Time, n int) ([]provision.Operation, error) {
	return lookFor(s, "late operations", func() ([]provision.Operation, error) { return s.Store.LateOperations(ctx, now, n) })
}

func (s *slowStore) PromotableProviders(ctx context.Context) ([]provision.ProviderID, error) {
	return lookFor(s, "promotable providers", func() ([]provision.ProviderID, error) { return s.Store.PromotableProviders(ctx) })
}

func (s *slowStore) PendingPartnerEvents(ctx context.Context, after provision.PartnerEvent, n int) ([]provision.PartnerEvent, error) {
	return lookFor(s, "pending partner events", func() ([]provision.PartnerEvent, error) { return s.Store.PendingPartnerEvents(ctx, after, n) })
}

// lookFor looks for work, at least once in half a minute.
func lookFor[T any](s *slowStore, what string, do func() ([]T, error)) ([]T, error) {
	if s.idle(what) {
		return nil, nil
	}
	found, err := value(s, what, false, do)
	if err == nil && len(found) == 0 {
		s.foundNothing(what, s.w.now().Add(30*time.Second))
	}
	return found, err
}

func (s *slowStore) FeedCallbacks(ctx context.Context) ([]provision.FeedCallback, error) {
	if s.idle("feed callbacks") {
		return s.feeds(), nil
	}
	all, err := value(s, "feed callbacks", false, func() ([]provision.FeedCallback, error) { return s.Store.FeedCallbacks(ctx) })
	again := s.w.now().Add(30 * time.Second)
	for _, c := range all {
		if c.Cursor < c.Newest {
			for _, at := range []time.Time{c.NextAttempt, c.LeasedUntil} {
				if at.Before(again) {
					again = at
				}
			}
		}
	}
	if err == nil {
		s.foundNothing("feed callbacks", again)
	}
	return all, err
}

// feeds are feed callbacks of which none is due.
func (s *slowStore) feeds() []provision.FeedCallback { return []provision.FeedCallback{{}} }

func (s *slowStore) UpdateFeedCallback(ctx context.Context, p provision.ProviderID, fn func(*provision.FeedCallback) error) error {
	return s.call("the feed's cursor", true, func() error {
		return s.Store.UpdateFeedCallback(ctx, p, func(c *provision.FeedCallback) error {
			before := *c
			err := fn(c)
			s.w.faults.feed(before, c)
			return err
		})
	})
}

func (s *slowStore) Events(ctx context.Context, p provision.ProviderID, after provision.EventID, limit int) ([]provision.Event, error) {
	return value(s, "events", false, func() ([]provision.Event, error) { return s.w.faults.events(ctx, s.Store, p, after, limit) })
}

func (s *slowStore) EachSubscriber(ctx context.Context, p provision.ProviderID, fn func(*provision.SubscriberServices) error) error {
	return s.Store.EachSubscriber(ctx, s.w.faults.owner(p), fn)
}

func (s *slowStore) SubscriberPage(ctx context.Context, p provision.ProviderID, offset, limit int) ([]provision.SubscriberServices, error) {
	return s.Store.SubscriberPage(ctx, s.w.faults.owner(p), offset, limit)
}

func (s *slowStore) AddPartnerEvent(ctx context.Context, e provision.PartnerEvent) (bool, error) {
	return value(s, "storing a partner event", true, func() (bool, error) { return s.Store.AddPartnerEvent(ctx, e) })
}

func (s *slowStore) SetPartnerEventState(ctx context.Context, e provision.PartnerEvent, to provision.PartnerEventState) (bool, error) {
	return value(s, "settling a partner event", true, func() (bool, error) { return s.Store.SetPartnerEventState(ctx, e, to) })
}

func (s *slowStore) RecordCallbackResult(ctx context.Context, p provision.ProviderID, ok bool) error {
	return s.call("a callback's result", true, func() error { return s.Store.RecordCallbackResult(ctx, p, ok) })
}

func (s *slowStore) InsertLinks(ctx context.Context, links []provision.Link) error {
	return s.call("links", true, func() error { return s.Store.InsertLinks(ctx, links) })
}

func (s *slowStore) MarkOpened(ctx context.Context, id provision.JobID, at time.Time) error {
	return s.call("an opened link", true, func() error { return s.Store.MarkOpened(ctx, id, at) })
}

func (s *slowStore) SaveBearer(ctx context.Context, b provision.BearerToken) error {
	return s.call("a bearer token", true, func() error { return s.Store.SaveBearer(ctx, b) })
}

func (s *slowStore) SetTokensUsed(ctx context.Context, used map[provision.TokenID]time.Time) error {
	return s.call("the use of tokens", true, func() error { return s.Store.SetTokensUsed(ctx, used) })
}

func (s *slowStore) Purge(ctx context.Context, c provision.RetentionCutoffs) error {
	return s.call("retention", true, func() error { return s.Store.Purge(ctx, c) })
}
