package store_test

import (
	"context"
	"testing"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

// Operations without a deadline are never overdue, written alone or with others; a list has the
// selected ones. An activation with a deadline waits for no partner: it once raised the alert about
// partners who do not confirm.
func TestOperationsWithAndWithoutDeadline(t *testing.T) {
	f, db := newDatabase(t)
	now := noon
	first, _ := f.p.Records()
	operation := func(n int, deadline time.Time) domain.Operation {
		return domain.Operation{ID: domain.OperationID(first + int64(n)), State: domain.OperationWaiting, CreatedAt: now, Deadline: deadline}
	}
	activation := operation(6, now.Add(time.Hour))
	activation.Kind = domain.Activation
	f.update(func(ctx context.Context, tx rules.Tx) error {
		if err := tx.Write(ctx, rules.Changes{NewOperations: []domain.Operation{operation(1, now), operation(2, time.Time{}), operation(3, now.Add(time.Second))}}); err != nil {
			return err
		}
		return tx.Write(ctx, rules.Changes{NewOperations: []domain.Operation{operation(4, time.Time{}), operation(5, time.Time{}), activation}})
	})
	overdue, err := db.LateOperations(t.Context(), now, 10)
	if err != nil || len(overdue) != 1 || overdue[0].ID != operation(1, now).ID || !overdue[0].Deadline.Equal(now) {
		t.Errorf("got %+v, %v, want the first alone", overdue, err)
	}
	if s, err := db.Stats(t.Context()); err != nil || s.Operations != 2 {
		t.Errorf("got %+v, %v, want the two that wait for a partner with a deadline", s, err)
	}
	ids := []domain.OperationID{operation(2, now).ID, operation(5, now).ID}
	listed, err := db.ListOperations(t.Context(), domain.OperationFilter{IDs: ids})
	if err != nil || len(listed) != 2 || listed[0].ID != ids[0] || listed[1].ID != ids[1] || !listed[0].Deadline.IsZero() {
		t.Errorf("got %+v, %v, want the second and the fifth", listed, err)
	}
	for _, c := range []struct {
		filter domain.OperationFilter
		want   int
	}{
		{domain.OperationFilter{}, 6},
		{domain.OperationFilter{States: []domain.OperationState{domain.OperationWaiting}}, 6},
		{domain.OperationFilter{States: []domain.OperationState{domain.OperationWaiting + 1}}, 0},
		{domain.OperationFilter{CreatedBefore: now}, 0},
		{domain.OperationFilter{CreatedBefore: now.Add(time.Second)}, 6},
		{domain.OperationFilter{HoldingSlot: true}, 0},
	} {
		if got, err := db.ListOperations(t.Context(), c.filter); err != nil || len(got) != c.want {
			t.Errorf("%+v: got %d, %v, want %d", c.filter, len(got), err, c.want)
		}
	}
}
