package store_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
)

func TestACheckFindsEveryFault(t *testing.T) {
	t.Parallel()
	copyService := func(id, product string) string {
		return `INSERT INTO service (id, product_id, status_id, created_at, updated_at, operation_id, operation_kind, last_stable_status_id, previous_product_id, requested_product_id, deferred_trigger, email_number)
			SELECT ` + id + `, ` + product + `, status_id, created_at, updated_at, operation_id, operation_kind, last_stable_status_id, previous_product_id, requested_product_id, deferred_trigger, email_number
			FROM service WHERE id = (SELECT MIN(id) FROM service)`
	}
	const schedule = `INSERT INTO schedule (id, service_id, product_id, operation, due_at, state, token_id, created_at, ended_at, code)
		SELECT (id << 43) + 1, 5, 1, 1, 5, 1, 0, 5, 0, '' FROM provider`
	for _, c := range []struct{ name, statement, check, detail string }{
		{"nothing is wrong", ``, "", ""},
		{"a lowered limit, which is a note", `UPDATE provider SET active_limit = 1`, "limit", ""},
		{"a counter of tokens", `UPDATE provider SET active_tokens = active_tokens - 1`, "counters", "3 services hold a token"},
		{"a counter of the queue", `UPDATE provider SET queued = 9`, "counters", "2 services are queued"},
		{"a counter of subscribers", `UPDATE provider SET subscribers = subscribers + 1`, "counters", "too high by 1"},
		{"room beside a queue", `UPDATE provider SET active_limit = 4`, "queue", "2 activations are queued although there is room"},
		{"a number given twice", `UPDATE provider SET last_operation = 1`, "counters", "operation number 6"},
		{"a delivery number", `UPDATE provider SET last_delivery = 0`, "counters", "delivery number"},
		{"a subscriber number", `UPDATE provider SET last_subscriber = 1`, "counters", "subscriber number 6"},
		{"the end of the feed", `UPDATE provider SET last_event = last_event + 5`, "events", "counter has another number"},
		{"a gap in the feed", `UPDATE event SET id = id + 1 WHERE id = (SELECT MAX(id) FROM event)`, "events", "1 events are missing"},
		{"a feed callback ahead of the feed", `INSERT INTO feed_callback SELECT id, 'https://azul.example.com', '', FALSE, TRUE, 0, 1, (SELECT MAX(id) FROM event) + 3, 0, 0, 0, '' FROM provider`, "events", "3 events ahead"},
		{"two live tokens of a product", copyService(`id + 1`, `product_id`), "live_tokens", "both live, of one product"},
		{"two live tokens of a family", copyService(`id + 1`, `2`), "live_tokens", "both live, of one family"},
		{"a status that does not exist", `UPDATE service SET status_id = 5 WHERE id = (SELECT MIN(id) FROM service)`, "services", "has a status that does not exist"},
		{"a product that does not exist", `DELETE FROM product WHERE id = 1`, "services", "is of a product that does not exist"},
		{"a service of nobody", copyService(`(CAST(900 AS BIGINT) << 43) + 1`, `product_id`), "services", "1 services belong to no provider"},
		{"a subscriber that is gone", `DELETE FROM subscriber WHERE id = (SELECT MIN(id) FROM subscriber)`, "services", "belong to no subscriber"},
		{"an enabled service without an interval", `UPDATE service SET status_id = 1 WHERE id = (SELECT MIN(id) FROM service)`, "usage", "1 services are enabled without an interval"},
		{"an enabled service that waits for its suspension", `UPDATE service SET status_id = 22, last_stable_status_id = 1 WHERE id = (SELECT MIN(id) FROM service)`, "usage", "1 services are enabled without an interval"},
		{"an interval of a service that is not enabled", `INSERT INTO enabled_interval SELECT id, 1, product_id, 5, NULL, NULL FROM service WHERE id = (SELECT MIN(id) FROM service)`, "usage", "1 services are enabled without an interval of usage, or have one and are not"},
		{"an interval that ends before it begins", `INSERT INTO enabled_interval SELECT id, 1, product_id, 5, 2, 4 FROM service WHERE id = (SELECT MIN(id) FROM service)`, "usage", "1 intervals of usage end before"},
		{"an interval of nothing", `INSERT INTO enabled_interval SELECT id + 9, 1, product_id, 5, 2, 6 FROM service WHERE id = (SELECT MIN(id) FROM service)`, "usage", "1 intervals of usage end before they begin, or belong to no service"},
		{"an operation of another service", `UPDATE service SET operation_id = operation_id + 1 WHERE id = (SELECT MIN(id) FROM service)`, "operations", "of another service"},
		{"an operation that ended", `UPDATE operation SET state = 2 WHERE id = (SELECT MIN(id) FROM operation)`, "operations", "wait for an operation that has ended"},
		{"an operation that nobody needs", `UPDATE operation SET state = 1`, "operations", "come to rest"},
		{"a schedule of nobody", schedule, "schedules", "1 schedules belong to no subscriber"},
		{"a schedule number", schedule, "counters", "schedule number 1"},
		{"a delivery of nothing", `UPDATE delivery SET service_id = 5`, "outbox", "belong to no service"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dsn := pgtest.DSN(t)
			seed(t, dsn)
			if c.statement != "" {
				execute(t, dsn, c.statement)
			}
			found, err := store.Check(t.Context(), dsn)
			must(t, err)
			var all strings.Builder
			hit := false
			for _, f := range found {
				detail := fmt.Sprintf(f.Detail, f.Args...)
				fmt.Fprintf(&all, "\n%s %s: %s", f.Check, f.Provider, detail)
				hit = hit || f.Check == c.check && strings.Contains(detail, c.detail) && f.Note == (c.check == "limit")
			}
			if hit != (c.check != "") || c.check == "" && len(found) > 0 {
				t.Errorf("got %s, want %s: %s", all.String(), c.check, c.detail)
			}
		})
	}
}

func TestAnExistingDatabaseIsNeitherCreatedNorMigrated(t *testing.T) {
	absent, other, made := tempFile(t), tempFile(t), tempFile(t)
	must(t, os.WriteFile(other, nil, 0o600))
	for what, dsn := range map[string]string{"a missing file": dsnOf(absent), "an empty file": dsnOf(other), "an empty database": emptyDSN(t)} {
		for _, schema := range []store.SchemaChange{store.MigrateSchema, store.KeepSchema} {
			if _, err := store.Open(t.Context(), dsn, store.Options{Schema: schema}); !errors.Is(err, store.ErrNoSchema) {
				t.Errorf("%s: got %v, want %v", what, err, store.ErrNoSchema)
			}
		}
	}
	if _, err := os.Stat(absent); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want no file", err)
	}
	current, target, err := store.Version(t.Context(), dsnOf(other))
	if err != nil || current != 0 || target < 1 {
		t.Errorf("got %d, %d, %v, want version 0 of at least 1", current, target, err)
	}
	must(t, open(t, made, store.Options{}).Close())
	if current, _, err = store.Version(t.Context(), dsnOf(made)); err != nil || current != target {
		t.Errorf("got %d, %v, want %d", current, err, target)
	}
}
