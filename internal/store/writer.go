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
	result   chan error
}

func newWrite(ctx context.Context, p provision.ProviderID, fn func(context.Context, *tx) error) *write {
	return &write{ctx: ctx, provider: p, priority: provision.PriorityOf(ctx), fn: fn, result: make(chan error, 1)}
}

// submit waits for the write's turn and for the commit.
func (db *sqliteFile) submit(ctx context.Context, p provision.ProviderID, fn func(context.Context, *tx) error) error {
	u := newWrite(ctx, p, fn)
	if err := db.turns.add(u); err != nil {
		return err
	}
	return <-u.result
}

// writeLoop is the one writer: it commits waiting writes in groups, until the
// turns are closed and nobody waits.
func (db *sqliteFile) writeLoop() {
	defer close(db.written)
	for group := db.turns.wait(); len(group) > 0; group = db.turns.wait() {
		db.commit(group)
	}
}

// errTimeUp is the result of a write for which a group had no more time: it
// waits for the next.
var errTimeUp = errors.New("the group has had its time")

// commit writes a group and tells everybody only when it is durable. When the
// commit itself fails, nobody knows, and everybody is told so.
func (db *sqliteFile) commit(group []*write) {
	results := make([]error, len(group))
	err := db.inOwnFiles(func() error { return db.inTransaction(group, results) })
	var later []*write
	for i, u := range group {
		switch {
		case err != nil:
			u.result <- classify(err)
		case results[i] == errTimeUp:
			later = append(later, u)
		default:
			u.result <- results[i]
		}
	}
	db.turns.putBack(later)
}

// errHalfDone is the end of a group in which an update failed after it had written.
var errHalfDone = errors.New("an update failed after it had written")

// inTransaction runs the group in one transaction. Its error is that of the
// transaction as a whole; those of single updates go into results.
//
// A savepoint makes SQLite keep a copy of every page that is changed after it.
// So a group runs without, and again with one for each update in the rare case
// that one of them fails halfway.
func (db *sqliteFile) inTransaction(group []*write, results []error) error {
	err := db.transaction(group, results, (*tx).plainly)
	if !errors.Is(err, errHalfDone) {
		return err
	}
	if len(group) == 1 {
		return nil // it alone is undone
	}
	return db.transaction(group, results, (*tx).savepoint)
}

func (db *sqliteFile) transaction(group []*write, results []error, run func(*tx, context.Context, *write, *error) error) (err error) {
	ctx := context.Background() // a waiter that gives up must not leave half a group
	t := &tx{session: db.writer}
	timeUp := db.turns.timer()
	if err := t.exec(ctx, `BEGIN IMMEDIATE`); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = t.exec(ctx, `ROLLBACK`) // fails only when the transaction is gone already
		}
	}()
	for i, u := range group {
		if results[i] = u.ctx.Err(); results[i] != nil {
			continue
		}
		if i > 0 && u.priority != provision.Large && timeUp() {
			results[i] = errTimeUp
			continue
		}
		t.yield = db.turns.yield(u)
		if err := run(t, ctx, u, &results[i]); err != nil {
			return err
		}
	}
	if err := t.exec(ctx, `COMMIT`); err != nil {
		return err
	}
	db.index.apply(t.changes)
	return nil
}

// plainly runs one update. Its own error is its own only while it has written
// nothing: else it is errHalfDone, and that of a fault of the database that of
// the whole group.
func (t *tx) plainly(ctx context.Context, u *write, result *error) error {
	before, err := t.written(ctx)
	if err != nil {
		return err
	}
	texts := len(t.changes)
	if *result = t.one(ctx, u); *result == nil {
		return nil
	}
	t.changes = t.changes[:texts]
	if sqliteFault(*result) != nil { // SQLite may have undone the whole transaction already
		return *result
	}
	after, err := t.written(ctx)
	if err == nil && after != before {
		err = errHalfDone
	}
	return err
}

// written counts the rows that this connection has ever changed.
func (t *tx) written(ctx context.Context) (rows int64, err error) {
	_, err = scanRow(ctx, t, `SELECT total_changes()`, nil, into(&rows))
	return rows, err
}

// savepoint runs one update of a group. Its own error undoes only itself; one
// of the database is that of the whole group.
func (t *tx) savepoint(ctx context.Context, u *write, result *error) error {
	if err := t.exec(ctx, `SAVEPOINT one`); err != nil {
		return err
	}
	before := len(t.changes)
	if *result = t.one(ctx, u); *result == nil {
		return t.exec(ctx, `RELEASE one`)
	}
	t.changes = t.changes[:before]
	if sqliteFault(*result) != nil {
		return *result
	}
	if err := t.exec(ctx, `ROLLBACK TO one`); err != nil {
		return err
	}
	return t.exec(ctx, `RELEASE one`)
}

func (t *tx) one(ctx context.Context, u *write) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a transaction: %v", p)
		}
	}()
	if u.provider != 0 {
		if err := t.load(ctx, u.provider); err != nil {
			return err
		}
	}
	return u.fn(ctx, t)
}
