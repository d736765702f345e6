package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"math/rand/v2"
	"time"

	"ativa/internal/provision"
)

// maxTries is how often a transaction is run that the database cannot
// serialise with others, or whose connection broke before the commit.
const maxTries = 5

// submit implements engine.
func (pg *postgresPool) submit(ctx context.Context, p provision.ProviderID, fn func(context.Context, *tx) error) error {
	return pg.writes.submit(ctx, p, fn)
}

// commit writes a group and tells everybody only when it is durable.
func (pg *postgresPool) commit(turns *writeQueue, group []*write) {
	// A waiter that gives up must not leave half a group.
	ctx, cancel := context.WithTimeout(context.Background(), pg.timeout)
	defer cancel()
	var err error
	for try := range maxTries {
		if err = pg.inTransaction(ctx, turns, group); !retryable(err) && !errors.Is(err, errNothingDone) || !backOff(ctx, try) {
			break
		}
	}
	for _, u := range group {
		if err != nil {
			u.err = err
		}
		u.result <- postgresError(u.err)
	}
}

// errNothingDone marks a connection that broke before the commit was asked for.
var errNothingDone = errors.New("the connection broke; nothing was written")

// backOff waits a little longer each time; false when there is no time left.
func backOff(ctx context.Context, try int) bool {
	t := time.NewTimer(time.Duration(float64(5*time.Millisecond<<try) * (0.5 + rand.Float64())))
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// inTransaction runs the group in one transaction. Its error is that of the
// transaction as a whole; each write has its own.
func (pg *postgresPool) inTransaction(ctx context.Context, turns *writeQueue, group []*write) (err error) {
	conn, err := pg.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil { // the transaction ends with its connection
			_ = conn.Raw(func(any) error { return driver.ErrBadConn })
		}
		conn.Close()
	}()
	end, err := pg.runGroup(ctx, conn, turns, group)
	if err != nil {
		if connectionLost(err) || temporary(err) {
			err = errors.Join(errNothingDone, err)
		}
		return err
	}
	_, err = conn.ExecContext(ctx, end)
	return err
}

// runGroup runs the writes of a group; end is how the transaction has to end.
func (pg *postgresPool) runGroup(ctx context.Context, conn *sql.Conn, turns *writeQueue, group []*write) (end string, err error) {
	t := &tx{querier: postgresQuerier{pg, conn}}
	if err := t.exec(ctx, pg.begin); err != nil {
		return "", err
	}
	for _, u := range group {
		if u.err = u.ctx.Err(); u.err != nil {
			continue
		}
		t.yield = turns.yieldFunc(u)
		if len(group) == 1 {
			u.err = t.runOne(ctx, u)
		} else if err := t.runInSavepoint(ctx, u); err != nil {
			return "", err
		}
		if err := u.err; retryable(err) || connectionLost(err) || temporary(err) {
			return "", err
		}
	}
	end = `COMMIT`
	if len(group) == 1 && group[0].err != nil {
		end = `ROLLBACK`
	}
	return end, nil
}
