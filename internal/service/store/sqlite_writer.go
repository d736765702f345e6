package store

import (
	"context"
	"time"

	"zombiezen.com/go/sqlite"

	"ativa/internal/service/domain"
)

func (db *sqliteFile) submit(ctx context.Context, p domain.ProviderID, fn func(context.Context, *tx) error) error {
	return db.queue.run(newWrite(ctx, p, fn))
}

// betweenTransactions runs fn when the writer has no transaction, queued like a bulk
// write.
func (db *sqliteFile) betweenTransactions(ctx context.Context, fn func() error) error {
	w := newWrite(ctx, 0, nil)
	w.bulk, w.outside = true, fn
	return db.queue.run(w)
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
		report(group, err, nameFault)
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
	if err := db.begin(ctx); err != nil {
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

// begin begins a transaction. While another process writes it looks several times in a pause; SQLite
// itself looks ten times a second.
func (db *sqliteFile) begin(ctx context.Context) error {
	db.writer.conn.SetBusyTimeout(0)
	defer db.writer.conn.SetBusyTimeout(busyTimeout)
	for began := time.Now(); ; <-time.After(pause / 5) {
		_, err := db.writer.execRows(ctx, `BEGIN IMMEDIATE`)
		if sqliteCode(err) != sqlite.ResultBusy || time.Since(began) > db.lockTimeout {
			return err
		}
	}
}
