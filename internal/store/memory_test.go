package store_test

import (
	"runtime"
	"testing"

	"ativa/internal/provision"
	"ativa/internal/store"
	"ativa/internal/store/pgtest"
)

func held() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Going through all subscribers holds a few of them at a time.
func TestEachSubscriberNeedsTheSameMemoryForAnyNumber(t *testing.T) {
	const all = 20_000
	db := open(t, pgtest.DSN(t), store.Options{})
	defer db.Close()
	w := newWorld(t, db)
	w.insert(1, all)
	var before, after int64
	n := 0
	err := db.EachSubscriber(t.Context(), w.p, func(*provision.SubscriberServices) error {
		switch n++; n {
		case 2000:
			before = held()
		case all - 1000:
			after = held()
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
