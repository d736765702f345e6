package store_test

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
)

// scan matches a plan that reads a whole table, except the small product and speed.
var scan = regexp.MustCompile(`SCAN (delivery|event|operation|service|subscriber|[a-ceijosv])\b|Seq Scan on (delivery|event|operation|service|subscriber|enabled_interval)`)

// wantPlan checks that a read uses an index, reads no whole table, and at most the given number of
// rows.
func (f *fixture) wantPlan(what string, most int, index string, read func() error) {
	f.t.Helper()
	rows, plan, err := store.RowsOf(f.t.Context(), f.db, read)
	if err != nil || rows > most {
		f.t.Errorf("%s: got %d rows, %v, want %d at most", what, rows, err, most)
	}
	if found := scan.FindString(plan); found != "" || !strings.Contains(plan, index) {
		f.t.Errorf("%s: want the index %s and not %q in the plan\n%s", what, index, found, plan)
	}
}

// Subscribers of a provider newer than the statistics are found by the whole index: the planner once
// read all of them for each request.
func TestLookUpsUseTheWholeIndexWithOldStatistics(t *testing.T) {
	onPostgres(t)
	dsn := pgtest.URL(t)
	db := open(t, dsn, store.Options{})
	defer db.Close()
	newProvider(t, db, "Velho").insertWithDeliveries(5000)
	pgtest.Exec(t, dsn, `ANALYZE`)
	late := newProvider(t, db, "Novo")
	late.insertWithDeliveries(5000)
	subscriber := late.subscriber(7)
	_, plan, err := store.RowsOf(t.Context(), db, func() error {
		_, _, _, err := db.Subscriber(t.Context(), late.p, subscriber.Document)
		return errors.Join(err, db.Update(t.Context(), late.p, func(ctx context.Context, tx rules.Tx) error {
			_, err := tx.Subscribers(ctx, []cpf.Document{subscriber.Document, late.subscriber(8).Document})
			_, err2 := tx.Services(ctx, []domain.SubscriberID{subscriber.ID})
			return errors.Join(err, err2)
		}))
	})
	must(t, err)
	plan = strings.ReplaceAll(plan, "Seq Scan on product", "") // it has few rows
	if strings.Count(plan, "AND (document = ") != 2 || strings.Contains(plan, "Seq Scan") || strings.Contains(plan, "Filter") {
		t.Errorf("the plan does not use the whole index:\n%s", plan)
	}
}

// Reads for one subscriber or one worker use indexes, whatever the number of others and the
// statistics.
func TestReadsOfAFewRowsUseIndexes(t *testing.T) {
	dsn := pgtest.DSN(t)
	db := open(t, dsn, store.Options{})
	defer db.Close()
	f := newProvider(t, db, "Velho")
	f.insertWithDeliveries(5000)
	key := "PRIMARY KEY"
	if strings.HasPrefix(dsn, "postgres") {
		key = "delivery_pkey"
	}
	emails := func() error {
		return db.Update(t.Context(), f.p, func(ctx context.Context, tx rules.Tx) error {
			return tx.RestartEmails(ctx, f.subscriber(4999).ID, time.Now())
		})
	}
	f.wantPlan("e-mails of a subscriber", 0, key, emails)
	execute(t, dsn, `ANALYZE`)
	f = newProvider(t, db, "Novo")
	f.insertWithDeliveries(5000)
	f.wantPlan("deliveries", 1, "", func() error { _, err := db.SubscriberDeliveries(t.Context(), f.subscriber(4999).ID); return err })

	execute(t, dsn, `UPDATE delivery SET state = 0, destination = id % 3`)
	f.wantPlan("e-mails of a subscriber", 0, key, emails)
	execute(t, dsn, `ANALYZE`)
	f.wantPlan("due destinations", 3, "delivery_open", func() error {
		due, err := db.DueDestinations(t.Context(), domain.EmailDelivery, time.Now())
		if !slices.Equal(due, []int64{0, 1, 2}) {
			t.Errorf("got %v, want the three destinations", due)
		}
		return err
	})
	for _, name := range []string{"Com estatística", "Sem"} {
		f := newProvider(t, db, name)
		f.insertEvents(f.newEvents(2000))
		if name != "Sem" {
			execute(t, dsn, `ANALYZE`)
		}
		f.wantPlan("a history", 6, "event_subscriber", func() error { _, err := db.History(t.Context(), f.subscriber(1300).ID); return err })
	}
	execute(t, dsn, `ANALYZE`)
	for _, offset := range []int{0, 2000, 4900} { // counted over the narrowest index
		index := "COVERING INDEX subscriber_provider"
		if strings.HasPrefix(dsn, "postgres") {
			index = "Index Only Scan"
		}
		f.wantPlan("a page", 1500, index, func() error { _, _, err := db.SubscriberPage(t.Context(), f.p, offset, pageLimit); return err })
	}
}
