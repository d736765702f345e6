// Package store keeps subscribers, services and everything around them in
// SQLite or PostgreSQL. It decides the schema, the statements and in which order
// writes are committed. It implements provision.Store and does not know the
// rules about what may happen to a service.
package store

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"time"

	"ativa/internal/provision"
)

// Options say how a database is opened.
type Options struct {
	// Exclusive is for a server. On SQLite it keeps other servers off the file
	// and checks it for damage; a PostgreSQL database has any number of servers.
	Exclusive bool
	// Damaged makes Open of a SQLite file return before it is checked. The file is checked
	// while it is used, and Damaged is called when damage is found, from when on all writes
	// are refused with code Unavailable, or when the file could not be checked.
	Damaged func(error)
	// BusyTimeout is how long a write to a SQLite file waits for another process
	// that writes; 0 means 10 s.
	BusyTimeout time.Duration
	// Existing makes Open fail for a database that does not have this program's schema
	// already, instead of creating or migrating it.
	Existing bool
}

// errSchema is Open's answer to Options.Existing.
var errSchema = errors.New("the database does not have the schema of this version")

// DB is an open database; it implements provision.Store.
type DB struct {
	engine
	read querier // outside transactions
	// lookUp is the same for a few rows that belong to one key. When it fails, what it
	// scans into must not be read.
	lookUp querier
}

// engine is what SQLite and PostgreSQL do differently.
type engine interface {
	// submit runs a write and returns when its commit is durable. A provider
	// of 0 is a write of no provider. fn may be run again from the start when
	// the database wants it so.
	submit(ctx context.Context, p provision.ProviderID, fn func(context.Context, *tx) error) error
	// find returns the ids of all matches in ascending order.
	find(ctx context.Context, p provision.ProviderID, t provision.SearchTerm) ([]provision.SubscriberID, error)
	// findPage returns those after the first offset ones, at most limit, and
	// how many there are in total.
	findPage(ctx context.Context, p provision.ProviderID, t provision.SearchTerm, offset, limit int) ([]provision.SubscriberID, int, error)
	// WaitingWrites returns how many writes wait to be committed.
	WaitingWrites() int
	// snapshot is a session that reads one state of the database until it is
	// released. exclusive: no server writes meanwhile.
	snapshot(ctx context.Context, exclusive bool) (s querier, release func(), err error)
	// Ready returns an error when the database cannot serve requests now.
	Ready(context.Context) error
	// maintain runs periodic maintenance of the database itself: SQLite empties its
	// write-ahead log, PostgreSQL gets its search index.
	maintain(context.Context) error
	// Close commits the waiting writes and closes the database.
	Close() error
}

var _ provision.Store = (*DB)(nil)

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

// isKeywordDSN reports whether a text has libpq's other form, as in "host=db.example.com
// dbname=ativa". The first key may be any: pgx knows which there are.
func isKeywordDSN(dsn string) bool {
	return regexp.MustCompile(`^\s*[a-z][a-z0-9_]*\s*=`).MatchString(dsn)
}

// isUnexpanded reports whether a path holds what a shell should have replaced.
func isUnexpanded(path string) bool {
	return strings.Contains(path, "$") || strings.HasPrefix(path, "~/") || regexp.MustCompile(`%\w+%`).MatchString(path)
}

// parseDSN tells the engines apart; path is the SQLite file. Whatever has none of the
// forms is an error that repeats no part of it: it may hold a password.
func parseDSN(dsn string) (path string, onPostgres bool, err error) {
	path, isFile := strings.CutPrefix(dsn, "sqlite:")
	switch {
	case strings.HasPrefix(dsn, "postgres://"), strings.HasPrefix(dsn, "postgresql://"), isKeywordDSN(dsn):
		return "", true, nil
	case isFile && path != "" && !strings.HasPrefix(path, "//") && !strings.Contains(path, "://") && !isKeywordDSN(path) && !isUnexpanded(path):
		return path, false, nil
	}
	return "", false, &provision.TextError{Detail: "a database is written as sqlite:PATH, postgres://USER:PASSWORD@HOST/NAME or host=HOST dbname=NAME user=USER password=PASSWORD"}
}

// unavailable returns an error with code Unavailable: a later attempt may succeed.
func unavailable(message string, err error) error {
	return &provision.Error{Code: provision.Unavailable, Message: message, Err: err}
}
