package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
)

// sqliteFile is the engine of one file: a single writer goroutine with its own
// connection, and a pool of readers.
type sqliteFile struct {
	path      string
	readers   *sql.DB
	writer    *sql.DB
	prepared  *prepared // the writer's only connection
	index     *index
	loading   sync.Mutex // one search reads the texts
	exclusive bool
	queue     chan *write
	closing   chan struct{}
	written   chan struct{}
	lock      *flock.Flock
}

var sqliteDialect = &dialect{violated: func(err error) bool { return sqliteCode(err) == 19 }}

// sqliteReaders are the readers as a session.
type sqliteReaders struct{ *sql.DB }

func (sqliteReaders) dialect() *dialect { return sqliteDialect }

func openSQLite(ctx context.Context, path string, o Options) (*DB, error) {
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("database %s: its directory does not exist", path)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("database: %w", err)
	}
	f.Close()
	db := &sqliteFile{path: path, queue: make(chan *write, maxWaiting), closing: make(chan struct{}), written: make(chan struct{}),
		index: newIndex(), exclusive: o.Exclusive}
	if o.Exclusive {
		db.lock = flock.New(path + ".lock")
		if ok, err := db.lock.TryLock(); err != nil || !ok {
			return nil, fmt.Errorf("database %s is in use by another server", path)
		}
	}
	if err := db.connect(ctx, o.Patience); err != nil {
		return nil, errors.Join(err, db.release())
	}
	go db.writeLoop()
	return &DB{engine: db, read: sqliteReaders{db.readers}}, nil
}

func (db *sqliteFile) connect(ctx context.Context, patience time.Duration) error {
	common := fmt.Sprintf("_pragma=busy_timeout(%d)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=temp_store(MEMORY)",
		cmp.Or(patience, 10*time.Second).Milliseconds())
	file := "file:" + (&url.URL{Path: db.path}).EscapedPath()
	var err error
	if db.writer, err = sql.Open("sqlite", file+"?"+common+"&_pragma=wal_autocheckpoint(10000)&_pragma=cache_size(-131072)&_pragma=secure_delete(1)&_txlock=immediate"); err != nil {
		return err
	}
	db.writer.SetMaxOpenConns(1)
	if db.readers, err = sql.Open("sqlite", file+"?"+common+"&_pragma=cache_size(-8192)&_pragma=query_only(1)"); err != nil {
		return err
	}
	db.readers.SetMaxOpenConns(8)
	if db.exclusive {
		var result string
		if err := db.writer.QueryRowContext(ctx, `PRAGMA quick_check(1)`).Scan(&result); err != nil {
			return notOurs(db.path, err)
		}
		if result != "ok" {
			return fmt.Errorf("database %s is damaged (%s): restore a backup", db.path, result)
		}
	}
	if err := migrate(ctx, db.writer, goose.DialectSQLite3, folderOf(false), db.path); err != nil {
		return notOurs(db.path, err)
	}
	if db.exclusive {
		if err := db.releaseLeases(ctx); err != nil {
			return err
		}
	}
	conn, err := db.writer.Conn(ctx)
	db.prepared = &prepared{conn: conn, statements: map[string]*sql.Stmt{}}
	return err
}

// releaseLeases makes the jobs that a killed server had under way due at once.
// Only who has the file for itself may: nobody else can be at them.
func (db *sqliteFile) releaseLeases(ctx context.Context) error {
	_, err := db.writer.ExecContext(ctx, `UPDATE job SET state = 0, next_at = 0 WHERE state = 1`)
	return err
}

// waiting implements engine.
func (db *sqliteFile) waiting() int { return len(db.queue) }

// tend empties the write-ahead log, which holds what pages were before. When
// somebody reads an old state at the moment it is left for the next time.
func (db *sqliteFile) tend(ctx context.Context) error {
	var busy, logged, moved int
	return db.readers.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &logged, &moved)
}

func notOurs(path string, err error) error {
	if sqliteCode(err) == 26 {
		return fmt.Errorf("%s is not a database of Ativa: %w", path, err)
	}
	return err
}

func (db *sqliteFile) close() error {
	close(db.closing)
	<-db.written
	return db.release()
}

func (db *sqliteFile) release() error {
	var errs []error
	if db.readers != nil {
		errs = append(errs, db.readers.Close())
	}
	if db.prepared != nil {
		errs = append(errs, db.prepared.close())
	}
	if db.writer != nil {
		errs = append(errs, db.writer.Close())
	}
	if db.lock != nil {
		errs = append(errs, db.lock.Unlock())
	}
	return errors.Join(errs...)
}

// sqliteCode is the primary result code of an error of SQLite; else 0.
func sqliteCode(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}
