//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ativa/internal/bench/figures"
)

// sqlite is a file. Its floor is the sqlite3 shell, written in C, which gets
// the settings of the program's writer.
type sqlite struct{ dir string }

func (*sqlite) name() string                { return figures.SQLite }
func (*sqlite) cpu() time.Duration          { return 0 }
func (*sqlite) servers() int                { return 1 }
func (e *sqlite) file() string              { return filepath.Join(e.dir, "floor.db") }
func (*sqlite) close(context.Context) error { return nil }

func (*sqlite) floor() scripts { return scripts{sqliteLoad, sqliteList, sqliteSuspend} }

func (e *sqlite) empty(context.Context) error { return removeFile(e.file()) }

func (e *sqlite) timed(ctx context.Context, script string) (time.Duration, error) {
	began := time.Now()
	err := shell(ctx, e.file(), script)
	return time.Since(began), err
}

func (e *sqlite) fresh(context.Context) (string, error) {
	dir, err := os.MkdirTemp(e.dir, "run-")
	return "sqlite:" + filepath.Join(dir, "ativa.db"), err
}

func (*sqlite) drop(_ context.Context, dsn string) error {
	return os.RemoveAll(filepath.Dir(strings.TrimPrefix(dsn, "sqlite:")))
}

func (*sqlite) exec(ctx context.Context, dsn, statement string) error {
	return shell(ctx, strings.TrimPrefix(dsn, "sqlite:"), statement+";")
}

func (*sqlite) tidy(context.Context, string) error { return nil }

// size counts what stands in the write-ahead log, not its unused room.
func (*sqlite) size(ctx context.Context, dsn string) (int64, error) {
	out, err := ask(ctx, strings.TrimPrefix(dsn, "sqlite:"), `SELECT page_count * page_size FROM pragma_page_count, pragma_page_size`)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(out), 10, 64)
}

func removeFile(path string) error {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// shell runs a script in the sqlite3 shell; what it prints is thrown away.
func shell(ctx context.Context, file, script string) error {
	cmd := exec.CommandContext(ctx, "sqlite3", "-bail", "-cmd", ".timeout 10000", file)
	cmd.Stdin = strings.NewReader(script)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the sqlite3 shell (Debian package sqlite3): %w: %s", err, errs.Bytes())
	}
	return nil
}

const sqlitePragmas = `
PRAGMA journal_mode=WAL;
PRAGMA synchronous=FULL;
PRAGMA cache_size=-131072;
PRAGMA temp_store=MEMORY;
.mode csv
`

// sqliteLoad fills the tables that the service needs at least, without
// operations, history, authentication or search.
const sqliteLoad = sqlitePragmas + `
CREATE TABLE subscriber(id INTEGER PRIMARY KEY, provider_id INT NOT NULL, document TEXT NOT NULL, name TEXT NOT NULL, email TEXT NOT NULL,
	phone TEXT NOT NULL, internet_speed_id INT NOT NULL, customer_plan TEXT NOT NULL, created_at INT NOT NULL);
CREATE UNIQUE INDEX subscriber_doc ON subscriber(provider_id, document);
CREATE TABLE service(subscriber_id INT NOT NULL, product_id INT NOT NULL, status_id INT NOT NULL, token BLOB NOT NULL,
	created_at INT NOT NULL, updated_at INT NOT NULL, PRIMARY KEY(subscriber_id, product_id)) WITHOUT ROWID;
CREATE TABLE outbox(id INTEGER PRIMARY KEY, kind INT NOT NULL, subscriber_id INT NOT NULL, product_id INT NOT NULL,
	attempt INT NOT NULL, run_at INT NOT NULL);
CREATE INDEX outbox_run ON outbox(run_at);
CREATE TEMP TABLE st(name,email,document,phone,internet_speed_id,customer_plan,products_ids);
.import --csv --skip 1 --schema temp %s st
BEGIN;
INSERT INTO subscriber SELECT rowid,1,document,name,email,phone,internet_speed_id,customer_plan,1763596800000000 FROM st WHERE true
	ON CONFLICT(provider_id,document) DO NOTHING;
INSERT INTO service SELECT st.rowid, j.value, 10, randomblob(16), 1763596800000000, 1763596800000000
	FROM st, json_each('['||replace(products_ids,';',',')||']') j;
INSERT INTO outbox(kind,subscriber_id,product_id,attempt,run_at) SELECT 1, subscriber_id, product_id, 0, created_at FROM service;
COMMIT;
`

const sqliteList = `
SELECT json_object('name', s.name, 'email', s.email, 'document', s.document, 'phone', s.phone, 'internet_speed_id', s.internet_speed_id,
	'customer_plan', s.customer_plan, 'created_at', s.created_at,
	'services', (SELECT json_group_array(json_object('content_supplier_product_id', v.product_id, 'status_id', v.status_id,
		'token_created_at', v.created_at, 'status_updated_at', v.updated_at)) FROM service v WHERE v.subscriber_id = s.id))
FROM subscriber s
ORDER BY s.id;
`

const sqliteSuspend = sqlitePragmas + `
CREATE TEMP TABLE d(document TEXT);
.import --csv --schema temp %s d
BEGIN;
UPDATE service SET status_id=14, updated_at=updated_at+1 WHERE product_id=1
	AND subscriber_id IN (SELECT id FROM subscriber WHERE provider_id=1 AND document IN (SELECT document FROM d));
INSERT INTO outbox(kind,subscriber_id,product_id,attempt,run_at)
	SELECT 3, id, 1, 0, 1763596800000000 FROM subscriber WHERE provider_id=1 AND document IN (SELECT document FROM d);
COMMIT;
`
