package store_test

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"ativa/internal/provision"
	"ativa/internal/store"
	"ativa/internal/store/pgtest"
)

// crowded fills a database so that no table is empty, and returns an access token.
func crowded(t *testing.T, dsn string) string {
	t.Helper()
	busy(t, dsn)
	db := open(t, dsn, store.Options{})
	defer db.Close()
	ctx := t.Context()
	m := provision.NewManager(db, provision.Options{})
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	partner, err := m.CreatePartner(ctx, provision.Partner{Name: "parceiro", Driver: provision.DriverSimulator, FailureRate: 0.1, Delay: time.Second})
	must(err)
	p, access, err := m.CreateProvider(ctx, provision.Provider{Name: "Açaí", Limit: 2})
	must(err)
	must(m.Grant(ctx, p.Name, []int{1, 3}))
	must(db.SetCallback(ctx, provision.Callback{Provider: p.ID, URL: "https://example.com/x", Secret: []byte{0, 1, 255}, Enabled: true}))
	_, err = m.Authenticate(ctx, access)
	must(err)
	_, err = m.AddInternetSpeed(ctx, 39, "2 Gbps")
	must(err)
	call := provision.Call{Provider: p.ID, IdempotencyKey: &provision.IdempotencyKey{Key: [32]byte{7}, Encode: func(any) ([]byte, error) { return []byte{0, 9}, nil }}}
	_, err = m.Import(ctx, call, rows(10, 14, 3))
	must(err)
	gone, err := m.CreateSubscriber(ctx, provision.Call{Provider: p.ID}, rows(20, 20, 1)[0].Fields)
	must(err)
	must(m.DeleteSubscriber(ctx, provision.Call{Provider: p.ID}, gone.Document))
	_, err = m.Claim(ctx, provision.EmailJob, 3, time.Hour)
	must(err)
	_, err = db.AddPartnerEvent(ctx, provision.PartnerEvent{Partner: partner.ID, ID: "é1", Kind: "change", Reason: "nenhum", Confirmed: true, ReceivedAt: time.Now()})
	must(err)
	return access
}

// database returns a new one of either engine.
func database(t *testing.T, engine string) string {
	t.Helper()
	if engine == "postgres" {
		return pgtest.URL(t)
	}
	return "sqlite:" + file(t)
}

func TestACopyHasEverything(t *testing.T) {
	onPostgres(t)
	for _, c := range [][2]string{{"sqlite", "postgres"}, {"postgres", "sqlite"}, {"postgres", "postgres"}, {"sqlite", "sqlite"}} {
		t.Run(strings.Join(c[:], " to "), func(t *testing.T) {
			from, to := database(t, c[0]), database(t, c[1])
			access := crowded(t, from)
			tables, err := store.Copy(t.Context(), from, to)
			if err != nil {
				t.Fatal(err)
			}
			for _, table := range tables {
				if table.Rows == 0 || len(table.Checksum) != 32 {
					t.Errorf("%+v: want rows and a checksum", table)
				}
			}
			if len(tables) != len(store.CopiedColumns()) {
				t.Errorf("%d tables were compared, want %d", len(tables), len(store.CopiedColumns()))
			}
			carriesOn(t, to, access)
		})
	}
}

