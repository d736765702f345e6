package rules_test

import (
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

// Two servers keep the limit, the order of the queue and the order of the feed, which is read at the
// same time. They carry out each request once, although each gets some of its repetitions.
func TestTwoServersActAsOne(t *testing.T) {
	t.Parallel()
	const limit, all, repeated = 100, 500, 4
	pgtest.Only(t, "postgres", "a file of SQLite has one server")
	fx := newFixture(t, limit)
	db, err := store.Open(fx.ctx, fx.dsn, store.Options{Exclusive: true})
	fx.must(err)
	t.Cleanup(func() { fx.must(db.Close()) })
	servers := []*servicetest.Service{fx.m, servicetest.New(db, fx.options)}
	fx.register(1, all)
	cursor, err := fx.m.LastEvent(fx.ctx, fx.p.ID)
	fx.must(err)
	begin := cursor
	var written atomic.Bool
	var reader sync.WaitGroup
	reader.Go(func() {
		for last := false; !last; {
			last = written.Load() // the rest is there now
			page, next, err := servers[1].Events(fx.ctx, fx.p.ID, cursor, 500)
			if err != nil || len(page) > 0 && page[0].ID != cursor+1 || int(next-cursor) != len(page) {
				t.Errorf("after event %d: got %d events to %d, %v", cursor, len(page), next, err)
				return
			}
			cursor = next
		}
	})
	places, effects := make([]int, all+1), atomic.Int64{} // by subscriber; 0: started at once
	activate := func(m *servicetest.Service, i int) {
		n := i/repeated%all + 1
		call := fx.call()
		call.IdempotencyKey = &rules.IdempotencyKey{Key: [32]byte{1, byte(n), byte(n >> 8)}, Fingerprint: [32]byte{2, byte(n), byte(n >> 8)}}
		results, err := m.Provision(fx.ctx, call, domain.RequestActivate, music, []string{doc(n)})
		if err != nil || results[0].Kind != rules.ResultAccepted {
			t.Errorf("subscriber %d: got %+v, %v", n, results, err)
			return
		}
		if !call.IdempotencyKey.Repeated {
			effects.Add(1)
			places[n] = results[0].QueuePosition
		}
	}
	var next atomic.Int64
	var clients sync.WaitGroup
	for c := range 16 {
		clients.Go(func() {
			for i := int(next.Add(1)); i <= all*repeated; i = int(next.Add(1)) {
				activate(servers[c%2], i)
			}
		})
	}
	clients.Wait()
	written.Store(true)
	reader.Wait()
	if got := cursor - begin; effects.Load() != all || got != all {
		t.Errorf("got %d effects and %d events of %d requests, want one of each", effects.Load(), got, all)
	}
	queued := slices.DeleteFunc(slices.Sorted(slices.Values(places[1:])), func(n int) bool { return n == 0 })
	if len(queued) != all-limit || queued[0] != 1 || queued[len(queued)-1] != all-limit || len(slices.Compact(queued)) != all-limit {
		t.Fatalf("got %d places in the queue, from %d to %d, want 1 to %d without gaps", len(queued), queued[0], queued[len(queued)-1], all-limit)
	}
	if p := fx.provider(); p.ActiveTokens != limit || p.Queued != all-limit {
		t.Errorf("got %d counted and %d queued, want %d and %d", p.ActiveTokens, p.Queued, limit, all-limit)
	}

	// After one server raised a limit, the first of the queue start, whichever server queued them.
	fx.must(errorOf(servers[1].SetLimit(fx.ctx, fx.p.Name, limit+250)))
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
