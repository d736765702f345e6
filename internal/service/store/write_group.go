package store

import (
	"context"
	"fmt"
)

// runGroup runs the writes of one transaction and, after a bulk write, the waiting ones that
// may join it. It returns all of them; each has its own error. A returned error ends the
// transaction.
func (t *tx) runGroup(ctx context.Context, q *writeQueue, group []*write) ([]*write, error) {
	for i := 0; i < len(group); i++ {
		w := group[i]
		if w.err = w.ctx.Err(); w.err != nil {
			continue
		}
		if w.provider != t.provider.ID {
			if err := t.writeProvider(ctx); err != nil {
				return group, err
			}
		}
		// The first write runs without a savepoint, because its failure undoes no other write: a
		// savepoint makes SQLite copy every page that is then changed, and is two statements more on
		// PostgreSQL.
		runIt := t.runInSavepoint
		if len(group) == 1 {
			runIt = t.runOne
		}
		t.othersWait = func() bool { return q.othersWait(w.provider) }
		if err := runIt(ctx, w); err != nil {
			return group, err
		}
		if w.bulk {
			if err := t.flush(ctx); err != nil {
				return group, err
			}
			group = append(group, q.takeAfterBulk(w.provider, len(group))...)
		}
	}
	return group, t.writeProvider(ctx)
}

// runInSavepoint runs one write. A failed write is undone alone, unless its error ends the
// transaction.
func (t *tx) runInSavepoint(ctx context.Context, w *write) error {
	// Two names in turn: if PostgreSQL refuses a message before its first statement, neither the
	// release of the savepoint before nor this one has run. Rolling back to this one must then fail,
	// and not undo the one before.
	t.savepoints++
	name := [...]string{`even`, `odd`}[t.savepoints%2]
	provider, unsaved, texts := t.provider, t.unsaved, len(t.indexChanges)
	if w.err = t.queue(ctx, `SAVEPOINT `+name); w.err == nil {
		w.err = t.runOne(ctx, w)
	}
	if w.err == nil {
		w.err = t.flush(ctx)
	}
	if w.err == nil {
		w.err = t.queue(ctx, `RELEASE `+name)
	}
	if w.err == nil || t.dialect().endsTransaction(w.err) {
		return w.err
	}
	t.provider, t.unsaved, t.indexChanges = provider, unsaved, t.indexChanges[:texts]
	_ = t.flush(ctx) // queued statements are undone with the rest
	if err := t.exec(ctx, `ROLLBACK TO `+name); err != nil {
		return err
	}
	return t.exec(ctx, `RELEASE `+name)
}

// runOne locks the provider of a write, unless an earlier write has, and runs the write. On
// PostgreSQL the last statements may still be queued.
func (t *tx) runOne(ctx context.Context, w *write) error {
	t.responses = nil
	if w.provider != t.provider.ID {
		if err := t.readProvider(ctx, w.provider, t.dialect().forUpdate); err != nil {
			return err
		}
	}
	if err := t.run(ctx, w); err != nil {
		return err
	}
	if t.unsaved.provider.ID != 0 {
		t.provider = t.unsaved.provider
	}
	return t.writeResponses(ctx)
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
