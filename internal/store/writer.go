package store

import (
	"context"
	"errors"
	"fmt"

	"ativa/internal/provision"
)

const (
	groupSize  = 16  // how many waiting writes share one commit, at most
	maxWaiting = 256 // how many writes may wait; more are refused at once
)

// write is one change that waits for its turn.
type write struct {
	ctx      context.Context
	provider provision.ProviderID // 0: a write of no provider
	fn       func(context.Context, *tx) error
	result   chan error
}

// submit waits in the queue and for the commit. A full queue is refused at
// once: the caller tries again later.
func (db *sqliteFile) submit(ctx context.Context, p provision.ProviderID, fn func(context.Context, *tx) error) error {
	u := &write{ctx: ctx, provider: p, fn: fn, result: make(chan error, 1)}
	select {
	case <-db.closing:
		return unavailable("the database is closed", nil)
	default:
	}
	select {
	case db.queue <- u:
	case <-ctx.Done():
		return ctx.Err()
	default:
		return unavailable("too many writes are waiting", nil)
	}
	select {
	case err := <-u.result:
		return err
	case <-db.written: // the last one may have been this one
	}
	select {
	case err := <-u.result:
		return err
	default:
		return unavailable("the database is closed", nil)
	}
}

// writeLoop is the one writer: it commits waiting updates in groups.
func (db *sqliteFile) writeLoop() {
	defer close(db.written)
	for {
		select {
		case u := <-db.queue:
			db.commit(db.group(u))
		case <-db.closing:
			for {
				select {
				case u := <-db.queue:
					db.commit(db.group(u))
				default:
					return
				}
			}
		}
	}
}

// group adds those who wait already.
func (db *sqliteFile) group(first *write) []*write {
	group := []*write{first}
	for len(group) < groupSize {
		select {
		case u := <-db.queue:
			group = append(group, u)
		default:
			return group
		}
	}
	return group
}

// commit writes a group and tells everybody only when it is durable. When the
// commit itself fails, nobody knows, and everybody is told so.
func (db *sqliteFile) commit(group []*write) {
	results := make([]error, len(group))
	err := db.inOwnFiles(func() error { return db.inTransaction(group, results) })
	for i, u := range group {
		if err != nil {
			results[i] = classify(err)
		}
		u.result <- results[i]
	}
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
