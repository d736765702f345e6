package cmd

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"ativa/internal/cli"
	"ativa/internal/store/pgtest"
)

// age lets the services of subscribers have their status for so much longer, in the
// database of the script: age SPAN DOCUMENT….
func age(ts *testscript.TestScript, _ bool, args []string) {
	span, err := cli.ParseSpan(args[0])
	ts.Check(err)
	makeOlder(scriptTB{ts}, ts.Getenv("ATIVA_DB"), span, args[1:]...)
}

// makeOlder moves the time of the last change of status back, behind the service's back.
func makeOlder(t pgtest.TB, dsn string, span time.Duration, documents ...string) {
	t.Helper()
	statement := fmt.Sprintf(`UPDATE service SET updated_at = updated_at - %d WHERE id >> 12 IN (SELECT id FROM subscriber WHERE document IN (%s))`,
		span.Microseconds(), strings.Join(documents, ","))
	path, sqlite := strings.CutPrefix(dsn, "sqlite:")
	if !sqlite {
		pgtest.Exec(t, dsn, statement)
		return
	}
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(10000)")
	if err == nil {
		_, err = db.ExecContext(context.Background(), statement)
		db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}
