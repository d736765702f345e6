package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/gofrs/flock"

	"ativa/internal/service/domain"
	"ativa/internal/service/store/searchindex"
	"ativa/internal/system"
)

// sqliteFile is the engine of one file: a single writer goroutine with its own
// connection, and a pool of readers.
type sqliteFile struct {
	path        string
	files       sqliteFiles
	readers     *sqliteReaders
	writer      *sqliteConn
	index       *searchindex.Index
	queue       *writeQueue
	sealer      sealer
	writerDone  chan struct{} // closed when the last write is committed
	checkpoints *checkpointer
	damage      damageCheck
	lock        *flock.Flock
	lockTimeout time.Duration // how long a write waits for another process that writes
	waiting     func()        // see Options.Waiting; nil once it was called
}

// busyTimeout is how long a statement waits for another process.
const busyTimeout = 10 * time.Second

// ErrInUse is returned if another server has the file open.
var ErrInUse = errors.New("only one may have the file open")

func openSQLite(ctx context.Context, path string, o Options) (*DB, error) {
	if err := logAlone(path); err != nil {
		return nil, err
	}
	mode := os.O_RDWR
	if o.Schema == CreateSchema {
		mode |= os.O_CREATE
	}
	f, err := system.OpenPrivate(path, mode)
	switch {
	case errors.Is(err, fs.ErrNotExist) && o.Schema == CreateSchema:
		return nil, &domain.TextError{Detail: "database %s: its directory does not exist", Args: []any{path}}
	case errors.Is(err, fs.ErrNotExist):
		return nil, &domain.TextError{Detail: "there is no database %s", Args: []any{path}, Err: ErrNoSchema}
	case err != nil:
		return nil, fmt.Errorf("database: %w", err)
	}
	f.Close()
	if path, err = resolvePath(path); err != nil {
		return nil, err
	}
	db := &sqliteFile{path: path, queue: newWriteQueue(bulkGroupSize), writerDone: make(chan struct{}), index: searchindex.New(), lockTimeout: busyTimeout, waiting: o.Waiting}
	if o.Exclusive {
		db.lock = flock.New(path + lockFile)
		switch ok, err := db.lock.TryLock(); {
		case err != nil:
			return nil, fmt.Errorf("database %s: its lock: %w", path, err)
		case !ok:
			return nil, &domain.TextError{Detail: "database %s is in use by another server", Args: []any{path}, Err: ErrInUse}
		}
	}
	if err := db.connect(ctx, o); err != nil {
		return nil, errors.Join(openError(path, err), db.release())
	}
	db.checkpoints = newCheckpointer(db)
	go db.writeLoop()
	go db.checkpoints.run()
	if o.Exclusive && o.Damaged != nil {
		db.damage.start(db, o.Damaged)
	}
	return &DB{engine: db, read: db.readers}, nil
}

// connect opens the connections and brings the file to this program's schema.
func (db *sqliteFile) connect(ctx context.Context, o Options) error {
	db.readers = &sqliteReaders{path: db.path, busy: make(chan struct{}, maxReaders), closed: make(chan struct{})}
	var err error
	if db.writer, err = openSQLiteConn(db.path); err != nil {
		return err
	}
	must, err := mustMigrate(ctx, db.writer, db.path, o.Schema) // refuses other files before anything is written
	if err != nil {
		return err
	}
	// Reading schema_version creates the log of a file that had none, such as a backup.
	configure := func() error {
		return db.writer.configure(`wal_autocheckpoint = 0`, `cache_size = -32768`, `secure_delete = 1`, `schema_version`)
	}
	if err := db.whenUnlocked(ctx.Err, configure); err != nil {
		return err
	}
	if o.Exclusive && (must || o.Damaged == nil) { // a migration must not write to a damaged file
		if err := db.check(ctx); err != nil {
			return err
		}
	}
	if must {
		if err := migrateSQLite(ctx, db.writer, db.path); err != nil {
			return err
		}
	}
	if o.Exclusive {
		if err := db.releaseLeases(ctx); err != nil {
			return err
		}
	}
	db.files, err = filesOf(db.path, o.Exclusive)
	db.readers.files = db.files
	return err
}

// configure sets the pragmas of every connection, and more. Without temp_store a multi-row
// INSERT OR FAIL keeps a statement journal: sixteen times as many pages are written.
func (s *sqliteConn) configure(more ...string) error {
	for _, pragma := range append([]string{`journal_mode = WAL`, `synchronous = FULL`, `temp_store = MEMORY`}, more...) {
		if _, err := s.execRows(context.Background(), `PRAGMA `+pragma); err != nil {
			return err
		}
	}
	return nil
}

// releaseLeases makes the deliveries and feed batches that a killed server had leased due at once. Safe only
// under the exclusive lock: no other server can hold leases.
func (db *sqliteFile) releaseLeases(ctx context.Context) error {
	err := db.begin(ctx.Err)
	if err == nil {
		_, err = db.writer.execRows(ctx, `UPDATE delivery SET state = ?, next_at = 0 WHERE state = ?`, domain.OutboxDue, domain.OutboxLeased)
	}
	if err == nil {
		_, err = db.writer.execRows(ctx, `UPDATE feed_callback SET leased_until = 0`)
	}
	if err == nil {
		_, err = db.writer.execRows(ctx, `COMMIT`)
	}
	return err // Open then fails, and closing the connection ends the transaction
}

func (db *sqliteFile) Ready(ctx context.Context) error {
	if err := db.writable(); err != nil {
		return err
	}
	var n int
	_, err := queryRow(ctx, db.readers, `SELECT COUNT(*) FROM internet_speed`, nil, &n)
	return err
}

func (db *sqliteFile) WaitingWrites() int { return db.queue.length() }

func (db *sqliteFile) Close() error {
	db.queue.close()
	<-db.writerDone
	db.damage.stop()
	return errors.Join(db.checkpoints.stop(), db.release())
}

func (db *sqliteFile) release() error {
	var errs []error
	if db.readers != nil {
		errs = append(errs, db.readers.close())
	}
	if db.writer != nil && db.files.overwritten() == nil { // closing it would copy the log into the backup
		errs = append(errs, db.writer.close())
	}
	errs = append(errs, db.files.close())
	if db.lock != nil {
		errs = append(errs, db.lock.Unlock())
	}
	return errors.Join(errs...)
}

// openExisting opens a SQLite file to inspect it: it creates, locks and migrates nothing. The end
// of the context interrupts the session.
func openExisting(ctx context.Context, path string) (s *sqliteConn, done func(), err error) {
	switch info, err := os.Stat(path); {
	case err != nil:
		return nil, nil, fmt.Errorf("database: %w", err)
	case info.IsDir(): // SQLite would say that it cannot be written
		return nil, nil, fmt.Errorf("database: %w", &fs.PathError{Op: "open", Path: path, Err: system.ErrDirectory})
	}
	if path, err = resolvePath(path); err != nil {
		return nil, nil, err
	}
	if s, err = openSQLiteConn(path); err != nil {
		return nil, nil, openError(path, err)
	}
	stop := s.interruptOn(ctx)
	if _, err := s.execRows(ctx, `PRAGMA schema_version`); err != nil {
		stop()
		return nil, nil, errors.Join(openError(path, err), s.close())
	}
	return s, func() { stop(); _ = s.close() }, nil // read-only, so the error does not matter
}
