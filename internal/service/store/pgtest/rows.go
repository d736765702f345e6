package pgtest

import (
	"context"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"
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
	text, err := allRows(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// allRows returns a dump as text.
func allRows(ctx context.Context, url string) (string, error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return "", err
	}
	defer conn.Close(ctx)
	tables, err := column(ctx, conn, `SELECT quote_ident(relname)
		FROM pg_class
		WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
		ORDER BY 1`)
	if err != nil {
		return "", err
	}
	var all strings.Builder
	for _, table := range tables {
		rows, err := column(ctx, conn, `SELECT t::text FROM `+table+` t`)
		if err != nil {
			return "", err
		}
		all.WriteString(table + "\n" + strings.Join(rows, "\n") + "\n")
	}
	return all.String(), nil
}

func column(ctx context.Context, conn *pgx.Conn, query string, args ...any) ([]string, error) {
	rows, err := conn.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
