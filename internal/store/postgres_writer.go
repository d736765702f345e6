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

// maxTries bounds how often a transaction runs that the database cannot serialize
// with others or whose connection broke before the commit.
const maxTries = 5

func (pg *postgresPool) submit(ctx context.Context, p provision.ProviderID, fn func(context.Context, *tx) error) error {
	return pg.writes.submit(ctx, p, fn)
}

// commit runs a group in one transaction, again when the database asks for it,
// and reports each result once the commit is durable.
func (pg *postgresPool) commit(queue *writeQueue, group []*write) {
	// A canceled caller must not break off the group.
	ctx, cancel := context.WithTimeout(context.Background(), pg.timeout)
	defer cancel()
	var err error
	for try := range maxTries {
		if err = pg.inTransaction(ctx, queue, group); !retryable(err) && !errors.Is(err, errNothingDone) || !backOff(ctx, try) {
			break
		}
	}
	for _, w := range group {
		if err != nil {
			w.err = err
		}
		w.result <- postgresError(w.err)
	}
}

// errNothingDone marks a connection that broke before COMMIT was sent: the
// transaction may run again.
var errNothingDone = errors.New("the connection broke; nothing was written")

// backOff sleeps before attempt try+1, about twice as long each time; false when
// the context ended.
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

// inTransaction runs a group in one transaction. The returned error is that of
// the transaction; each write has its own.
func (pg *postgresPool) inTransaction(ctx context.Context, queue *writeQueue, group []*write) (err error) {
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
	end, err := pg.runGroup(ctx, conn, queue, group)
	if err != nil {
		if connectionLost(err) || temporary(err) {
			err = errors.Join(errNothingDone, err)
		}
		return err
	}
	_, err = conn.ExecContext(ctx, end)
	return err
}

// runGroup runs the writes of a group and returns the statement that ends the
// transaction.
func (pg *postgresPool) runGroup(ctx context.Context, conn *sql.Conn, queue *writeQueue, group []*write) (end string, err error) {
	t := &tx{querier: postgresQuerier{pg, conn}}
	if err := t.exec(ctx, pg.begin); err != nil {
		return "", err
	}
	for _, w := range group {
		if w.err = w.ctx.Err(); w.err != nil {
			continue
		}
		t.yield = queue.yieldFunc(w)
		if len(group) == 1 {
			w.err = t.runOne(ctx, w)
		} else if err := t.runInSavepoint(ctx, w); err != nil {
			return "", err
		}
		if err := w.err; retryable(err) || connectionLost(err) || temporary(err) {
			return "", err
		}
	}
	end = `COMMIT`
	if len(group) == 1 && group[0].err != nil {
		end = `ROLLBACK`
	}
	return end, nil
}
