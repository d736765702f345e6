package accounts

import (
	"context"
	"sync"
	"time"

	"ativa/internal/service/domain"
)

// RecordStore stores the operator's record. Entries never change, except the counts of refused
// requests.
type RecordStore interface {
	AddRecord(context.Context, domain.RecordEntry) error
	// CountRefused adds to the counts of refused requests by hour, address and request.
	CountRefused(context.Context, []domain.RecordEntry) error
}

// OperatorRecord writes the operator's record. It is safe for concurrent use.
type OperatorRecord struct {
	store RecordStore
	clock domain.Clock

	mu      sync.Mutex
	refused map[domain.RecordEntry]int // counts that are not yet written
}

// NewOperatorRecord returns the record of a database.
func NewOperatorRecord(store RecordStore, clock domain.Clock) *OperatorRecord {
	return &OperatorRecord{store: store, clock: clock}
}

// RecordCommand adds a command of the operator to the record.
func (r *OperatorRecord) RecordCommand(ctx context.Context, e domain.RecordEntry) error {
	e.At = r.clock.Now()
	return r.store.AddRecord(ctx, e)
}

// maxRefused bounds the number of counts in memory. Further addresses are counted together, without a
// name.
const maxRefused = 10_000

// CountRefused counts a refused request of an address. [OperatorRecord.RecordRefused] writes the
// counts later, so that no request waits.
func (r *OperatorRecord) CountRefused(address, request string) {
	r.keepRefused(domain.RecordEntry{At: r.clock.Now().Truncate(time.Hour), Address: address, Command: request}, 1)
}

func (r *OperatorRecord) keepRefused(e domain.RecordEntry, n int) {
	e.Count = 0
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refused == nil {
		r.refused = map[domain.RecordEntry]int{}
	}
	if r.refused[e] == 0 && len(r.refused) >= maxRefused {
		e.Address = ""
	}
	r.refused[e] += n
}

// RecordRefused writes the counts of refused requests. After an error it keeps them for the next
// call.
func (r *OperatorRecord) RecordRefused(ctx context.Context) error {
	r.mu.Lock()
	counts := r.refused
	r.refused = nil
	r.mu.Unlock()
	if len(counts) == 0 {
		return nil
	}
	entries := make([]domain.RecordEntry, 0, len(counts))
	for e, n := range counts {
		e.Count = n
		entries = append(entries, e)
	}
	err := r.store.CountRefused(ctx, entries)
	if err != nil {
		for _, e := range entries {
			r.keepRefused(e, e.Count)
		}
	}
	return err
}
