package store_test

import (
	"errors"
	"strings"
	"testing"

	"ativa/internal/service/domain"
	"ativa/internal/service/servicetest"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
)

// A PostgreSQL that takes no writes, like a standby, is reported as read-only: at the start if it has
// no schema, otherwise by each write and by Ready. Reads continue.
func TestAReadOnlyPostgresIsReported(t *testing.T) {
	pgtest.Only(t, "postgres", "SQLite has no such state")
	dsn := pgtest.Empty(t)
	wantReadOnly := func(what string, err error) {
		t.Helper()
		if refused, ok := errors.AsType[*domain.Error](err); !ok || refused.Code != domain.Unavailable ||
			!strings.Contains(err.Error(), "read-only") || strings.Contains(err.Error(), "reached") {
			t.Errorf("%s: got %v, want unavailable because it is read-only", what, err)
		}
	}
	readOnly := withParam(t, dsn, "default_transaction_read_only", "on")
	_, err := store.Open(t.Context(), readOnly, store.Options{Exclusive: true})
	wantReadOnly("empty", err)
	must(t, open(t, dsn, store.Options{}).Close()) // creates the schema
	db := open(t, readOnly, store.Options{Exclusive: true})
	defer db.Close()
	_, err = servicetest.New(db, servicetest.Options{}).CreatePartner(t.Context(), domain.Partner{Name: "p", Driver: domain.DriverManual})
	wantReadOnly("a write", err)
	wantReadOnly("ready", db.Ready(t.Context()))
	if _, err := db.Partners(t.Context()); err != nil {
		t.Errorf("reading: %v", err)
	}
}
