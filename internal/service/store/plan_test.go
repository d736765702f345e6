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
	if lines := strings.Count(plan, "\n"); lines > 150 { // as with a statement for each thousand of ids that a restore skips
		f.t.Errorf("%s: got a plan of %d lines, want 150 at most", what, lines)
	}
	if found := scan.FindString(plan); found != "" || !strings.Contains(plan, index) {
		f.t.Errorf("%s: want the index %s and not %q in the plan\n%s", what, index, found, plan)
	}
}

// Reads for one subscriber or one worker use indexes, whatever the number of others and the
// statistics: the planner once read all subscribers of a provider newer than those.
func TestReadsOfAFewRowsUseIndexes(t *testing.T) {
	dsn := pgtest.DSN(t)
	f, db := newDatabaseOn(t, dsn, store.Options{})
	f.insertWithDeliveries(5000)
	key, document, page := "PRIMARY KEY", "AND document=", "COVERING INDEX subscriber_provider"
	if strings.HasPrefix(dsn, "postgres") {
		key, document, page = "delivery_pkey", "AND (document = ", "Index Only Scan"
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
	s := f.subscriber(7)
	f.wantPlan("a subscriber", 2, document, func() error {
		_, _, _, err := db.Subscriber(t.Context(), f.p, s.Document)
		return err
	})
	f.wantPlan("subscribers of a request", 3, document, func() error {
		return db.Update(t.Context(), f.p, func(ctx context.Context, tx rules.Tx) error {
			_, err := tx.Subscribers(ctx, []cpf.Document{s.Document, f.subscriber(8).Document})
			_, err2 := tx.Services(ctx, []domain.SubscriberID{s.ID})
			return errors.Join(err, err2)
		})
	})
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
		f.insertEvents(2000)
		if name != "Sem" {
			execute(t, dsn, `ANALYZE`)
		}
		f.wantPlan("a history", 6, "event_subscriber", func() error { _, err := db.History(t.Context(), f.subscriber(1300).ID); return err })
	}
	execute(t, dsn, `ANALYZE`)
	for _, offset := range []int{0, 2000, 4900} { // counted over the narrowest index
		f.wantPlan("a page", 1500, page, func() error { _, _, err := db.SubscriberPage(t.Context(), f.p, offset, pageLimit); return err })
	}
}
