package store

import (
	"context"
	"fmt"

	"ativa/internal/provision"
)

// groupSize bounds how many waiting updates share one commit.
const groupSize = 16

type update struct {
	ctx      context.Context
	provider provision.ProviderID // 0: a write of no provider
	fn       func(context.Context, *tx) error
	result   chan error
}

func (db *DB) submit(ctx context.Context, p provision.ProviderID, fn func(context.Context, *tx) error) error {
	u := &update{ctx: ctx, provider: p, fn: fn, result: make(chan error, 1)}
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
	return <-u.result
}

// writeLoop is the one writer: it commits waiting updates in groups.
func (db *DB) writeLoop() {
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

func (db *DB) group(first *update) []*update {
	group := []*update{first}
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

func (db *DB) commit(group []*update) {
	results := make([]error, len(group))
	err := db.inTransaction(group, results)
	for i, u := range group {
		if err != nil {
			results[i] = classify(err)
		}
		u.result <- results[i]
	}
}

func (db *DB) inTransaction(group []*update, results []error) error {
	ctx := context.Background() // a waiter that gives up must not leave half a group
	sqltx, err := db.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer sqltx.Rollback()
	t := &tx{db: db, sql: sqltx}
	for i, u := range group {
		if results[i] = u.ctx.Err(); results[i] != nil {
			continue
		}
		if err := t.savepoint(ctx, u, &results[i]); err != nil {
			return err
		}
	}
	if err := sqltx.Commit(); err != nil {
		return err
	}
	return nil
}

func (t *tx) savepoint(ctx context.Context, u *update, result *error) error {
	if _, err := t.sql.ExecContext(ctx, "SAVEPOINT one"); err != nil {
		return err
	}
	if *result = t.one(ctx, u); *result == nil {
		_, err := t.sql.ExecContext(ctx, "RELEASE one")
		return err
	}
	_, err := t.sql.ExecContext(ctx, "ROLLBACK TO one; RELEASE one")
	return err
}

func (t *tx) one(ctx context.Context, u *update) (err error) {
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
