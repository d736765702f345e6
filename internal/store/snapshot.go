package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
)

// snapshot implements engine. No other server writes: the file is open exclusively.
func (db *sqliteFile) snapshot(ctx context.Context) (querier, func(), error) {
	s, release, err := db.readers.take(ctx)
	if err != nil {
		return nil, nil, err
	}
	if _, err := s.execRows(ctx, `BEGIN`); err != nil {
		release()
		return nil, nil, err
	}
	return s, release, nil
}

// snapshot implements engine. Writers wait: those of a provider before they
// have done anything, for they begin by locking it; the others hold one table.
func (pg *postgresPool) snapshot(ctx context.Context) (querier, func(), error) {
	for try := 0; ; try++ {
		tx, err := pg.lockTables(ctx)
		if err == nil {
			return postgresQuerier{pg, tx}, func() { _ = tx.Rollback() }, nil // it only read
		}
		if try == maxTries || !retryable(err) || !backOff(ctx, try) {
			return nil, nil, postgresError(err)
		}
	}
}

func (pg *postgresPool) lockTables(ctx context.Context) (*sql.Tx, error) {
	tx, err := pg.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, table := range copiedTables() {
		names = append(names, table.name)
	}
	for _, lock := range []string{`LOCK TABLE provider IN EXCLUSIVE MODE`, `LOCK TABLE ` + strings.Join(names, `, `) + ` IN SHARE MODE`} {
		if _, err := tx.ExecContext(ctx, lock); err != nil {
			return nil, errors.Join(err, tx.Rollback())
		}
	}
	return tx, nil
}
