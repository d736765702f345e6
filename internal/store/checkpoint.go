package store

import (
	"context"
	"sync"
	"time"
)

const (
	checkpointPages  = 10_000 // of the write-ahead log that are not copied, from which on it is: 40 MB
	checkpointPasses = 3      // beside the writer, before the rest is copied between two transactions
	checkpointTries  = 10     // a millisecond apart, until nobody reads from the log
)

// checkpointer copies the write-ahead log into the database file. SQLite would do it
// in the commit that passes the limit, and whoever waits for that commit would wait
// for it, too. The checkpointer does it on a connection of its own, while the writer
// goes on; only what was committed meanwhile is copied between two transactions,
// for the log begins anew only if a transaction begins when all of it is copied and
// nobody reads from it. Whoever begins to read then reads the file.
type checkpointer struct {
	db    *sqliteFile
	pages int           // from which on the log is copied
	tried int           // pages in the log at the last attempt
	due   chan struct{} // capacity 1; only the writer sends
	done  chan struct{} // closed when run has returned

	mu   sync.Mutex  // held while the log is copied
	conn *sqliteConn // nil until the first time
}

func newCheckpointer(db *sqliteFile) *checkpointer {
	return &checkpointer{db: db, pages: checkpointPages, due: make(chan struct{}, 1), done: make(chan struct{})}
}

// logState is how many pages the write-ahead log has and how many of them are
// copied into the file.
type logState struct {
	pages, copied int
	busy          bool // somebody reads from it, so that it was not begun anew
}

// checkpoint runs a checkpoint of the given mode; NOOP only looks.
func checkpoint(ctx context.Context, s querier, mode string) (log logState, err error) {
	_, err = queryRow(ctx, s, `PRAGMA wal_checkpoint(`+mode+`)`, nil, func(r row) error { return r.Scan(&log.busy, &log.pages, &log.copied) })
	return log, err
}

// look wakes the checkpointer when the log is long enough. After an attempt that could
// not copy all, because somebody reads an old state, it waits until the log has grown.
// Only the writer calls it.
func (c *checkpointer) look() {
	log, err := checkpoint(context.Background(), c.db.writer, "NOOP")
	if err != nil {
		return // the next transaction meets the fault
	}
	if log.pages < c.tried {
		c.tried = 0 // it began anew
	}
	if log.pages-log.copied < c.pages || log.pages-c.tried < c.pages/10 {
		return
	}
	c.tried = log.pages
	select {
	case c.due <- struct{}{}:
	default: // it is at it
	}
}

// run copies the log whenever it is due, until due is closed. A fault is left to
// the next attempt: the log is as durable as the file.
func (c *checkpointer) run() {
	defer close(c.done)
	for range c.due {
		_ = c.copy(context.Background(), "RESTART", checkpointTries)
	}
}

// copy copies the log beside the writer, and what is committed meanwhile between two
// transactions, with the given mode, at most so often while somebody reads from the log.
func (c *checkpointer) copy(ctx context.Context, mode string, tries int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.db.files.check(); err != nil {
		return err
	}
	if c.conn == nil {
		var err error
		if c.conn, err = c.db.readers.open(); err != nil {
			return err
		}
		c.conn.conn.SetBusyTimeout(0)
	}
	for range checkpointPasses {
		log, err := checkpoint(ctx, c.conn, "PASSIVE")
		if err != nil {
			return err
		}
		if log.pages-log.copied <= c.pages/8 {
			break
		}
	}
	return c.db.betweenTransactions(ctx, func() error {
		c.db.writer.conn.SetBusyTimeout(0) // it would wait for readers, and all writes with it
		defer c.db.writer.conn.SetBusyTimeout(c.db.readers.busyTimeout)
		log, err := checkpoint(ctx, c.db.writer, mode)
		for try := 1; try < tries && log.busy && err == nil; try++ {
			<-time.After(time.Millisecond)
			log, err = checkpoint(ctx, c.db.writer, mode)
		}
		return err
	})
}

// stop ends run and closes the connection. The writer has ended.
func (c *checkpointer) stop() error {
	close(c.due)
	<-c.done
	if c.conn == nil {
		return nil
	}
	return c.conn.close()
}

// maintain empties the write-ahead log, which holds what pages were before. When
// somebody reads an old state at the moment it is left for the next time.
func (db *sqliteFile) maintain(ctx context.Context) error {
	return db.checkpoints.copy(ctx, "TRUNCATE", 1)
}
