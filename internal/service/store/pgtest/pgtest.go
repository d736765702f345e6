// Package pgtest lets tests run on SQLite and on PostgreSQL. It decides where a PostgreSQL comes
// from: each test process starts a private cluster from the installed binaries, which ends with
// it. Only tests import it.
package pgtest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"ativa/internal/service/store"
	"ativa/internal/service/store/pgcluster"
	"ativa/internal/system/systemtest"
)

// Engine is the environment variable that chooses the database of a test run:
// sqlite or postgres. Where it is not set, [Main] runs the tests on both.
const Engine = "ATIVA_TEST_ENGINE"

// Require is the environment variable that makes a missing PostgreSQL a failure. Without it, the
// tests on PostgreSQL are skipped.
const Require = "ATIVA_REQUIRE_POSTGRES"

// Runner is a *testing.M.
type Runner interface{ Run() int }

// TB is a *testing.T or a *rapid.T. A database lasts as long as its TB.
type TB interface {
	Name() string
	Helper()
	Context() context.Context
	Cleanup(func())
	Skip(...any)
	Error(...any)
	Errorf(string, ...any)
	Fatal(...any)
	Fatalf(string, ...any)
}

// Main runs the tests of a package on SQLite, runs those that use a database of this package again
// on PostgreSQL, and returns the exit code. A package above the store gives words: without -run,
// only tests with one of them in their names run twice, because for the others the database makes
// no difference. Databases are kept in memory.
func Main(m Runner, words ...string) int {
	if err := systemtest.UseMemory(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	debug.SetGCPercent(400)           // tests use little memory, and collecting it takes a processor
	AtOnce(2 * runtime.GOMAXPROCS(0)) // each waits for its database half of the time
	if os.Getenv(Engine) != "" {
		return m.Run()
	}
	code := on("sqlite", m)
	if len(users.names) == 0 {
		return code
	}
	if _, err := shared(); err != nil {
		fmt.Fprintf(os.Stderr, "the tests on PostgreSQL are skipped: %v\n", err)
		if os.Getenv(Require) != "" || !errors.Is(err, pgcluster.ErrNotInstalled) {
			return 1
		}
		return code
	}
	if err := users.choose(words); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return max(code, on("postgres", m))
}

// AtOnce sets how many tests run in parallel, unless -parallel or an earlier call did.
func AtOnce(tests int) {
	flag.Parse()
	parallel := flag.Lookup("test.parallel")
	if parallel.Value.String() != parallel.DefValue {
		return
	}
	if err := parallel.Value.Set(strconv.Itoa(tests)); err != nil {
		panic(err)
	}
}

func on(engine string, m Runner) int {
	os.Setenv(Engine, engine)
	defer os.Unsetenv(Engine)
	code := m.Run()
	if code != 0 {
		fmt.Fprintf(os.Stderr, "the tests above failed on %s (%s=%s repeats them)\n", engine, Engine, engine)
	}
	return code
}

// Only skips the test unless engine is under test; why is the reason.
func Only(t TB, engine, why string) {
	t.Helper()
	users.note(t)
	if os.Getenv(Engine) != engine {
		t.Skip(why)
	}
}

// DSN returns an empty database of the engine under test, with the newest schema.
func DSN(t TB) string {
	t.Helper()
	users.note(t)
	if os.Getenv(Engine) == "postgres" {
		return URL(t)
	}
	return File(t)
}

// File is like [DSN], but always returns a SQLite database.
func File(t TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ativa-sqlite-")
	systemtest.Must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "ativa.db")
	schema, err := migratedFile()
	if err == nil {
		err = os.WriteFile(path, schema, 0o600)
	}
	systemtest.Must(t, err)
	return "sqlite:" + path
}

// migratedFile returns an empty SQLite file with the newest schema. Copying it costs a hundredth
// of running the migrations.
var migratedFile = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "ativa-sqlite-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "ativa.db")
	db, err := store.Open(context.Background(), "sqlite:"+path, store.Options{})
	if err != nil {
		return nil, err
	}
	if err := db.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// connectTimeout allows a minute for connecting, because a busy machine needs longer than a server waits.
