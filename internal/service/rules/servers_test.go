package rules_test

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/servicetest"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
)

// clients is the number of concurrent callers.
const clients = 16

// servers returns the fixture's manager and that of another server on the same database. SQLite has
// only one.
func (fx *fixture) servers() []*servicetest.Service {
	fx.t.Helper()
	pgtest.Only(fx.t, "postgres", "a file of SQLite has one server")
	second, err := store.Open(fx.ctx, fx.dsn, store.Options{Exclusive: true})
	fx.must(err)
	fx.t.Cleanup(func() { fx.must(second.Close()) })
	return []*servicetest.Service{fx.m, servicetest.New(second, fx.options)}
}

// each calls do for the numbers from 1 to n by several clients, alternating between the servers.
func (fx *fixture) each(n int, servers []*servicetest.Service, do func(m *servicetest.Service, n int)) {
	var next atomic.Int64
	var calls sync.WaitGroup
	for c := range clients {
		calls.Go(func() {
			for i := int(next.Add(1)); i <= n; i = int(next.Add(1)) {
				do(servers[c%len(servers)], i)
			}
		})
	}
	calls.Wait()
}

func TestTwoServersKeepTheLimitAndTheOrderOfTheQueue(t *testing.T) {
	t.Parallel()
	const limit, all = 100, 1000
	fx := newFixture(t, limit)
	servers := fx.servers()
	fx.register(1, all)
	places := make([]int, all+1) // by subscriber; 0: started at once
	fx.each(all, servers, func(m *servicetest.Service, n int) {
		results, err := m.Provision(fx.ctx, fx.call(), domain.RequestActivate, music, []string{doc(n)})
		if err != nil || results[0].Kind != rules.ResultAccepted {
			t.Errorf("subscriber %d: got %+v, %v", n, results, err)
			return
		}
		places[n] = results[0].QueuePosition
	})
	queued := slices.DeleteFunc(slices.Sorted(slices.Values(places[1:])), func(n int) bool { return n == 0 })
	if len(queued) != all-limit || queued[0] != 1 || queued[len(queued)-1] != all-limit || len(slices.Compact(queued)) != all-limit {
		t.Fatalf("got %d places in the queue, from %d to %d, want 1 to %d without gaps", len(queued), queued[0], queued[len(queued)-1], all-limit)
	}
	if p := fx.provider(); p.ActiveTokens != limit || p.Queued != all-limit {
		t.Errorf("got %d counted and %d queued, want %d and %d", p.ActiveTokens, p.Queued, limit, all-limit)
	}

	// After one server raised a limit, the first of the queue start, whichever server queued them.
	_, err := servers[1].SetLimit(fx.ctx, fx.p.Name, limit+250)
	fx.must(err)
	documents := docs(0, all)
	err = servers[0].EachSubscriber(fx.ctx, fx.p.ID, func(s *domain.SubscriberServices) error {
		n := slices.Index(documents, string(s.Document))
		want := domain.InProgress
		if places[n] > 250 {
			want = domain.LimitReached
		}
		if got := s.Services[0].Status; got != want {
			t.Errorf("place %d: got %s, want %s", places[n], got, want)
		}
		return nil
	})
	fx.must(err)
}

func TestTheFeedOfTwoServersHasEachEventOnceInOrder(t *testing.T) {
	t.Parallel()
	fx := newFixture(t, 1000)
	servers := fx.servers()
	written := make(chan struct{})
	var seen []domain.Event
	var reader sync.WaitGroup
	reader.Go(func() { // it reads the feed during the writes
		var cursor domain.EventID
		for more := true; more; {
			select {
			case <-written:
				more = false // the rest is there now
			default:
			}
			for {
				page, _, err := servers[1].Events(fx.ctx, fx.p.ID, cursor, 7)
				if err != nil {
					t.Error(err)
					return
				}
				if len(page) == 0 {
					break
				}
				seen = append(seen, page...)
				cursor = page[len(page)-1].ID
			}
		}
	})
	fx.each(300, servers, func(m *servicetest.Service, n int) {
		rows := []rules.Registration{{Fields: fields(n), Products: []int{playBasic, music}}}
		if _, err := m.Import(fx.ctx, fx.call(), rows); err != nil {
			t.Error(err)
		}
	})
	close(written)
	reader.Wait()
	first, _ := fx.p.ID.Records()
	if len(seen) != 900 {
		t.Errorf("got %d events, want 900", len(seen))
	}
	for i, e := range seen {
		if want := domain.EventID(first + int64(i) + 1); e.ID != want {
			t.Fatalf("event %d has number %d, want %d", i, e.ID-domain.EventID(first), want-domain.EventID(first))
		}
	}
}

func TestOneKeyAtTwoServersHasOneEffect(t *testing.T) {
	fx := newFixture(t, 1000)
	servers := fx.servers()
	const keys = 40
	var done, replayed atomic.Int64
	answers := make([]sync.Map, keys)
	fx.each(keys*8, servers, func(m *servicetest.Service, n int) {
		key := n % keys
		stored := &rules.IdempotencyKey{Key: [32]byte{1, byte(key)}, Fingerprint: [32]byte{2, byte(key)}}
		call := fx.call()
		call.IdempotencyKey = stored
		created, err := m.CreateSubscriber(context.WithoutCancel(fx.ctx), call, fields(key+1))
		switch {
		case err != nil:
			t.Errorf("key %d: %v", key, err)
		case stored.Repeated:
			replayed.Add(1)
		default:
			done.Add(1)
		}
		answers[key].Store(created.ID, true)
	})
	if done.Load() != keys || replayed.Load() != keys*7 {
		t.Errorf("got %d effects and %d replays, want %d and %d", done.Load(), replayed.Load(), keys, keys*7)
	}
	for key := range answers {
		different := 0
		answers[key].Range(func(any, any) bool { different++; return true })
		if different != 1 {
			t.Errorf("key %d: got %d different answers, want 1", key, different)
		}
	}
	_, total, err := fx.m.SubscriberPage(fx.ctx, fx.p.ID, 0, 1)
	if err != nil || total != keys {
		t.Errorf("got %d subscribers, %v, want %d", total, err, keys)
	}
}
