package store

import (
	"context"
	"fmt"

	"ativa/internal/service/domain"
)

// runGroup runs the writes of one transaction and, after a bulk write, the small ones that are
// then waiting. It returns all of them; each has its own error. A returned error ends the
// transaction.
func (t *tx) runGroup(ctx context.Context, q *writeQueue, group []*write) ([]*write, error) {
	for i := 0; i < len(group); i++ {
		w := group[i]
		if w.err = w.ctx.Err(); w.err != nil {
			continue
		}
		if !w.bulk {
			if err := t.runInSavepoint(ctx, w); err != nil {
				return group, err
			}
			continue
		}
		// Without a savepoint, because SQLite would then copy every page that it changes. A bulk
		// write runs first, so its failure undoes no other write.
		t.othersWait = func() bool { return q.othersWait(w.provider) }
		err := t.runOne(ctx, w)
		if err == nil {
			err = t.flush(ctx)
		}
		if err != nil {
			return group, err
		}
		group = append(group, q.takeSmall()...)
	}
	return group, nil
}

// runInSavepoint runs one write. A failed write is undone alone, unless its error ends the
// transaction.
func (t *tx) runInSavepoint(ctx context.Context, w *write) error {
	if err := t.queue(ctx, `SAVEPOINT one`); err != nil {
		return err
	}
	texts := len(t.indexChanges)
	if w.err = t.runOne(ctx, w); w.err == nil {
		w.err = t.exec(ctx, `RELEASE one`)
	}
	if w.err == nil || t.dialect().endsTransaction(w.err) {
		return w.err
	}
	t.indexChanges = t.indexChanges[:texts]
	_ = t.flush(ctx) // queued statements are undone with the rest
	if err := t.exec(ctx, `ROLLBACK TO one`); err != nil {
		return err
	}
	return t.exec(ctx, `RELEASE one`)
}

// runOne locks the provider of a write, runs the write and writes the provider's row. On
// PostgreSQL the last statements may still be queued.
func (t *tx) runOne(ctx context.Context, w *write) error {
	t.provider, t.unsaved, t.responses = domain.Provider{}, providerChange{}, nil
	if w.provider != 0 {
		if err := t.readProvider(ctx, w.provider, t.dialect().forUpdate); err != nil {
			return err
		}
	}
	if err := t.run(ctx, w); err != nil {
		return err
	}
	if err := t.writeResponses(ctx); err != nil {
		return err
	}
	return t.writeProvider(ctx)
}

// run runs one write and turns a panic into its error.
func (t *tx) run(ctx context.Context, w *write) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a transaction: %v", p)
		}
	}()
	return w.fn(ctx, t)
}
