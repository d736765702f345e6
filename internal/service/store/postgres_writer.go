package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"ativa/internal/service/domain"
)

// maxTries is how often a transaction runs at most, if the database cannot serialize it with
// others or the connection breaks before the commit.
const maxTries = 5

func (pg *postgresPool) submit(ctx context.Context, p domain.ProviderID, fn func(context.Context, *tx) error) error {
	return newWrite(ctx, p, fn).wait(pg.writes.add)
}

// commit runs a group in one transaction, again when the database asks for it, and reports each
// result once the commit is durable. If a statement of one write fails all, each runs alone.
func (pg *postgresPool) commit(queue *writeQueue, group []*write) {
	// A canceled caller must not interrupt the group.
	ctx, cancel := context.WithTimeout(context.Background(), pg.timeout)
	defer cancel()
	var err error
	for try := range maxTries {
		if group, err = pg.transaction(ctx, queue, group); !retryable(err) && !errors.Is(err, errNothingDone) || !backOff(ctx, try) {
			break
		}
	}
	if code := postgresCode(err); len(group) > 1 && (code == unknownSavepoint || code == transactionAborted) {
		// PostgreSQL could not parse a statement, and so ran none of the message with it, or a write
		// continued after a failed statement.
		for _, w := range group {
			pg.commit(queue, []*write{w})
		}
		return
	}
	report(group, err, pg.where)
}

// errNothingDone marks a connection that broke before COMMIT was sent: the
// transaction may run again.
var errNothingDone = errors.New("the connection broke; nothing was written")

// backOff sleeps after attempt number try, about twice as long each time. It returns false if the
// context ended.
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

// transaction runs the writes of a group, and returns them with the writes that
// joined, once the commit is durable.
func (pg *postgresPool) transaction(ctx context.Context, queue *writeQueue, group []*write) (_ []*write, err error) {
	conn, err := pg.pool.Acquire(ctx)
	if err != nil {
		return group, err
	}
	defer conn.Release() // closes the connection if it is in a transaction
	t := &tx{txQuerier: &postgresTx{pg: pg, conn: conn.Conn()}, shareProducts: shareProducts, sealer: &pg.sealer}
	for _, statement := range pg.begin {
		if err := t.queue(ctx, statement); err != nil {
			return group, err
		}
	}
	group, err = t.runGroup(ctx, queue, group)
	if err == nil {
		err = t.flush(ctx)
	}
	if err != nil {
		if connectionLost(err) || temporary(err) {
			return group, errors.Join(errNothingDone, err)
		}
		_, _ = conn.Exec(ctx, `ROLLBACK`) // if this fails, the connection is closed
		return group, err
	}
	done, err := conn.Exec(ctx, `COMMIT`)
	if err == nil && done.String() != `COMMIT` {
		err = fmt.Errorf("COMMIT was answered with %s", done)
	}
	if err == nil && conn.Conn().PgConn().CustomData()[unreplicated] != nil {
		_ = conn.Conn().Close(ctx)
		err = unavailable("the database's standby did not confirm the write", nil)
	}
	return group, err
}

// unreplicated marks a connection whose COMMIT stopped waiting for the synchronous standby,
// because it was canceled. It then succeeds with a warning, but the transaction is lost if the
// standby takes over.
const unreplicated = "unreplicated"

// noteUnreplicated is called for every warning. Its text is in the server's language, so it is
// recognised by the function that raised it.
func noteUnreplicated(c *pgconn.PgConn, n *pgconn.Notice) {
	if n.Routine == "SyncRepWaitForLSN" {
		c.CustomData()[unreplicated] = true
	}
}
