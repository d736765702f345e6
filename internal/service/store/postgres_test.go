package store_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ativa/internal/service/domain"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
)

func TestADatabaseThatCannotBeUsedIsNamedInOneLine(t *testing.T) {
	onPostgres(t)
	good := pgtest.URL(t)
	createPlainRole(t, good)
	for name, c := range map[string]struct{ dsn, want string }{
		"no such database": {strings.Replace(good, "?", "x?", 1), "does not exist"},
		"a time-out":       {withParam(t, good, "statement_timeout", "soon"), "statement_timeout=soon"},
		"no schema":        {withParam(t, good, "search_path", "nowhere"), "the first schema of its search_path does not exist"},
		"the user's":       {withParam(t, good, "search_path", `"$user"`), "the first schema of its search_path does not exist"},
		"another schema":   {withParam(t, good, "search_path", "nowhere,public"), "the first schema of its search_path does not exist"},
		"no rights":        {strings.Replace(good, "ativa@", "plain@", 1), "make it the owner of the database and of its tables"},
		"the encoding":     {pgtest.Empty(t, `ENCODING 'LATIN1' TEMPLATE template0`), "LATIN1"},
	} {
		_, err := store.Open(t.Context(), c.dsn, store.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || store.Fault(err) != nil {
			t.Errorf("%s: got %v, want one line with %q, and no fault that passes", name, err, c.want)
		}
	}
}

// createPlainRole creates the role plain, which has no rights.
func createPlainRole(t *testing.T, dsn string) {
	t.Helper()
	pgtest.Exec(t, dsn, `DO $$ BEGIN CREATE ROLE plain LOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN END $$`)
}

// A new database has the speeds of api.md once, however many processes create it.
func TestProcessesThatStartTogetherMigrateOnce(t *testing.T) {
	dsn := emptyDSN(t)
	if strings.HasPrefix(dsn, "postgres") {
		dsn = withParam(t, dsn, "pool_max_conns", "1") // a migration needs two, and takes them
	}
	var processes sync.WaitGroup
	for range 8 {
		processes.Go(func() {
			db := open(t, dsn, store.Options{})
			speeds, err := db.InternetSpeeds(t.Context())
			if err != nil || len(speeds) != 38 {
				t.Errorf("got %d speeds, %v, want 38", len(speeds), err)
				return
			}
			for id, want := range map[int]string{1: "10 Mbps", 20: "200 Mbps", 21: "250 Mbps", 36: "1000 Mbps", 37: "5 Mbps", 38: "Não informado"} {
				if got := speeds[id-1]; got.ID != id || got.Speed != want {
					t.Errorf("speed %d: got %+v, want %s", id, got, want)
				}
			}
			must(t, db.Close())
		})
	}
	processes.Wait()
}

// Trigrams are used once they pay off. Before, and without the extension, a search finds the same.
func TestASearchFindsTheSameWithAndWithoutTrigrams(t *testing.T) {
	t.Parallel()
	onPostgres(t)
	plain := pgtest.Empty(t)
	createPlainRole(t, plain)
	pgtest.Exec(t, plain, `GRANT ALL ON SCHEMA public TO plain`)
	for name, c := range map[string]struct {
		dsn, before string
		trigrams    bool
	}{
		"not allowed":     {strings.Replace(plain, "ativa@", "plain@", 1), `UPDATE provider SET subscribers = 300000`, false},
		"few subscribers": {pgtest.Empty(t), `SELECT 1`, false},
		"many":            {pgtest.Empty(t), `UPDATE provider SET subscribers = 300000`, true},
		"a server ended while it was made": {pgtest.Empty(t), `UPDATE provider SET subscribers = 300000;
			CREATE INDEX subscriber_folded ON subscriber (folded);
			UPDATE pg_index SET indisvalid = FALSE WHERE indexrelid = 'subscriber_folded'::regclass`, true},
	} {
		t.Run(name, func(t *testing.T) {
			f, db := newDatabaseOn(t, c.dsn, store.Options{})
			f.insert(1, 30)
			pgtest.Exec(t, c.dsn, c.before)
			var index [2][]string
			for i := range index {
				must(t, db.Purge(t.Context(), domain.RetentionCutoffs{}))
				index[i] = pgtest.Column(t, c.dsn, `SELECT oid::text FROM pg_class WHERE relname = 'subscriber_folded'`)
			}
			if !slices.Equal(index[0], index[1]) {
				t.Errorf("after a second call: got the index %v, want %v left alone", index[1], index[0])
			}
			if got := strings.Contains(fmt.Sprint(pgtest.Column(t, c.dsn, `SELECT indexdef FROM pg_indexes`)), "gin_trgm_ops"); got != c.trigrams {
				t.Errorf("an index of trigrams: got %t, want %t", got, c.trigrams)
			}
			for text, want := range map[string]int{"assinante": 30, "ASSINANTE 3": 4, "a1": 11, "a_": 0, "%a": 0, `a\`: 0, "@example.com.br": 30, "876": 30, "zz": 0} {
				f.wantFound(text, want)
			}
		})
	}
}

// Groups of providers with separate schemas share a database and no data.
func TestSchemasOfOneDatabaseAreApart(t *testing.T) {
	onPostgres(t)
	dsn := pgtest.Empty(t)
	pgtest.Exec(t, dsn, `CREATE SCHEMA azul; CREATE SCHEMA verde`)
	for _, schema := range []string{"public", "azul", "verde"} {
		of := withParam(t, dsn, "search_path", schema+",public")
		seed(t, of)
		wantNoFindings(t, of)
		if got := pgtest.Column(t, of, `SELECT name FROM provider`); !slices.Equal(got, []string{"Azul"}) {
			t.Errorf("schema %s: got the providers %v, want its own", schema, got)
		}
	}
}

// Characters that PostgreSQL cannot store in a text are dropped without an error.
func TestAnOddTextIsNoFault(t *testing.T) {
	_, db := newDatabase(t)
	added, err := db.AddPartnerEvent(t.Context(), domain.PartnerEvent{Partner: 1, ID: "a\x00b\xff", Kind: "change", Reason: "\x00\xfe", ReceivedAt: time.Now()})
	if err != nil || !added {
		t.Fatalf("got %t, %v", added, err)
	}
	added, err = db.AddPartnerEvent(t.Context(), domain.PartnerEvent{Partner: 1, ID: "a\x00b\xff", Kind: "change", ReceivedAt: time.Now()})
	if err != nil || added {
		t.Errorf("the same id again: got %t, %v, want a duplicate", added, err)
	}
}

// With several hosts the writable one is used, unless the URL says otherwise; a single host is used
// in any case.
func TestOfSeveralHostsTheWritableOneIsUsed(t *testing.T) {
	pgtest.Only(t, "postgres", "a file has no hosts")
	standby := withParam(t, pgtest.DSN(t), "default_transaction_read_only", "on")
	two := strings.Replace(standby, "@", "@127.0.0.1:1,", 1)
	for dsn, refused := range map[string]bool{standby: false, two: true, withParam(t, two, "target_session_attrs", "any"): false} {
		_, err := store.Check(t.Context(), dsn)
		if got := err != nil && strings.Contains(err.Error(), "read only"); got != refused || !refused && err != nil {
			t.Errorf("%s: got %v, want a refusal %t", dsn, err, refused)
		}
	}
}

// A DSN of keys and values, in any order, works like a URL, with each way of sending statements.
func TestADatabaseIsOpenedByKeysAndValues(t *testing.T) {
	onPostgres(t)
	for name, form := range map[string]string{
		"without more":    "%s",
		"another first":   "pool_max_conns=2 %s",
		"exec":            "%s default_query_exec_mode=exec",
		"simple_protocol": "options='-c statement_timeout=5000' %s default_query_exec_mode=simple_protocol",
	} {
		t.Run(name, func(t *testing.T) {
			dsn := pgtest.URL(t)
			c, err := pgx.ParseConfig(dsn)
			must(t, err)
			dsn = fmt.Sprintf(form, fmt.Sprintf("host=%s port=%d user=%s dbname='%s' sslmode=disable connect_timeout=60", c.Host, c.Port, c.User, c.Database))
			seed(t, dsn)
			wantNoFindings(t, dsn)
		})
	}
}
