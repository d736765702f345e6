// Package store keeps subscribers, services and everything around them in
// SQLite or PostgreSQL. It decides the schema, the statements and the order of
// commits. It implements the store interfaces of the other packages of the service, and knows no rule
// about what may happen to a service.
package store

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

// Options configures how a database is opened.
type Options struct {
	// Exclusive is for a server. On SQLite it locks out other servers and checks the file for
	// damage; a PostgreSQL database may have any number of servers.
	Exclusive bool
	// Damaged makes Open of a SQLite file return before the file is checked; the check runs while
	// the file is in use. Damaged is called if it finds damage, after which all writes are refused
	// with code Unavailable, or if the check could not run.
	Damaged func(error)
	// Schema says what Open may do to the schema.
	Schema SchemaChange
	// Waiting is called, once, when a write has waited for a second for another process that has
	// locked a SQLite file. It may be nil.
	Waiting func()
}

// SchemaChange is what [Open] may do to the schema of a database.
type SchemaChange int

// What Open may do to a schema.
const (
	CreateSchema  SchemaChange = iota // creates or migrates it
	MigrateSchema                     // migrates it; returns ErrNoSchema if there is none
	KeepSchema                        // returns an error if it is not this program's
)

// ErrNoSchema is returned by [Open] for a missing or empty database.
var ErrNoSchema = errors.New("the database has no schema")

// errSchema is returned by Open with KeepSchema.
var errSchema = errors.New("the database does not have the schema of this version")

// DB is an open database.
type DB struct {
	engine
	read querier // outside transactions
}

// engine is what differs between SQLite and PostgreSQL.
type engine interface {
	// submit runs a write and returns when its commit is durable. Provider 0 means that the write
	// belongs to no provider. fn may be run again from the start if the database requires it.
	submit(ctx context.Context, p domain.ProviderID, fn func(context.Context, *tx) error) error
	// find returns the ids of all matches in ascending order.
	find(ctx context.Context, p domain.ProviderID, t domain.SearchTerm) ([]domain.SubscriberID, error)
	// findPage returns up to limit matches after the first offset, and the number of all matches.
	findPage(ctx context.Context, p domain.ProviderID, t domain.SearchTerm, offset, limit int) ([]domain.SubscriberID, int, error)
	// WaitingWrites returns the number of writes that wait to be committed.
	WaitingWrites() int
	// snapshot returns a session that reads one snapshot of the database until it is released.
	snapshot(ctx context.Context) (s querier, release func(), err error)
	// Ready returns an error if the database cannot serve requests now.
	Ready(context.Context) error
	// maintain runs periodic maintenance of the database itself: SQLite empties its
	// write-ahead log, PostgreSQL gets its search index.
	maintain(context.Context) error
	// Close commits the waiting writes and closes the database.
	Close() error
}

var _ rules.Store = (*DB)(nil)

// Open opens the database of a DSN: "sqlite:PATH", which is created when
// absent, or "postgres://…" or "KEY=VALUE …" as libpq and pgx write it. Both are migrated to
// this program's schema; a newer one is refused.
func Open(ctx context.Context, dsn string, o Options) (*DB, error) {
	path, onPostgres, err := parseDSN(dsn)
	switch {
	case err != nil:
		return nil, err
	case onPostgres:
		return openPostgres(ctx, dsn, o)
	}
	return openSQLite(ctx, path, o)
}

// isKeywordDSN reports whether dsn has libpq's keyword form, such as "host=db.example.com
// dbname=ativa". It accepts any first key: pgx knows the valid ones.
func isKeywordDSN(dsn string) bool {
	return regexp.MustCompile(`^\s*[a-z][a-z0-9_]*\s*=`).MatchString(dsn)
}

// isUnexpanded reports whether a path contains something that a shell should have expanded.
func isUnexpanded(path string) bool {
	return strings.Contains(path, "$") || strings.HasPrefix(path, "~/") || regexp.MustCompile(`%\w+%`).MatchString(path)
}

// ErrDSN is returned for a database that is named in none of the known forms.
var ErrDSN error = &domain.TextError{Detail: "a database is written as sqlite:PATH, postgres://USER:PASSWORD@HOST/NAME or host=HOST dbname=NAME user=USER password=PASSWORD"}

// parseDSN tells the engines apart; path is the SQLite file. The error for a DSN of any other form
// repeats no part of it, because it may contain a password.
func parseDSN(dsn string) (path string, onPostgres bool, err error) {
	path, isFile := strings.CutPrefix(dsn, "sqlite:")
	switch {
	case strings.HasPrefix(dsn, "postgres://"), strings.HasPrefix(dsn, "postgresql://"), isKeywordDSN(dsn):
		return "", true, nil
	case isFile && path != "" && !strings.HasPrefix(path, "//") && !strings.Contains(path, "://") && !isKeywordDSN(path) && !isUnexpanded(path):
		return path, false, nil
	}
	return "", false, ErrDSN
}

// unavailable returns an error with code Unavailable: a later attempt may succeed.
func unavailable(message string, err error) error {
	return &domain.Error{Code: domain.Unavailable, Message: message, Err: err}
}

// Update implements rules.Store. An id from outside may contain provider 0, which does not
// exist.
func (db *DB) Update(ctx context.Context, p domain.ProviderID, fn func(context.Context, rules.Tx) error) error {
	if p == 0 {
		return errNoProvider
	}
	return db.submit(ctx, p, func(ctx context.Context, t *tx) error { return fn(ctx, t) })
}

// View implements rules.Store.
func (db *DB) View(ctx context.Context, p domain.ProviderID, fn func(context.Context, rules.Tx) error) error {
	s, release, err := db.snapshot(ctx)
	if err != nil {
		return err
	}
	defer release()
	t := &tx{txQuerier: readOnly{s}}
	if err := t.readProvider(ctx, p, ""); err != nil {
		return err
	}
	return fn(ctx, t)
}

// write runs one write that belongs to no provider.
func (db *DB) write(ctx context.Context, fn func(context.Context, *tx) error) error {
	return db.submit(ctx, 0, fn)
}

// exec runs a write of one statement that belongs to no provider.
func (db *DB) exec(ctx context.Context, query string, args ...any) error {
	return db.write(ctx, func(ctx context.Context, t *tx) error { return t.exec(ctx, query, args...) })
}
