package store

import (
	"context"
	"time"
)

const (
	checkpointPages  = 10_000 // pages of the write-ahead log not yet copied at which a copy begins: 40 MB
	checkpointPasses = 3      // while the writer continues, before the rest is copied between two transactions
	checkpointTries  = 10     // a millisecond apart, while a reader uses the log
)

// checkpointer copies the write-ahead log into the database file. SQLite would do it in the commit
// that exceeds the limit and delay the caller of that commit. The checkpointer does it on its own
// connection while the writer continues. Only what was committed meanwhile is copied between two
// transactions, because SQLite restarts the log only if a transaction begins when all of it is
// copied and no reader uses it. Later readers then read the file.
type checkpointer struct {
	db    *sqliteFile
	pages int           // uncopied pages at which the log is copied
	tried int           // pages in the log at the last attempt
	due   chan struct{} // capacity 1; only the writer sends

	copying chan struct{} // capacity 1; full while the log is copied, and when no further copy may begin
	conn    *sqliteConn   // nil until the first copy
}

func newCheckpointer(db *sqliteFile) *checkpointer {
	return &checkpointer{db: db, pages: checkpointPages, due: make(chan struct{}, 1), copying: make(chan struct{}, 1)}
}

// logState is the number of pages in the write-ahead log and the number of them that are copied
// into the file.
type logState struct {
	pages, copied int
	busy          bool // a reader uses the log, so it was not restarted
}

// checkpoint runs a checkpoint in the given mode; NOOP only reports the state of the log.
func checkpoint(ctx context.Context, s querier, mode string) (log logState, err error) {
	_, err = queryRow(ctx, s, `PRAGMA wal_checkpoint(`+mode+`)`, nil, &log.busy, &log.pages, &log.copied)
	return log, err
}

// look wakes the checkpointer if the log is long enough. After an attempt that could not copy
// everything because a reader uses an old snapshot, it waits until the log has grown. Only the
// writer calls it.
func (c *checkpointer) look() {
	log, err := checkpoint(context.Background(), c.db.writer, "NOOP")
	if err != nil {
		return // the next transaction reports the error
	}
	if log.pages < c.tried {
		c.tried = 0 // the log was restarted
	}
	if log.pages-log.copied < c.pages || log.pages-c.tried < c.pages/10 {
		return
	}
	c.tried = log.pages
	select {
	case c.due <- struct{}{}:
	default: // a copy is already due
	}
}

// run copies the log whenever it is due, until due is closed. It ignores errors and leaves the log
// to the next attempt, because the log is as durable as the file.
func (c *checkpointer) run() {
	for range c.due {
		_ = c.copy(context.Background(), "RESTART", checkpointTries)
	}
}

// copy copies the log while the writer continues, and what is committed meanwhile between two
// transactions, in the given mode. It makes at most the given number of tries while a reader uses
// the log.
func (c *checkpointer) copy(ctx context.Context, mode string, tries int) error {
	select {
	case c.copying <- struct{}{}:
		defer func() { <-c.copying }()
	case <-c.db.readers.closed:
		return errClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	if c.conn == nil {
		var err error
		if c.conn, err = c.db.readers.open(); err != nil {
			return err
		}
		c.conn.conn.SetBusyTimeout(0)
	}
	for range checkpointPasses {
		if err := c.db.files.check(); err != nil {
			return err
		}
		log, err := checkpoint(ctx, c.conn, "PASSIVE")
		if err != nil {
			return err
		}
		if log.pages-log.copied <= c.pages/8 {
			break
		}
	}
	return c.db.betweenTransactions(ctx, func() error {
		c.db.writer.conn.SetBusyTimeout(0) // waiting for readers would block all writes
		defer c.db.writer.conn.SetBusyTimeout(busyTimeout)
		log, err := checkpoint(ctx, c.db.writer, mode)
		for try := 1; try < tries && log.busy && err == nil; try++ {
			<-time.After(time.Millisecond)
			log, err = checkpoint(ctx, c.db.writer, mode)
		}
		return err
	})
}

// stop waits for a copy in progress, prevents further ones and closes the connection. The writer must
// have ended.
func (c *checkpointer) stop() error {
	close(c.due)
	c.copying <- struct{}{}
	if c.conn == nil {
		return nil
	}
	return c.conn.close()
}

// maintain empties the write-ahead log, which holds earlier versions of pages. If a reader uses an
// old snapshot at that moment, the log is left for the next call.
func (db *sqliteFile) maintain(ctx context.Context) error {
	return db.checkpoints.copy(ctx, "TRUNCATE", 1)
}
