//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// floorSchema is what the floor loads into: the tables the service needs at
// least, without history, operations, authentication or search.
const floorSchema = `
PRAGMA journal_mode=WAL;
PRAGMA synchronous=FULL;
PRAGMA cache_size=-131072;
PRAGMA temp_store=MEMORY;
CREATE TABLE subscriber(id INTEGER PRIMARY KEY, provider_id INT NOT NULL, document TEXT NOT NULL, name TEXT NOT NULL, email TEXT NOT NULL,
	phone TEXT NOT NULL, internet_speed_id INT NOT NULL, customer_plan TEXT NOT NULL, created_at INT NOT NULL);
CREATE UNIQUE INDEX subscriber_doc ON subscriber(provider_id, document);
CREATE TABLE service(subscriber_id INT NOT NULL, product_id INT NOT NULL, status_id INT NOT NULL, token BLOB NOT NULL,
	created_at INT NOT NULL, updated_at INT NOT NULL, PRIMARY KEY(subscriber_id, product_id)) WITHOUT ROWID;
CREATE TABLE outbox(id INTEGER PRIMARY KEY, kind INT NOT NULL, subscriber_id INT NOT NULL, product_id INT NOT NULL,
	attempt INT NOT NULL, run_at INT NOT NULL);
CREATE INDEX outbox_run ON outbox(run_at);
CREATE TEMP TABLE st(name,email,document,phone,internet_speed_id,customer_plan,products_ids);
.mode csv
.import --csv --skip 1 --schema temp %s st
BEGIN;
INSERT INTO subscriber SELECT rowid,1,document,name,email,phone,internet_speed_id,customer_plan,1763596800000000 FROM st WHERE true
	ON CONFLICT(provider_id,document) DO NOTHING;
INSERT INTO service SELECT st.rowid, j.value, 10, randomblob(16), 1763596800000000, 1763596800000000
	FROM st, json_each('['||replace(products_ids,';',',')||']') j;
INSERT INTO outbox(kind,subscriber_id,product_id,attempt,run_at) SELECT 1, subscriber_id, product_id, 0, created_at FROM service;
COMMIT;
`

const floorList = `
SELECT json_object('name', s.name, 'email', s.email, 'document', s.document, 'phone', s.phone, 'internet_speed_id', s.internet_speed_id,
	'customer_plan', s.customer_plan, 'created_at', s.created_at,
	'services', (SELECT json_group_array(json_object('content_supplier_product_id', v.product_id, 'status_id', v.status_id,
		'token_created_at', v.created_at, 'status_updated_at', v.updated_at)) FROM service v WHERE v.subscriber_id = s.id))
FROM subscriber s
ORDER BY s.id;
`

// floor is the storage alone: the sqlite3 shell, written in C, on an equal schema.
type floor struct {
	dir string
	db  string
}

// load imports the CSV in one transaction and returns how long the shell took.
func (f *floor) load(ctx context.Context, csv string) (time.Duration, error) {
	f.db = filepath.Join(f.dir, "floor.db")
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(f.db + suffix); err != nil && !os.IsNotExist(err) {
			return 0, err
		}
	}
	return f.run(ctx, fmt.Sprintf(floorSchema, csv))
}

// list writes every subscriber with its services as JSON.
func (f *floor) list(ctx context.Context) (time.Duration, error) { return f.run(ctx, floorList) }

// suspend changes the status of the services of the documents in a file.
func (f *floor) suspend(ctx context.Context, documents string) (time.Duration, error) {
	return f.run(ctx, fmt.Sprintf(`
PRAGMA synchronous=FULL;
PRAGMA cache_size=-131072;
CREATE TEMP TABLE d(document TEXT);
.mode csv
.import --csv --schema temp %s d
BEGIN;
UPDATE service SET status_id=14, updated_at=updated_at+1 WHERE product_id=1
	AND subscriber_id IN (SELECT id FROM subscriber WHERE provider_id=1 AND document IN (SELECT document FROM d));
INSERT INTO outbox(kind,subscriber_id,product_id,attempt,run_at)
	SELECT 3, id, 1, 0, 1763596800000000 FROM subscriber WHERE provider_id=1 AND document IN (SELECT document FROM d);
COMMIT;
`, documents))
}

func (f *floor) run(ctx context.Context, script string) (time.Duration, error) {
	started := time.Now()
	err := f.execute(ctx, f.db, script)
	return time.Since(started), err
}

// execute runs a script in the sqlite3 shell.
func (*floor) execute(ctx context.Context, db, script string) error {
	cmd := exec.CommandContext(ctx, "sqlite3", "-cmd", ".timeout 10000", db)
	cmd.Stdin = bytes.NewBufferString(script)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the sqlite3 shell (Debian package sqlite3): %w: %s", err, errs.Bytes())
	}
	return nil
}
