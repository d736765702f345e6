package store

import (
	"context"
	"errors"
	"fmt"

	"ativa/internal/provision"
)

func (db *sqliteFile) submit(ctx context.Context, p provision.ProviderID, fn func(context.Context, *tx) error) error {
	return db.queue.wait(newWrite(ctx, p, fn))
}

// betweenTransactions runs fn when the writer has no transaction, in the turn of a
// large write of nobody.
func (db *sqliteFile) betweenTransactions(ctx context.Context, fn func() error) error {
	w := newWrite(ctx, 0, nil)
	w.priority, w.outside = provision.PriorityLarge, fn
	return db.queue.wait(w)
}

// writeLoop is the only writer of the file: it commits queued writes in groups
// until the queue is closed and empty.
func (db *sqliteFile) writeLoop() {
	defer close(db.writerDone)
	for group := db.queue.waitForGroup(); len(group) > 0; group = db.queue.waitForGroup() {
		if w := group[0]; w.outside != nil {
			w.result <- w.outside()
			continue
		}
		db.commit(group)
		db.checkpoints.look()
	}
}

// errSliceUsed marks a write that did not run because its group had used the time
// slice; it is queued again.
var errSliceUsed = errors.New("the time slice is used up")

// commit runs a group in one transaction and reports each result once the commit
// is durable. When the commit fails, every write of the group gets its error.
func (db *sqliteFile) commit(group []*write) {
	err := db.withFilesInPlace(func() (err error) {
		group, err = db.inTransaction(group)
		return err
	})
	var later []*write
	for _, w := range group {
		switch {
		case err != nil:
			w.result <- nameFault(err)
		case errors.Is(w.err, errSliceUsed):
			later = append(later, w)
		default:
			w.result <- w.err
		}
	}
	db.queue.putBack(later)
}

// errPartlyWritten ends a transaction in which a write failed after it had
// changed rows.
var errPartlyWritten = errors.New("a write failed after it had changed rows")

// inTransaction runs a group in one transaction and returns it together with the
// small writes that joined a large one. The returned error is that of the
// transaction; each write has its own.
//
// A savepoint makes SQLite copy every page that is changed after it. So a group
// first runs without savepoints, and runs again with one for each write in the
// rare case that a write fails after it has changed rows.
func (db *sqliteFile) inTransaction(group []*write) ([]*write, error) {
	group, err := db.transaction(group, (*tx).runWithoutSavepoint)
	switch {
	case !errors.Is(err, errPartlyWritten):
		return group, err
	case len(group) == 1:
		return group, nil // the transaction was only its own
	}
	return db.transaction(group, (*tx).runInSavepoint)
}

// runFunc runs one write in a transaction and sets its err. The error that it
// returns ends the transaction of the whole group.
type runFunc func(*tx, context.Context, *write) error

func (db *sqliteFile) transaction(group []*write, run runFunc) (all []*write, err error) {
	ctx := context.Background() // a canceled caller must not break off the group
	t := &tx{txQuerier: unqueued{db.writer}}
	if err := t.exec(ctx, `BEGIN IMMEDIATE`); err != nil {
		return group, err
	}
	defer func() {
		if err != nil {
			_ = t.exec(ctx, `ROLLBACK`) // fails only when SQLite has rolled back already
		}
	}()
	if err := db.runAll(ctx, t, group, run); err != nil {
		return group, err
	}
	if group[0].priority == provision.PriorityLarge { // small writes that wait join its commit
		late := db.queue.takeSmall()
		group = append(group, late...)
		if err := db.runAll(ctx, t, late, run); err != nil {
			return group, err
		}
	}
	if err := t.exec(ctx, `COMMIT`); err != nil {
		return group, err
	}
	db.index.Apply(t.indexChanges)
	return group, nil
}

// runAll runs writes until the time slice is used, but at least one; the others
// get errSliceUsed.
func (db *sqliteFile) runAll(ctx context.Context, t *tx, group []*write, run runFunc) error {
	timeUp := db.queue.startSlice()
	for i, w := range group {
		switch w.err = w.ctx.Err(); {
		case w.err != nil:
			continue
		case i > 0 && timeUp():
			w.err = errSliceUsed
			continue
		}
		t.yield = db.queue.yieldFunc(w)
		if err := run(t, ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// runWithoutSavepoint runs one write. A write that fails before it changes rows
// harms nobody else; one that fails later ends the transaction with
// errPartlyWritten, and a fault of the database ends it with that fault.
func (t *tx) runWithoutSavepoint(ctx context.Context, w *write) error {
	before, err := t.rowsChanged(ctx)
	if err != nil {
		return err
	}
	texts := len(t.indexChanges)
	if w.err = t.runOne(ctx, w); w.err == nil {
		return nil
	}
	t.indexChanges = t.indexChanges[:texts]
	if sqliteFault(w.err) != nil { // SQLite may have rolled back the whole transaction
		return w.err
	}
	after, err := t.rowsChanged(ctx)
	if err == nil && after != before {
		err = errPartlyWritten
	}
	return err
}

// rowsChanged returns how many rows this connection has changed since it was opened.
func (t *tx) rowsChanged(ctx context.Context) (rows int64, err error) {
	_, err = queryRow(ctx, t, `SELECT total_changes()`, nil, scanInto(&rows))
	return rows, err
}

// runInSavepoint runs one write. A write that fails is undone alone; a fault of
// the database ends the transaction.
func (t *tx) runInSavepoint(ctx context.Context, w *write) error {
	if err := t.exec(ctx, `SAVEPOINT one`); err != nil {
		return err
	}
	before := len(t.indexChanges)
	if w.err = t.runOne(ctx, w); w.err == nil {
		return t.exec(ctx, `RELEASE one`)
	}
	t.indexChanges = t.indexChanges[:before]
	if sqliteFault(w.err) != nil {
		return w.err
	}
	t.drop()
	if err := t.exec(ctx, `ROLLBACK TO one`); err != nil {
		return err
	}
	return t.exec(ctx, `RELEASE one`)
}

// runOne locks the provider of a write, runs it and writes all that it changed.
func (t *tx) runOne(ctx context.Context, w *write) error {
	if w.provider != 0 {
		if err := t.lockProvider(ctx, w.provider); err != nil {
			return err
		}
	}
	if err := t.run(ctx, w); err != nil {
		t.unsaved = providerChange{}
		return err
	}
	if err := t.writeProvider(ctx); err != nil {
		return err
	}
	return t.flush(ctx)
}

// run runs one write; a panic becomes its error.
func (t *tx) run(ctx context.Context, w *write) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a transaction: %v", p)
		}
	}()
	return w.fn(ctx, t)
}
