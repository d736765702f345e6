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

// start checks the file on its own connection. It calls report with damage, which has code
// Unavailable, or with the error that ended the check.
func (d *damageCheck) start(db *sqliteFile, report func(error)) {
	var ctx context.Context
	ctx, d.cancel = context.WithCancel(context.Background())
	d.done = make(chan struct{})
	go func() {
		defer close(d.done)
		damage, err := db.checkBeside(ctx)
		switch {
		case ctx.Err() != nil:
		case err != nil:
			report(fmt.Errorf("database %s could not be checked for damage: %w", db.path, err))
		case damage != "":
			d.found.Store(&domain.Error{Code: domain.Unavailable, Message: "the database is damaged (" + damage + "): nothing is written; restore a backup"})
			report(d.err())
		}
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

// checkBeside checks the file while it is in use, and returns its damage or "".
func (db *sqliteFile) checkBeside(ctx context.Context) (damage string, err error) {
	s, err := db.readers.open()
	if err != nil {
		return "", err
	}
	defer s.close()
	defer s.interruptOn(ctx)()
	return quickCheck(ctx, s)
}

// check checks the whole file before it is used.
func (db *sqliteFile) check(ctx context.Context) error {
	damage, err := quickCheck(ctx, db.writer)
	if damage != "" {
		return &domain.TextError{Detail: "database %s is damaged: restore a backup", Args: []any{db.path}, Err: errors.New(damage)}
	}
	return err
}

// quickCheck returns the first damage that it finds in a file, or "".
func quickCheck(ctx context.Context, s querier) (damage string, err error) {
	_, err = queryRow(ctx, s, `PRAGMA quick_check(1)`, nil, &damage)
	switch code := sqliteCode(err); {
	case code == sqlite.ResultCorrupt || code == sqlite.ResultNotADB:
		return err.Error(), nil
	case damage == "ok":
		damage = ""
	}
	return damage, err
}
