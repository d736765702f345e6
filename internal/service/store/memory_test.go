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

// Going through all matches holds their ids, and a few of them at a time.
func TestEachMatchHoldsAFewSubscribers(t *testing.T) {
	const all = 20_000
	db := open(t, pgtest.DSN(t), store.Options{Exclusive: true})
	defer db.Close()
	f := newFixture(t, db)
	f.insert(1, all)
	f.wantFound("assinante", all) // the index is there
	term, err := domain.ParseSearchTerm("assinante")
	if err != nil {
		t.Fatal(err)
	}
	n, before, most := 0, heapInUse(), int64(0)
	err = db.EachMatch(t.Context(), f.p, term, func(*domain.SubscriberServices) error {
		if n++; n%5000 == 1 {
			most = max(most, heapInUse())
		}
		return nil
	})
	if err != nil || n != all {
		t.Fatalf("got %d subscribers, %v", n, err)
	}
	if most-before > 2<<20 {
		t.Errorf("a search of %d matches held %d KiB", n, (most-before)>>10)
	}
}

// Going through all subscribers holds a few of them at a time.
func TestEachSubscriberNeedsTheSameMemoryForAnyNumber(t *testing.T) {
	const all = 20_000
	db := open(t, pgtest.DSN(t), store.Options{})
	defer db.Close()
	f := newFixture(t, db)
	f.insert(1, all)
	var before, after int64
	n := 0
	err := db.EachSubscriber(t.Context(), f.p, func(*domain.SubscriberServices) error {
		switch n++; n {
		case 2000:
			before = heapInUse()
		case all - 1000:
			after = heapInUse()
		}
		return nil
	})
	if err != nil || n != all {
		t.Fatalf("got %d subscribers, %v", n, err)
	}
	if grown := after - before; before == 0 || grown > 2<<20 {
		t.Errorf("memory grew by %d KiB over %d subscribers", grown>>10, n)
	}
}
