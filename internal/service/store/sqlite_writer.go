package store

import (
	"context"
	"errors"
	"time"

	"zombiezen.com/go/sqlite"

	"ativa/internal/service/domain"
)

func (db *sqliteFile) submit(ctx context.Context, p domain.ProviderID, fn func(context.Context, *tx) error) error {
	return newWrite(ctx, p, fn).wait(db.queue.add)
}

// betweenTransactions runs fn when the writer has no transaction, queued like a bulk
// write.
func (db *sqliteFile) betweenTransactions(ctx context.Context, fn func() error) error {
	w := newWrite(ctx, 0, nil)
	w.bulk, w.outside = true, fn
	return w.wait(db.queue.add)
}

// A writer for which writes always wait leaves the file to other processes, such as commands of the
// operator, for the pause after each turn.
const (
	turn  = 100 * time.Millisecond
	pause = time.Millisecond
)

// bulkGroupSize is the maximum number of bulk writes in one transaction. Each of a spreadsheet's
// batches changes pages all over the index of documents, and each commit writes them: together they
// write half as much.
const bulkGroupSize = 4

// writeLoop is the only writer of this process: it commits queued writes until the queue
// is closed and empty.
func (db *sqliteFile) writeLoop() {
	defer close(db.writerDone)
	free := time.Now() // when other processes could last write
	for group := db.queue.next(); len(group) > 0; group = db.queue.next() {
		if w := group[0]; w.outside != nil {
			w.result <- db.withFilesInPlace(w.outside)
			continue
		}
		err := db.withFilesInPlace(func() (err error) {
			group, err = db.transaction(group)
			return err
		})
		report(group, err, db.path)
		db.checkpoints.look()
		if db.queue.length() > 0 {
			if time.Since(free) < turn {
				continue
			}
			<-time.After(pause)
		}
		free = time.Now()
	}
}

// transaction runs the writes of a group, and returns them with the writes that
// joined, once the commit is durable.
func (db *sqliteFile) transaction(group []*write) (_ []*write, err error) {
	ctx := context.Background() // a canceled caller must not interrupt the group
	t := &tx{txQuerier: db.writer, sealer: &db.sealer}
	if err := db.begin(func() error { return allCanceled(group) }); err != nil {
		return group, err
	}
	defer func() {
		if err != nil {
			_ = t.exec(ctx, `ROLLBACK`) // fails only if SQLite has already rolled back
		}
	}()
	if group, err = t.runGroup(ctx, db.queue, group); err != nil {
		return group, err
	}
	if err := t.exec(ctx, `COMMIT`); err != nil {
		return group, err
	}
	db.index.Apply(t.indexChanges)
	return group, nil
}

// noticeLock is how long a write waits for another process before Options.Waiting is called.
const noticeLock = time.Second

// begin begins a transaction, unless nobody needs it any more: canceled then returns an error.
func (db *sqliteFile) begin(canceled func() error) error {
	return db.whenUnlocked(canceled, func() error {
		_, err := db.writer.execRows(context.Background(), `BEGIN IMMEDIATE`)
		return err
	})
}

// whenUnlocked runs a step of the writer. While another process has locked the file it tries
// several times in a pause; SQLite itself tries ten times a second.
func (db *sqliteFile) whenUnlocked(canceled, step func() error) error {
	db.writer.conn.SetBusyTimeout(0)
	defer db.writer.conn.SetBusyTimeout(busyTimeout)
	for began := time.Now(); ; <-time.After(pause / 5) {
		err := step()
		waited := time.Since(began)
		if sqliteCode(err) != sqlite.ResultBusy || waited > db.lockTimeout {
			return err
		}
		switch ended := canceled(); {
		case errors.Is(ended, context.DeadlineExceeded):
			return err // says more
		case ended != nil:
			return ended
		}
		if db.waiting != nil && waited > noticeLock {
			db.waiting()
			db.waiting = nil
		}
	}
}

// allCanceled returns the error of a caller if all have gone.
func allCanceled(group []*write) (err error) {
	for _, w := range group {
		if err = w.ctx.Err(); err == nil {
			return nil
		}
	}
	return err
}
