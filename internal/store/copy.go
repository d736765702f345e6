package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/bits"
	"os"
	"slices"

	"ativa/internal/provision"
)

// copyBatch is how many rows are written at a time.
const copyBatch = 2000

// unfinishedCopyTable exists in a target while a copy is not finished; its one row
// identifies the source.
const unfinishedCopyTable = "unfinished_copy"

// ErrNotEmpty is returned by [Copy] for a target that has rows which are not of
// an unfinished copy of the same source.
var ErrNotEmpty = errors.New("the target is not empty")

// ErrSameDatabase is returned by [Copy] for two names of one database.
var ErrSameDatabase = errors.New("source and target are the same database")

// CopiedTable is a table that has the same rows in both databases.
type CopiedTable struct {
	Name     string
	Rows     int64
	Checksum string // 32 hexadecimal digits; does not depend on the order of rows
}

// Copy copies a database into an empty one, of either engine, and compares both,
// table by table. A SQLite source must have no server; writers to a PostgreSQL
// source wait. A copy that was interrupted continues when it is started again.
func Copy(ctx context.Context, from, to string) ([]CopiedTable, error) {
	path, onPostgres, err := parseDSN(from)
	if err != nil {
		return nil, err
	}
	if file, err := os.Stat(path); !onPostgres && err != nil {
		return nil, fmt.Errorf("source: %w", err)
	} else if isFile(to, file) {
		return nil, ErrSameDatabase
	}
	source, err := Open(ctx, from, Options{Exclusive: true})
	if err != nil {
		return nil, fmt.Errorf("source: %w", err)
	}
	defer source.Close()
	target, err := Open(ctx, to, Options{Exclusive: true})
	if err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	defer target.Close()
	if same, err := sameOnPostgres(ctx, source, target); err != nil || same {
		return nil, cmp.Or(err, ErrSameDatabase)
	}
	still, release, err := source.snapshot(ctx, true)
	if err != nil {
		return nil, err
	}
	defer release()
	c := &copier{from: still, to: target}
	if err := c.markTarget(ctx); err != nil {
		return nil, err
	}
	if err := c.clear(ctx); err != nil {
		return nil, err
	}
	for _, table := range copiedTables() {
		if err := c.copyTable(ctx, table); err != nil {
			return nil, err
		}
	}
	all, err := c.compare(ctx)
	if err != nil {
		return all, err
	}
	return all, c.finish(ctx)
}

// isFile reports whether a DSN is another name of a file; file is nil where there is none.
func isFile(dsn string, file os.FileInfo) bool {
	path, _, err := parseDSN(dsn)
	if err != nil || file == nil {
		return false // whoever opens the database meets the error
	}
	other, err := os.Stat(path)
	return err == nil && os.SameFile(file, other)
}

// sameOnPostgres reports whether both are one database of one server, and one schema.
func sameOnPostgres(ctx context.Context, source, target *DB) (bool, error) {
	var identities [2]string
	for i, db := range []*DB{source, target} {
		if _, ok := db.engine.(*postgresPool); !ok {
			return false, nil
		}
		query := `SELECT pg_postmaster_start_time()::text || ' ' || 'provider'::regclass::oid::text || ' ' || current_database()`
		if _, err := queryRow(ctx, db.read, query, nil, scanInto(&identities[i])); err != nil {
			return false, err
		}
	}
	return identities[0] == identities[1], nil
}

type copier struct {
	from querier
	to   *DB
}

// markTarget marks an empty target as an unfinished copy, or finds that mark of
// an earlier attempt.
func (c *copier) markTarget(ctx context.Context) error {
	providers := copiedTable{name: "provider", columns: `id int, name text, created_at int`}
	source, err := checksumTable(ctx, c.from, providers)
	if err != nil {
		return err
	}
	return c.to.write(ctx, func(ctx context.Context, t *tx) error {
		if err := t.exec(ctx, `CREATE TABLE IF NOT EXISTS `+unfinishedCopyTable+` (source TEXT NOT NULL)`); err != nil {
			return err
		}
		var marked string
		found, err := queryRow(ctx, t, `SELECT source FROM `+unfinishedCopyTable, nil, scanInto(&marked))
		if err != nil {
			return err
		}
		if found && marked == source.Checksum {
			return nil
		}
		for _, table := range copiedTables() {
			query, args := `SELECT 1 FROM `+table.name, []any(nil)
			if table.name == "internet_speed" { // some are there in every database
				query, args = query+` WHERE id > ?`, []any{provision.SpeedNotInformed}
			}
			var one int
			if full, err := queryRow(ctx, t, query+` LIMIT 1`, args, scanInto(&one)); err != nil || full {
				return cmp.Or(err, ErrNotEmpty)
			}
		}
		if err := t.exec(ctx, `DELETE FROM `+unfinishedCopyTable); err != nil {
			return err
		}
		return t.exec(ctx, `INSERT INTO `+unfinishedCopyTable+` (source) VALUES (?)`, source.Checksum)
	})
}

