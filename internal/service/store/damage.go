package store

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"zombiezen.com/go/sqlite"

	"ativa/internal/service/domain"
)

// damageCheck looks for damage in a server's file while it serves, because reading a large file
// takes longer than a start may. Damage ends all writing.
type damageCheck struct {
	found  atomic.Pointer[domain.Error] // nil: none so far
	cancel context.CancelFunc
	done   chan struct{}
}

// start checks the file on its own connection and calls report with what it finds.
func (d *damageCheck) start(db *sqliteFile, report func(error)) {
	var ctx context.Context
	ctx, d.cancel = context.WithCancel(context.Background())
	d.done = make(chan struct{})
	go func() {
		defer close(d.done)
		err := db.checkBeside(ctx)
		if err == nil || ctx.Err() != nil {
			return
		}
		if fault, ok := errors.AsType[*domain.Error](err); ok {
			d.found.Store(fault)
		}
		report(err)
	}()
}

// stop ends the check, if one was started.
func (d *damageCheck) stop() {
	if d.cancel != nil {
		d.cancel()
		<-d.done
	}
}

// err returns the damage found so far, or nil.
func (d *damageCheck) err() error {
	if fault := d.found.Load(); fault != nil {
		return fault
	}
	return nil
}

// checkBeside checks the file while it is in use. Damage is an error with code Unavailable; any
// other error means that the check could not run.
func (db *sqliteFile) checkBeside(ctx context.Context) error {
	s, err := db.readers.open()
	if err != nil {
		return fmt.Errorf("database %s could not be checked for damage: %w", db.path, err)
	}
	defer s.close()
	defer s.interruptOn(ctx)()
	result, err := quickCheck(ctx, s)
	switch code := sqliteCode(err); {
	case code == sqlite.ResultCorrupt || code == sqlite.ResultNotADB:
		result = err.Error()
	case err != nil:
		return fmt.Errorf("database %s could not be checked for damage: %w", db.path, err)
	case result == "ok":
		return nil
	}
	return unavailable("the database is damaged ("+result+"): nothing is written; restore a backup", nil)
}

// check checks the whole file before it is used.
func (db *sqliteFile) check(ctx context.Context) error {
	result, err := quickCheck(ctx, db.writer)
	if err != nil {
		return fileError(db.path, err)
	}
	if result != "ok" {
		return &domain.TextError{Detail: "database %s is damaged: restore a backup", Args: []any{db.path}, Err: errors.New(result)}
	}
	return nil
}

// quickCheck returns the first fault of a file, or "ok".
func quickCheck(ctx context.Context, s querier) (result string, err error) {
	_, err = queryRow(ctx, s, `PRAGMA quick_check(1)`, nil, &result)
	return result, err
}
