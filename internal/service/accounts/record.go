package accounts

import (
	"context"
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

	refused unwritten[domain.RecordEntry, int] // counts
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
	r.refused.update(func(counts map[domain.RecordEntry]int) {
		if counts[e] == 0 && len(counts) >= maxRefused {
			e.Address = ""
		}
		counts[e] += n
	})
}

// RecordRefused writes the counts of refused requests. After an error it keeps them for the next
// call.
func (r *OperatorRecord) RecordRefused(ctx context.Context) error {
	return r.refused.write(func(counts map[domain.RecordEntry]int) error {
		entries := make([]domain.RecordEntry, 0, len(counts))
		for e, n := range counts {
			e.Count = n
			entries = append(entries, e)
		}
		return r.store.CountRefused(ctx, entries)
	}, r.keepRefused)
}