// clear empties the tables that are copied from their beginning, those that refer to
// others before these.
func (c *copier) clear(ctx context.Context) error {
	for _, table := range slices.Backward(copiedTables()) {
		if table.counting {
			continue
		}
		if err := c.to.write(ctx, func(ctx context.Context, t *tx) error { return t.exec(ctx, `DELETE FROM `+table.name) }); err != nil {
			return err
		}
	}
	return nil
}

// copyTable copies a table or, where ids ascend, what an earlier attempt left.
func (c *copier) copyTable(ctx context.Context, table copiedTable) error {
	query := `SELECT ` + table.names() + ` FROM ` + table.name
	var args []any
	if table.counting {
		var last sql.NullInt64
		if _, err := queryRow(ctx, c.to.read, `SELECT MAX(id) FROM `+table.name, nil, scanInto(&last)); err != nil {
			return err
		}
		query, args = query+` WHERE id > ? ORDER BY id`, []any{last.Int64}
	}
	scan := table.scanner()
	var rows [][]any
	err := c.from.query(ctx, query, args, func(r row) error {
		row, err := scan(r)
		if err != nil {
			return err
		}
		if rows = append(rows, row); len(rows) < copyBatch {
			return nil
		}
		err = c.insertRows(ctx, table, rows)
		rows = nil
		return err
	})
	if err != nil {
		return err
	}
	return c.insertRows(ctx, table, rows)
}

func (c *copier) insertRows(ctx context.Context, table copiedTable, rows [][]any) error {
	return c.to.write(ctx, func(ctx context.Context, t *tx) error {
		columns := table.names()
		folded := t.dialect().foldedColumn && table.name == "subscriber"
		if folded {
			columns += `, folded`
		}
		return insert(ctx, t, table.name, columns, rows, func(all, row []any) []any {
			all = append(all, row...)
			if folded {
				all = append(all, foldedOf(row))
			}
			return all
		})
	})
}

func (c *copier) compare(ctx context.Context) ([]CopiedTable, error) {
	target, release, err := c.to.snapshot(ctx, true)
	if err != nil {
		return nil, err
	}
	defer release()
	var all []CopiedTable
	for _, table := range copiedTables() {
		want, err := checksumTable(ctx, c.from, table)
		if err != nil {
			return all, err
		}
		got, err := checksumTable(ctx, target, table)
		if err != nil {
			return all, err
		}
		if got != want {
			return all, fmt.Errorf("table %s differs: the source has %d rows (%s), the target %d (%s); begin again with an empty target",
				table.name, want.Rows, want.Checksum, got.Rows, got.Checksum)
		}
		all = append(all, got)
	}
	return all, nil
}

// finish removes the mark and lets new ids continue after the copied ones.
func (c *copier) finish(ctx context.Context) error {
	return c.to.write(ctx, func(ctx context.Context, t *tx) error {
		if t.dialect().arrayParams {
			for _, table := range []string{"provider", "access_token", "partner"} {
				var next int64
				_, err := queryRow(ctx, t, `SELECT setval(pg_get_serial_sequence(?, 'id'), (SELECT COALESCE(MAX(id), 0) + 1 FROM `+table+`), FALSE)`,
					[]any{table}, scanInto(&next))
				if err != nil {
					return err
				}
			}
		}
		return t.exec(ctx, `DROP TABLE `+unfinishedCopyTable)
	})
}

// checksumTable counts the rows of a table and adds up their hashes: the sum does
// not depend on their order.
func checksumTable(ctx context.Context, s querier, table copiedTable) (CopiedTable, error) {
	d := CopiedTable{Name: table.name}
	var high, low uint64
	scan := table.scanner()
	var line []byte
	err := s.query(ctx, `SELECT `+table.names()+` FROM `+table.name, nil, func(r row) error {
		row, err := scan(r)
		if err != nil {
			return err
		}
		line = line[:0]
		for _, v := range row {
			line = appendValue(line, v)
		}
		sum := sha256.Sum256(line)
		var carry uint64
		low, carry = bits.Add64(low, binary.BigEndian.Uint64(sum[8:]), 0)
		high, _ = bits.Add64(high, binary.BigEndian.Uint64(sum[:]), carry)
		d.Rows++
		return nil
	})
	d.Checksum = hex.EncodeToString(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, high), low))
	return d, err
}

// appendValue encodes a value so that different rows have different encodings.
func appendValue(b []byte, v any) []byte {
	var text []byte
	switch v := v.(type) {
	case nil:
		return append(b, 'n')
	case string:
		text = []byte(v)
	case []byte:
		text = v
	default:
		text = fmt.Append(nil, v)
	}
	return append(binary.AppendUvarint(append(b, 'v'), uint64(len(text))), text...)
}