// carriesOn lets a service go on with a copy.
func carriesOn(t *testing.T, dsn, access string) {
	t.Helper()
	db := open(t, dsn, store.Options{Exclusive: true})
	m := provision.NewManager(db, provision.Options{})
	ctx := t.Context()
	bearer, err := m.Authenticate(ctx, access)
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Identify(ctx, bearer.Token)
	if err != nil {
		t.Fatal(err)
	}
	results, err := m.Import(ctx, provision.Call{Provider: p}, rows(14, 16, 1))
	if err != nil || results[0].Kind != provision.ImportExisting || results[2].Services[0].QueuePosition != 5 {
		t.Errorf("an import into the copy: got %+v, %v, want the fifth place in the queue", results, err)
	}
	if speeds, err := m.InternetSpeeds(ctx); err != nil || len(speeds) != 39 || speeds[38].Speed != "2 Gbps" {
		t.Errorf("got the speeds %v, %v, want that which was added, too", speeds, err)
	}
	if _, _, err := m.CreateProvider(ctx, provision.Provider{Name: "Novo", Limit: 1}); err != nil {
		t.Error(err) // its id is new
	}
	term, err := provision.ParseSearchTerm("ana")
	if err != nil {
		t.Fatal(err)
	}
	if _, total, err := db.Search(ctx, p, term, 0, 0); err != nil || total != 7 {
		t.Errorf("a search found %d, %v, want 7", total, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	sound(t, dsn)
}

func TestACopyKnowsEveryColumn(t *testing.T) {
	path := file(t)
	if err := open(t, path, store.Options{}).Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), `SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name <> 'goose_db_version'`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	known := store.CopiedColumns()
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(known[table], column) {
			t.Errorf("%s.%s is not copied", table, column)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
}

func TestACopyThatBrokeOffGoesOn(t *testing.T) {
	onPostgres(t)
	from, to := "sqlite:"+file(t), pgtest.URL(t)
	db := open(t, from, store.Options{})
	w := newWorld(t, db)
	w.insert(1, 30_000)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	proxy := pgtest.NewProxy(t, to)
	go func() { // in the middle the target goes away
		watch := open(t, to, store.Options{})
		defer watch.Close()
		for t.Context().Err() == nil {
			if _, found, err := watch.Subscriber(t.Context(), w.p, w.subscriber(4000).Document); err != nil || found {
				break
			}
		}
		proxy.Cut()
	}()
	_, err := store.Copy(t.Context(), from, proxy.URL)
	wantUnavailable(t, "a target that goes away", err)
	before := there(t, to)
	if before == 0 || before == 30_000 {
		t.Fatalf("%d rows were there when it broke off, want some", before)
	}
	other := "sqlite:" + file(t)
	crowded(t, other)
	if _, err := store.Copy(t.Context(), other, to); !errors.Is(err, store.ErrNotEmpty) {
		t.Errorf("another source: got %v, want a refusal", err)
	}
	if n := there(t, to); n != before {
		t.Errorf("the refusal changed %d rows to %d", before, n)
	}
	tables, err := store.Copy(t.Context(), from, to)
	if err != nil || there(t, to) != 30_000 {
		t.Errorf("the second attempt: %v, %v", tables, err)
	}
	if _, err := store.Copy(t.Context(), from, to); !errors.Is(err, store.ErrNotEmpty) {
		t.Errorf("a third: got %v, want a refusal", err)
	}
}

// there counts the subscribers of a database.
func there(t *testing.T, dsn string) (n int) {
	t.Helper()
	return strings.Count(pgtest.Rows(t, dsn), "@example.com.br,+55")
}

func TestACopyRefusesAFullTargetAndABusySource(t *testing.T) {
	onPostgres(t)
	from, full := "sqlite:"+file(t), pgtest.URL(t)
	crowded(t, from)
	crowded(t, full)
	before := pgtest.Rows(t, full)
	if _, err := store.Copy(t.Context(), from, full); !errors.Is(err, store.ErrNotEmpty) {
		t.Errorf("a full target: got %v, want a refusal", err)
	}
	if pgtest.Rows(t, full) != before {
		t.Error("a refused copy changed the target")
	}
	server := open(t, from, store.Options{Exclusive: true})
	defer server.Close()
	if _, err := store.Copy(t.Context(), from, pgtest.URL(t)); err == nil || !strings.Contains(err.Error(), "another server") {
		t.Errorf("a source with a server: got %v, want an error that says so", err)
	}
}

// Writers to a source on PostgreSQL wait until the copy has been compared.
func TestACopySeesOneState(t *testing.T) {
	onPostgres(t)
	from := pgtest.URL(t)
	db := open(t, from, store.Options{})
	defer db.Close()
	w := newWorld(t, db)
	w.insert(1, 5000)
	writing, stop := context.WithCancel(t.Context())
	done := make(chan int)
	go func() {
		n := 5000
		for writing.Err() == nil {
			n++
			w.insert(n, n)
		}
		done <- n
	}()
	_, err := store.Copy(t.Context(), from, "sqlite:"+file(t))
	if err != nil {
		t.Error(err)
	}
	stop()
	if n := <-done; n < 5001 {
		t.Error("nobody wrote beside the copy")
	}
}
