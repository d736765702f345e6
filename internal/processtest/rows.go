package processtest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ativa/internal/cpf"
	"ativa/internal/service/store/pgtest"
)

// WriteRows writes a file of n subscribers, beginning with row first, and returns its path. The products
// of the rows follow each other in turns; without any, a row has one or two.
func (w *Fixture) WriteRows(first, n int, products ...string) string {
	w.Helper()
	if len(products) == 0 {
		products = []string{"1,3", "1", "1"}
	}
	var b strings.Builder
	b.WriteString("document;name;email;phone;products_ids\n")
	for i := first; i < first+n; i++ {
		fmt.Fprintf(&b, "%s;Pessoa %d;p%d@example.com;+55119%08d;%s\n", Document(i), i, i, i, products[i%len(products)])
	}
	path := filepath.Join(w.Dir, fmt.Sprintf("people-%d.csv", first))
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		w.Fatal(err)
	}
	return path
}

// CheckReport checks that the report has one line for each row, and that each row was done.
func (w *Fixture) CheckReport(file string, rows int) {
	w.Helper()
	data, err := os.ReadFile(file + ".report.csv")
	if err != nil {
		w.Fatal(err)
	}
	if n := bytes.Count(data, []byte("\n")); n != rows+1 {
		w.Errorf("the report has %d lines, want %d and a header", n, rows)
	}
	n := 0
	for _, word := range []string{",created,", ",existing,", ",sent,"} {
		n += bytes.Count(data, []byte(word))
	}
	if n != rows {
		w.Errorf("the report has %d rows that are done, want %d", n, rows)
	}
}

// ExpireLeases ends the leases of a killed server, which last one minute for its deliveries and 45 seconds
// for its feed batch. On SQLite the next server does not wait for them.
func (w *Fixture) ExpireLeases() {
	w.Helper()
	if strings.HasPrefix(w.DSN, "postgres:") {
		pgtest.Exec(w, w.DSN, ExpireLeasesSQL)
	}
}

// ExpireLeasesSQL first waits until PostgreSQL has noticed that the server is dead: until then one
// of its transactions may still commit a lease.
const ExpireLeasesSQL = `DO $$
BEGIN
	WHILE EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle') LOOP
		PERFORM pg_sleep(0.005);
		PERFORM pg_stat_clear_snapshot();
	END LOOP;
	UPDATE delivery SET next_at = next_at - 60000000 WHERE state = 1;
	UPDATE feed_callback SET leased_until = 0;
END $$`

// Document returns the document of row i.
func Document(i int) string { return string(cpf.WithCheckDigits(fmt.Sprintf("%09d", i+1))) }
