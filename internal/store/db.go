package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ativa/internal/provision"
)

// Options say how a database is opened.
type Options struct {
	// Exclusive is for a server. On SQLite it keeps other servers off the file
	// and checks it for damage; a PostgreSQL database has any number of servers.
	Exclusive bool
	// Patience is how long a write waits for another program that writes;
	// default 10 s.
	Patience time.Duration
}

// DB is an open database; it implements provision.Store.
type DB struct {
	engine
	read session // outside transactions
}

// engine is what SQLite and PostgreSQL do each in a way of their own.
type engine interface {
	// submit runs a write and returns when its commit is durable. A provider
	// of 0 is a write of no provider. fn may be run again from the start when
	// the database wants it so.
	submit(ctx context.Context, p provision.ProviderID, fn func(context.Context, *tx) error) error
	// find returns the ids of the matches after the first offset ones, at most
	// limit (0: all), and how many there are in total.
	find(ctx context.Context, p provision.ProviderID, t provision.Term, offset, limit int) ([]provision.SubscriberID, int, error)
	// waiting is how many writes wait for their turn.
	waiting() int
	// tend does what has to be done to the database itself from time to time.
	tend(context.Context) error
	// close ends after the waiting writes are committed.
	close() error
}

var _ provision.Store = (*DB)(nil)

// Open opens the database of a DSN: "sqlite:PATH", which is created when
// absent, or "postgres://…" as libpq and pgx write it. Both are migrated to
// this program's schema; a newer one is refused.
func Open(ctx context.Context, dsn string, o Options) (*DB, error) {
	path, onPostgres, err := parseDSN(dsn)
	switch {
	case err != nil:
		return nil, err
	case onPostgres:
		return openPostgres(ctx, dsn)
	}
	return openSQLite(ctx, path, o)
}

// parseDSN tells the databases apart; path is that of SQLite's file.
func parseDSN(dsn string) (path string, onPostgres bool, err error) {
	scheme, _, url := strings.Cut(dsn, "://")
	switch {
	case url && (scheme == "postgres" || scheme == "postgresql"):
		return "", true, nil
	case url:
		return "", false, fmt.Errorf("database %s://…: write sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME", scheme)
	}
	return strings.TrimPrefix(dsn, "sqlite:"), false, nil
}

// Close ends after the waiting writes are committed.
func (db *DB) Close() error { return db.close() }

func unavailable(message string, err error) error {
	return &provision.Error{Code: provision.Unavailable, Message: message, Err: err}
}
