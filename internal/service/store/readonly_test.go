package store_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"ativa/internal/service/domain"
	"ativa/internal/service/servicetest"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
)

// A PostgreSQL that takes no writes, as a standby does, is said to be read-only when the
// service is started on it, whether it is empty or has the schema; it was reached.
func TestAReadOnlyPostgresIsSaidAtTheStart(t *testing.T) {
	pgtest.Only(t, "postgres", "SQLite has no such state")
	dsn := pgtest.Empty(t)
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("default_transaction_read_only", "on")
	u.RawQuery = q.Encode()
	for _, state := range []string{"empty", "with the schema"} {
		db, err := store.Open(t.Context(), u.String(), store.Options{Exclusive: true})
		if err == nil {
			_, err = servicetest.New(db, servicetest.Options{}).CreatePartner(t.Context(), domain.Partner{Name: "p", Driver: domain.DriverManual})
			if closed := db.Close(); closed != nil {
				t.Error(closed)
			}
		}
		if refused, ok := errors.AsType[*domain.Error](err); !ok || refused.Code != domain.Unavailable ||
			!strings.Contains(err.Error(), "read-only") || strings.Contains(err.Error(), "reached") {
			t.Errorf("%s: got %v, want unavailable because it is read-only", state, err)
		}
		writable, err := store.Open(t.Context(), dsn, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := writable.Close(); err != nil {
			t.Error(err)
		}
	}
}
