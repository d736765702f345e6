package store

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"ativa/internal/provision"
)

// CopiedColumns are the columns that a copy takes, by table.
func CopiedColumns() map[string][]string {
	all := map[string][]string{}
	for _, table := range copiedTables() {
		all[table.name], _ = table.fields()
	}
	return all
}

// LimitPages bounds the size of the file, as a full disk does.
func (db *DB) LimitPages(ctx context.Context, pages int) error {
	return db.change(ctx, func(ctx context.Context, t *tx) error {
		_, err := scanRow(ctx, t, fmt.Sprintf(`PRAGMA max_page_count(%d)`, pages), nil, func(r row) error {
			var n int
			return r.Scan(&n)
		})
		return err
	})
}

// LookUps are the statements that look one or many up at once, with their arguments
// written in.
func LookUps(provider int) []string {
	subscribers := `SELECT s.document, s.id` + strings.Replace(strings.Replace(subscribersOfMany, "?", "'{1,2,3}'", 1), "?", strconv.Itoa(provider), 1)
	one := subscriberWithServices(postgresDialect)
	one = strings.Replace(strings.Replace(one, "?", strconv.Itoa(provider), 1), "?", "3", 1)
	return []string{subscribers, strings.Replace(servicesOfMany, "?", "'{4096,8192}'", 1), one}
}

// Within is a search that has the time of one.
func Within(ctx context.Context, search func(context.Context) error) error {
	return within(ctx, searchWithin, search)
}

// SearchWork is how often a search goes through the texts in memory, and how
// many conditions it has on PostgreSQL.
func SearchWork(t provision.Term) (passes, conditions int) {
	from, _ := matching(1, t)
	return len(matcherOf(t).needles), strings.Count(from, ` LIKE `)
}

// Synchronous sets when the writer waits for the disk.
func (db *DB) Synchronous(ctx context.Context, mode string) error {
	_, err := db.engine.(*sqliteFile).writer.run(ctx, `PRAGMA synchronous = `+mode)
	return err
}

// Prepared is how many statements are prepared on a connection to PostgreSQL,
// the one that counts them among them.
func Prepared(ctx context.Context, db *DB) (n int, err error) {
	_, err = scanRow(ctx, db.read, `SELECT COUNT(*) FROM pg_prepared_statements`, nil, into(&n))
	return n, err
}

// Nested counts the pairs of internet speeds by a query within the same query
// of one connection.
func (db *DB) Nested(ctx context.Context) (pairs int, err error) {
	s, release, err := db.snapshot(ctx)
	if err != nil {
		return 0, err
	}
	defer release()
	const speeds = `SELECT id FROM internet_speed`
	err = s.query(ctx, speeds, nil, func(row) error {
		return s.query(ctx, speeds, nil, func(row) error {
			pairs++
			return nil
		})
	})
	return pairs, err
}
