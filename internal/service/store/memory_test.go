package store_test

import (
	"runtime"
	"testing"

	"ativa/internal/service/domain"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
)

func heapInUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Reading all subscribers, or all matches of a term, holds only a few in memory.
func TestListsNeedTheSameMemoryForAnyNumber(t *testing.T) {
	const all = 20_000
	f, db := newDatabaseOn(t, pgtest.DSN(t), store.Options{Exclusive: true})
	f.insert(1, all)
	f.wantFound("assinante", all) // the index is there
	term, err := domain.ParseSearchTerm("assinante")
	must(t, err)
	for name, each := range map[string]func(fn func(*domain.SubscriberServices) error) error{
		"all":     func(fn func(*domain.SubscriberServices) error) error { return db.EachSubscriber(t.Context(), f.p, fn) },
		"matches": func(fn func(*domain.SubscriberServices) error) error { return db.EachMatch(t.Context(), f.p, term, fn) },
	} {
		n, before, most := 0, heapInUse(), int64(0)
		err := each(func(*domain.SubscriberServices) error {
			if n++; n%5000 == 1 {
				most = max(most, heapInUse())
			}
			return nil
		})
		if err != nil || n != all {
			t.Fatalf("%s: got %d subscribers, %v", name, n, err)
		}
		if most-before > 2<<20 {
			t.Errorf("%s: %d subscribers held %d KiB", name, n, (most-before)>>10)
		}
	}
}
