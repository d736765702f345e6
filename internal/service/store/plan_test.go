package store_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ativa/internal/service/domain"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
)

// The subscribers of a provider that came after the statistics were made are
// found by the whole index: the planner once read all of them for each request.
func TestLookUpsGoDownTheIndexWhateverTheStatisticsSay(t *testing.T) {
	onPostgres(t)
	dsn := pgtest.URL(t)
	db := open(t, dsn, store.Options{})
	defer db.Close()
	newProvider(t, db, "Velho").insertWithService(5000)
	pgtest.Exec(t, dsn, `ANALYZE`)
	late := newProvider(t, db, "Novo")
	late.insertWithService(5000)
	for _, query := range store.LookUps(int(late.p)) {
		plan := strings.ReplaceAll(queried(t, dsn, `EXPLAIN `+query), "Seq Scan on product", "") // which are few
		if !strings.Contains(plan, "AND (document = ") && !strings.Contains(plan, "(id >= r.first) AND (id <= ") {
			t.Errorf("the plan does not use the whole index:\n%s", plan)
		}
		for _, word := range []string{"Seq Scan", "Filter"} {
			if strings.Contains(plan, word) {
				t.Errorf("the plan has a %s:\n%s", word, plan)
			}
		}
	}
}

// The deliveries of a subscriber are read down indexes, however many others there
// are and whatever the statistics say.
func TestDeliveriesAreReadDownTheIndex(t *testing.T) {
	dsn := pgtest.DSN(t)
	db := open(t, dsn, store.Options{})
	defer db.Close()
	newProvider(t, db, "Velho").insertWithJobs(5000)
	f := newProvider(t, db, "Novo")
	if strings.HasPrefix(dsn, "postgres") {
		pgtest.Exec(t, dsn, `ANALYZE`)
	}
	f.insertWithJobs(5000)
	var got []domain.SubscriberDelivery
	rows, plans, err := store.RowsOf(t.Context(), db, func() {
		var err error
		if got, err = db.SubscriberDeliveries(t.Context(), f.subscriber(4999).ID); err != nil {
			t.Error(err)
		}
	})
	if err != nil || rows != 1 || len(got) != 1 || got[0].Service.ID.Subscriber() != f.subscriber(4999).ID {
		t.Errorf("got %d rows, %+v, %v, want one", rows, got, err)
	}
	if strings.HasPrefix(dsn, "postgres") {
		plans = queried(t, dsn, `EXPLAIN `+store.DeliveriesOf(f.subscriber(4999).ID))
	}
	if strings.Contains(plans, "USING INDEX job") || strings.Contains(plans, "SCAN") ||
		strings.Contains(plans, "Seq Scan on job") || strings.Contains(plans, "Seq Scan on operation") || strings.Contains(plans, "Seq Scan on service") {
		t.Errorf("the plan is\n%s", plans)
	}
}

// A worker finds the destinations that have something due without reading all that
// waits for them.
func TestDueDestinationsAreFoundByTheIndex(t *testing.T) {
	dsn := pgtest.DSN(t)
	db := open(t, dsn, store.Options{})
	defer db.Close()
	newProvider(t, db, "Um").insertWithJobs(5000)
	execute(t, dsn, `UPDATE job SET state = 0, destination = id % 3`)
	execute(t, dsn, `ANALYZE`)
	rows, plan, err := store.RowsOf(t.Context(), db, func() {
		due, err := db.DueDestinations(t.Context(), domain.EmailJob, time.Now())
		if err != nil || !slices.Equal(due, []int64{0, 1, 2}) {
			t.Errorf("got %v, %v, want the three destinations", due, err)
		}
	})
	must(t, err)
	if strings.HasPrefix(dsn, "postgres") {
		plan, rows = queried(t, dsn, `EXPLAIN `+store.DueDestinations()), 0
	}
	if strings.Contains(plan, "Seq Scan") || strings.Contains(plan, "SCAN job") || !strings.Contains(plan, "job_open") || rows > 100 {
		t.Errorf("%d rows, the plan is\n%s", rows, plan)
	}
}

// queried returns the one column of a query of PostgreSQL, a line a row.
func queried(t *testing.T, url, query string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	rows, _ := conn.Query(t.Context(), query) // CollectRows returns its error
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}
