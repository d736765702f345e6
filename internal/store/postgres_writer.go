package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

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
		if group, err = pg.inTransaction(ctx, queue, group); !retryable(err) && !errors.Is(err, errNothingDone) || !backOff(ctx, try) {
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

// inTransaction runs a group in one transaction and returns it together with the
// small writes that joined a large one. The returned error is that of the
// transaction; each write has its own.
//
// A savepoint for each write takes two messages more. So a group first runs
// without savepoints, and runs again with them in the rare case that a write fails
// after it has changed rows.
func (pg *postgresPool) inTransaction(ctx context.Context, queue *writeQueue, group []*write) (all []*write, err error) {
	conn, err := pg.pool.Acquire(ctx)
	if err != nil {
		return group, err
	}
	defer conn.Release()
	defer func() {
		if err != nil { // the transaction ends with its connection
			_ = conn.Conn().Close(ctx)
		}
	}()
	group, end, err := pg.runGroup(ctx, conn.Conn(), queue, group, (*tx).runTogether)
	if errors.Is(err, errPartlyWritten) {
		if _, err := conn.Exec(ctx, `ROLLBACK`); err != nil {
			return group, err
		}
		group, end, err = pg.runGroup(ctx, conn.Conn(), queue, group, (*tx).runInSavepoint)
	}
	if err != nil {
		if connectionLost(err) || temporary(err) {
			err = errors.Join(errNothingDone, err)
		}
		return group, err
	}
	done, err := conn.Exec(ctx, end)
	if err == nil && done.String() != end {
		err = fmt.Errorf("%s was answered with %s", end, done)
	}
	if err == nil && conn.Conn().PgConn().CustomData()[unreplicated] != nil {
		err = unavailable("the database's standby did not confirm the write", nil)
	}
	return group, err
}

// unreplicated marks a connection whose COMMIT stopped waiting for the synchronous
// standby, as it does when it is canceled: it succeeds with a warning, but the
// transaction is lost when the standby takes over.
const unreplicated = "unreplicated"

// noteUnreplicated is told of every warning. Its text is in the server's language,
// so it is known by the function that gives it.
func noteUnreplicated(c *pgconn.PgConn, n *pgconn.Notice) {
	if n.Routine == "SyncRepWaitForLSN" {
		c.CustomData()[unreplicated] = true
	}
}

// runGroup runs the writes of a group, and after a large one the small ones that wait
// by then. It returns all of them, and the statement that ends the transaction.
func (pg *postgresPool) runGroup(ctx context.Context, conn *pgx.Conn, queue *writeQueue, group []*write, run runFunc) (all []*write, end string, err error) {
	s := &postgresTx{pg: pg, conn: conn}
	t := &tx{txQuerier: s, shareProducts: shareProducts}
	for _, statement := range pg.begin {
		s.enqueue(statement, nil)
	}
	defer s.drop()
	first := run
	if len(group) == 1 {
		first = (*tx).runAlone
	}
	for i := 0; i < len(group); i++ {
		w := group[i]
		if w.err = w.ctx.Err(); w.err == nil {
			t.yield = queue.yieldFunc(w)
			if err := first(t, ctx, w); err != nil {
				return group, "", err
			}
			if err := w.err; retryable(err) || connectionLost(err) || temporary(err) {
				return group, "", err
			}
		}
		if len(group) == 1 && w.priority == provision.PriorityLarge && w.err == nil {
			group = append(group, queue.takeSmall()...)
			first, t.provider = run, provision.Provider{} // which is read again
		}
	}
	if len(group) == 1 && group[0].err != nil && !(isRepeated(group[0].err) && s.undo()) {
		return group, `ROLLBACK`, nil
	}
	if err := errors.Join(t.writeProvider(ctx), s.flush(ctx)); err != nil {
		return group, "", partlyWritten(err)
	}
	return group, `COMMIT`, nil
}

// isRepeated reports a write that is answered with the response of an earlier one.
// Only COMMIT waits until the standby has that one, too, which may have become
// visible by a restart of the database before it had.
func isRepeated(err error) bool {
	_, repeated := errors.AsType[*provision.RepeatedRequestError](err)
	return repeated
}

// partlyWritten is the error of statements whose outcome no write waited for. Run
// again with savepoints, the write that they belong to fails alone.
func partlyWritten(err error) error {
	if postgresCode(err) == "" || retryable(err) || temporary(err) {
		return err
	}
	return errors.Join(errPartlyWritten, err)
}

// runAlone runs the only write of a transaction.
func (t *tx) runAlone(ctx context.Context, w *write) error {
	w.err = t.runOne(ctx, w)
	return nil
}

// runTogether runs one write beside others of its provider, which is locked and
// written once for all of them.
func (t *tx) runTogether(ctx context.Context, w *write) error {
	s, _ := t.txQuerier.(*postgresTx)
	if t.provider.ID != w.provider {
		if err := t.lockProvider(ctx, w.provider); err != nil {
			return err
		}
	}
	if t.unsaved.provider.ID != 0 {
		t.provider = t.unsaved.provider
	}
	if err := s.startWrite(); err != nil {
		return partlyWritten(err)
	}
	before := t.unsaved
	if w.err = t.run(ctx, w); w.err == nil {
		return nil
	}
	t.unsaved = before
	if !s.undo() {
		return errPartlyWritten
	}
	return nil
}
