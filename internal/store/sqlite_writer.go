package store

import (
	"context"
	"errors"
	"fmt"

	"ativa/internal/provision"
)

// write is one change that waits for its turn.
type write struct {
	ctx      context.Context
	provider provision.ProviderID // 0: a write of no provider
	priority provision.Priority
	fn       func(context.Context, *tx) error
	err      error      // of the last try to run it
	result   chan error // takes what the caller is told
}

func newWrite(ctx context.Context, p provision.ProviderID, fn func(context.Context, *tx) error) *write {
	return &write{ctx: ctx, provider: p, priority: provision.PriorityFrom(ctx), fn: fn, result: make(chan error, 1)}
}

// submit waits for the write's turn and for the commit.
func (db *sqliteFile) submit(ctx context.Context, p provision.ProviderID, fn func(context.Context, *tx) error) error {
	u := newWrite(ctx, p, fn)
	if err := db.queue.add(u); err != nil {
		return err
	}
	return <-u.result
}

// writeLoop is the one writer: it commits waiting writes in groups, until the
// turns are closed and nobody waits.
func (db *sqliteFile) writeLoop() {
	defer close(db.writerDone)
	for group := db.queue.waitForGroup(); len(group) > 0; group = db.queue.waitForGroup() {
		db.commit(group)
	}
}

// errSliceUsed is the error of a write for which a group had no more time: it
// waits for the next.
var errSliceUsed = errors.New("the group has had its time")

// commit writes a group and tells everybody only when it is durable. When the
// commit itself fails, nobody knows, and everybody is told so.
func (db *sqliteFile) commit(group []*write) {
	err := db.withFilesInPlace(func() (err error) {
		group, err = db.inTransaction(group)
		return err
	})
	var later []*write
	for _, u := range group {
		switch {
		case err != nil:
			u.result <- nameFault(err)
		case errors.Is(u.err, errSliceUsed):
			later = append(later, u)
		default:
			u.result <- u.err
		}
	}
	db.queue.putBack(later)
}

// errPartlyWritten is the end of a group in which an update failed after it had written.
var errPartlyWritten = errors.New("an update failed after it had written")

// inTransaction runs the group in one transaction, and returns it with those who
// came meanwhile. Its error is that of the transaction as a whole; each write
// has its own.
//
// A savepoint makes SQLite keep a copy of every page that is changed after it.
// So a group runs without, and again with one for each update in the rare case
// that one of them fails halfway.
func (db *sqliteFile) inTransaction(group []*write) ([]*write, error) {
	group, err := db.transaction(group, (*tx).runWithoutSavepoint)
	switch {
	case !errors.Is(err, errPartlyWritten):
		return group, err
	case len(group) == 1:
		return group, nil // it alone is undone
	}
	return db.transaction(group, (*tx).runInSavepoint)
}

// runFunc runs one write in a transaction, into its err; the error that it returns
// is that of the whole group.
type runFunc func(*tx, context.Context, *write) error

func (db *sqliteFile) transaction(group []*write, run runFunc) (all []*write, err error) {
	ctx := context.Background() // a waiter that gives up must not leave half a group
	t := &tx{querier: db.writer}
	if err := t.exec(ctx, `BEGIN IMMEDIATE`); err != nil {
		return group, err
	}
	defer func() {
		if err != nil {
			_ = t.exec(ctx, `ROLLBACK`) // fails only when the transaction is gone already
		}
	}()
	if err := db.runAll(ctx, t, group, run); err != nil {
		return group, err
	}
	if group[0].priority == provision.PriorityLarge { // those who wait need no commit of their own
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

// runAll runs writes for a slice of time, but at least one.
func (db *sqliteFile) runAll(ctx context.Context, t *tx, group []*write, run runFunc) error {
	timeUp := db.queue.startSlice()
	for i, u := range group {
		switch u.err = u.ctx.Err(); {
		case u.err != nil:
			continue
		case i > 0 && timeUp():
			u.err = errSliceUsed
			continue
		}
		t.yield = db.queue.yieldFunc(u)
		if err := run(t, ctx, u); err != nil {
			return err
		}
	}
	return nil
}

// runWithoutSavepoint runs one update. Its own error is its own only while it has written
// nothing: else it is errHalfDone, and that of a fault of the database that of
// the whole group.
func (t *tx) runWithoutSavepoint(ctx context.Context, u *write) error {
	before, err := t.rowsChanged(ctx)
	if err != nil {
		return err
	}
	texts := len(t.indexChanges)
	if u.err = t.runOne(ctx, u); u.err == nil {
		return nil
	}
	t.indexChanges = t.indexChanges[:texts]
	if sqliteFault(u.err) != nil { // SQLite may have undone the whole transaction already
		return u.err
	}
	after, err := t.rowsChanged(ctx)
	if err == nil && after != before {
		err = errPartlyWritten
	}
	return err
}

// rowsChanged counts the rows that this connection has ever changed.
func (t *tx) rowsChanged(ctx context.Context) (rows int64, err error) {
	_, err = queryRow(ctx, t, `SELECT total_changes()`, nil, scanInto(&rows))
	return rows, err
}

// runInSavepoint runs one update of a group. Its own error undoes only itself; one
// of the database is that of the whole group.
func (t *tx) runInSavepoint(ctx context.Context, u *write) error {
	if err := t.exec(ctx, `SAVEPOINT one`); err != nil {
		return err
	}
	before := len(t.indexChanges)
	if u.err = t.runOne(ctx, u); u.err == nil {
		return t.exec(ctx, `RELEASE one`)
	}
	t.indexChanges = t.indexChanges[:before]
	if sqliteFault(u.err) != nil {
		return u.err
	}
	if err := t.exec(ctx, `ROLLBACK TO one`); err != nil {
		return err
	}
	return t.exec(ctx, `RELEASE one`)
}

func (t *tx) runOne(ctx context.Context, u *write) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a transaction: %v", p)
		}
	}()
	if u.provider != 0 {
		if err := t.lockProvider(ctx, u.provider); err != nil {
			return err
		}
	}
	return u.fn(ctx, t)
}
