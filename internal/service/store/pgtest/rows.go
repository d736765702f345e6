package pgtest

import (
	"os"
	"strings"

	"github.com/jackc/pgx/v5"

	"ativa/internal/system/systemtest"
)

// Kept returns the stored data of a DSN's database: the bytes of SQLite's files, including the
// write-ahead log, or all rows of a PostgreSQL database.
func Kept(t TB, dsn string) []byte {
	t.Helper()
	path, sqlite := strings.CutPrefix(dsn, "sqlite:")
	if !sqlite {
		return []byte(Rows(t, dsn))
	}
	var all []byte
	for _, suffix := range []string{"", "-wal"} {
		b, err := os.ReadFile(path + suffix)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		all = append(all, b...)
	}
	return all
}

// Rows returns every row of every table of a PostgreSQL database, as text.
func Rows(t TB, url string) string {
	t.Helper()
	tables := Column(t, url, `SELECT quote_ident(relname)
		FROM pg_class
		WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
		ORDER BY 1`)
	var queries []string
	for _, table := range tables {
		queries = append(queries, `SELECT '`+table+` ' || t::text FROM `+table+` t`)
	}
	return strings.Join(Column(t, url, strings.Join(queries, ` UNION ALL `)), "\n")
}

// Column returns the only column of a query on PostgreSQL.
func Column(t TB, url, query string) []string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	systemtest.Must(t, err)
	defer conn.Close(t.Context())
	rows, _ := conn.Query(t.Context(), query) // CollectRows returns its error
	column, err := pgx.CollectRows(rows, pgx.RowTo[string])
	systemtest.Must(t, err)
	return column
}
