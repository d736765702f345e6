//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"ativa/internal/bench/figures"
)

// sameRows measures the fair floor of the import that came last: the sqlite3
// shell writes the very rows that it left, with the same schema and indexes, a
// commit for every 5,000 subscribers. Other databases have none.
func (s *site) sameRows(ctx context.Context) error {
	e, ok := s.engine.(*sqlite)
	if !ok {
		return nil
	}
	copied := filepath.Join(e.dir, "rows.db")
	defer os.Remove(copied)
	if err := shell(ctx, strings.TrimPrefix(s.dsn, "sqlite:"), ".backup "+copied); err != nil {
		return err
	}
	script, err := copyOf(ctx, copied, s.people.rows)
	if err != nil {
		return err
	}
	s.figures.Time(figures.ImportSameRows, figures.Program, s.figures.LastTime(figures.Import, figures.Program))
	dir, err := os.MkdirTemp(e.dir, "same-") // the lean floor is still needed
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	wall, err := (&sqlite{dir: dir}).timed(ctx, script)
	s.figures.Time(figures.ImportSameRows, figures.Floor, wall)
	return err
}

// copyOf is the script that copies a database in slices of its tables' ids, so
// that the rows of some subscribers share a commit as those of a batch do.
func copyOf(ctx context.Context, file string, subscribers int) (script string, err error) {
	const inCommit, large = 5000, 1000
	schema, err := ask(ctx, file, `SELECT sql || ';' FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type <> 'table'`)
	if err != nil {
		return "", err
	}
	tables, err := ask(ctx, file, `SELECT m.name || ' ' || EXISTS (SELECT 1 FROM pragma_table_info(m.name) WHERE name = 'id' AND pk = 1)
		FROM sqlite_master m WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(sqlitePragmas + "PRAGMA wal_autocheckpoint=10000;\n" + schema + "ATTACH '" + file + "' AS s;\n")
	type slices struct {
		table       string
		first, last int
	}
	var all []slices
	for line := range strings.Lines(tables) {
		table, numbered, _ := strings.Cut(strings.TrimSpace(line), " ")
		one := slices{table: table}
		if numbered == "1" {
			answer, err := ask(ctx, file, fmt.Sprintf(`SELECT COALESCE(MIN(id), 0) || ' ' || COALESCE(MAX(id), 0) || ' ' || COUNT(*) FROM "%s"`, table))
			if err != nil {
				return "", err
			}
			var rows int
			if _, err := fmt.Sscan(answer, &one.first, &one.last, &rows); err != nil {
				return "", err
			}
			if rows > large {
				all = append(all, one)
				continue
			}
		}
		fmt.Fprintf(&b, "INSERT INTO main.%[1]q SELECT * FROM s.%[1]q;\n", table)
	}
	commits := max(1, subscribers/inCommit)
	for n := range commits {
		b.WriteString("BEGIN;\n")
		for _, t := range all {
			ids := t.last + 1 - t.first
			fmt.Fprintf(&b, "INSERT INTO main.%[1]q SELECT * FROM s.%[1]q WHERE id >= %[2]d AND id < %[3]d;\n", t.table, t.first+ids*n/commits, t.first+ids*(n+1)/commits)
		}
		b.WriteString("COMMIT;\n")
	}
	return b.String(), nil
}

// ask returns what the sqlite3 shell answers, a line for each row.
func ask(ctx context.Context, file, query string) (string, error) {
	cmd := exec.CommandContext(ctx, "sqlite3", "-bail", file, query)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("the sqlite3 shell: %w: %s", err, errs.Bytes())
	}
	return string(out), nil
}