const connectTimeout = "&connect_timeout=60"

// URL returns an empty PostgreSQL database with the newest schema. It skips the test if PostgreSQL
// is not installed.
func URL(t TB) string {
	t.Helper()
	c := need(t)
	var name string
	select {
	case name = <-spare:
	default:
		name = create(t, c, "TEMPLATE migrated")
	}
	t.Cleanup(func() {
		// Emptying a database is forty times as fast as creating one.
		if err := c.Run(context.Background(), name, clear); err != nil {
			t.Error(err)
			return
		}
		spare <- name
	})
	return c.URL(name) + connectTimeout
}

// Empty returns a new database without a schema, for tests that change it. how is appended to the
// statement that creates it.
func Empty(t TB, how ...string) string {
	t.Helper()
	c := need(t)
	name := create(t, c, strings.Join(how, " "))
	t.Cleanup(func() {
		if err := c.Run(context.Background(), "postgres", `DROP DATABASE `+name+` WITH (FORCE)`); err != nil {
			t.Error(err)
		}
	})
	return c.URL(name) + connectTimeout
}

// Exec runs a statement without the program's knowledge.
func Exec(t TB, url, statement string) {
	t.Helper()
	systemtest.Must(t, pgcluster.Exec(t.Context(), url, statement))
}

func need(t TB) *pgcluster.Cluster {
	t.Helper()
	c, err := shared()
	if errors.Is(err, pgcluster.ErrNotInstalled) && os.Getenv(Require) == "" {
		t.Skip(err)
	}
	systemtest.Must(t, err)
	return c
}

func create(t TB, c *pgcluster.Cluster, how string) (name string) {
	t.Helper()
	name = fmt.Sprintf("t%d", number.Add(1))
	systemtest.Must(t, c.Run(t.Context(), "postgres", `CREATE DATABASE `+name+` `+how))
	return name
}

// clear deletes everything from a database except what the schema inserted. Deleting a few rows
// costs a tenth of TRUNCATE, which creates new files; larger tables are truncated. The locks
// reveal a test that leaves a transaction open.
const clear = `SET lock_timeout = '10s';
SET session_replication_role = replica; -- in any order, whatever refers to whatever
DELETE FROM internet_speed WHERE id > 38;
DO $$
DECLARE t regclass;
BEGIN
	FOR t IN
		SELECT format('%I', tablename)::regclass
		FROM pg_tables
		WHERE schemaname = 'public' AND tablename NOT IN ('goose_db_version', 'internet_speed')
	LOOP
		EXECUTE format('LOCK TABLE %s', t);
		IF pg_relation_size(t) > 131072 THEN
			EXECUTE format('TRUNCATE %s CASCADE', t);
		ELSIF pg_relation_size(t) > 0 THEN
			EXECUTE format('DELETE FROM %s', t);
		END IF;
	END LOOP;
	PERFORM setval(format('%I', sequencename), 1, FALSE) FROM pg_sequences WHERE last_value IS NOT NULL;
END $$`

// The cluster is shared by the tests of a process and starts with the first that needs it.
var (
	users  runs
	number atomic.Int64
	spare  = make(chan string, 1000) // emptied databases for the next tests
	shared = sync.OnceValues(func() (*pgcluster.Cluster, error) {
		// With synchronous_commit=on a URL asks for a standby, which never exists.
		settings := []string{"fsync=off", "full_page_writes=off", "autovacuum=off", "shared_buffers=64MB", "max_wal_size=2GB",
			"synchronous_standby_names=absent", "synchronous_commit=local"}
		c, err := pgcluster.Start(settings...)
		if err != nil {
			return nil, err
		}
		ctx := context.Background()
		if err := c.Run(ctx, "postgres", `CREATE DATABASE migrated`); err != nil {
			return nil, err
		}
		db, err := store.Open(ctx, c.URL("migrated")+connectTimeout, store.Options{})
		if err != nil {
			return nil, err
		}
		return c, db.Close()
	})
)
