package store_test

import (
	"strings"
	"testing"

	"ativa/internal/store"
	"ativa/internal/store/pgtest"
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
		plan := pgtest.Plan(t, dsn, query)
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
