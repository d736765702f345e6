package store

import (
	"cmp"
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"

	"ativa/internal/provision"
)

//go:embed migrations
var migrations embed.FS

// Options say how a database is opened.
type Options struct {
	// Exclusive is for a server: it keeps other servers off the file and
	// checks it for damage.
	Exclusive bool
	// Patience is how long a write waits for another program that writes;
	// default 10 s.
	Patience time.Duration
}

// DB is an open database; it implements provision.Store.
type DB struct {
	path       string
	read       *sql.DB
	writer     *sql.DB
	conn       *sql.Conn            // the writer's only connection
	statements map[string]*sql.Stmt // prepared on it; used by the writer alone
	index      *index
	loading    sync.Mutex // one search reads the texts
	exclusive  bool
	queue      chan *update
	closing    chan struct{}
	written    chan struct{}
	lock       *flock.Flock
}

var _ provision.Store = (*DB)(nil)

// Open opens the database of a DSN ("sqlite:PATH"), creating it when absent.
func Open(ctx context.Context, dsn string, o Options) (*DB, error) {
	path := strings.TrimPrefix(dsn, "sqlite:")
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("database %s: its directory does not exist", path)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("database: %w", err)
	}
	f.Close()
	db := &DB{path: path, queue: make(chan *update, 256), closing: make(chan struct{}), written: make(chan struct{}),
		statements: map[string]*sql.Stmt{}, index: newIndex(), exclusive: o.Exclusive}
	if o.Exclusive {
		db.lock = flock.New(path + ".lock")
		if ok, err := db.lock.TryLock(); err != nil || !ok {
			return nil, fmt.Errorf("database %s is in use by another server", path)
		}
	}
	if err := db.connect(ctx, o); err != nil {
		return nil, errors.Join(err, db.release())
	}
	go db.writeLoop()
	return db, nil
}

func (db *DB) connect(ctx context.Context, o Options) error {
	common := fmt.Sprintf("_pragma=busy_timeout(%d)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=temp_store(MEMORY)",
		cmp.Or(o.Patience, 10*time.Second).Milliseconds())
	file := "file:" + (&url.URL{Path: db.path}).EscapedPath()
	var err error
	if db.writer, err = sql.Open("sqlite", file+"?"+common+"&_pragma=wal_autocheckpoint(10000)&_pragma=cache_size(-131072)&_pragma=secure_delete(1)&_txlock=immediate"); err != nil {
		return err
	}
	db.writer.SetMaxOpenConns(1)
	if db.read, err = sql.Open("sqlite", file+"?"+common+"&_pragma=cache_size(-8192)&_pragma=query_only(1)"); err != nil {
		return err
	}
	db.read.SetMaxOpenConns(8)
	if o.Exclusive {
		var result string
		if err := db.writer.QueryRowContext(ctx, `PRAGMA quick_check(1)`).Scan(&result); err != nil {
			return db.explain(err)
		}
		if result != "ok" {
			return fmt.Errorf("database %s is damaged (%s): restore a backup", db.path, result)
		}
	}
	if err := db.migrate(ctx); err != nil {
		return db.explain(err)
	}
	if o.Exclusive {
		if err := db.releaseLeases(ctx); err != nil {
			return err
		}
	}
	db.conn, err = db.writer.Conn(ctx)
	return err
}

func (db *DB) explain(err error) error {
	var e *sqlite.Error
	if errors.As(err, &e) && e.Code()&0xff == 26 {
		return fmt.Errorf("%s is not a database of Ativa: %w", db.path, err)
	}
	return err
}

func (db *DB) migrate(ctx context.Context) error {
	dir, err := fs.Sub(migrations, "migrations/sqlite")
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, db.writer, dir)
	if err != nil {
		return err
	}
	current, target, err := p.GetVersions(ctx)
	if err != nil {
		return err
	}
	if current > target {
		return fmt.Errorf("database %s has version %d, newer than this program's %d: use a newer program", db.path, current, target)
	}
	_, err = p.Up(ctx)
	return err
}

// Close ends after the waiting writes are committed.
func (db *DB) Close() error {
	close(db.closing)
	<-db.written
	return db.release()
}

func (db *DB) release() error {
	var errs []error
	if db.read != nil {
		errs = append(errs, db.read.Close())
	}
	for _, s := range db.statements {
		errs = append(errs, s.Close())
	}
	if db.conn != nil {
		errs = append(errs, db.conn.Close())
	}
	if db.writer != nil {
		errs = append(errs, db.writer.Close())
	}
	if db.lock != nil {
		errs = append(errs, db.lock.Unlock())
	}
	return errors.Join(errs...)
}

func unavailable(message string, err error) error {
	return &provision.Error{Code: provision.Unavailable, Message: message, Err: err}
}
