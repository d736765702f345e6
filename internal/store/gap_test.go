package store_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"ativa/internal/cpf"
	"ativa/internal/provision"
	"ativa/internal/store"
)

// pageLimit is the largest page of the API.
const pageLimit = 500

// maxRowsRead is what a page may read: its subscribers, those that a block may
// hold before it, a row for each block with a gap, and one of the provider.
func maxRowsRead(all int) int64 { return pageLimit + 1024 + int64(all)/1024 + 3 }

// checkPages holds pages at several places against the list, and their total,
// and returns the most rows that one of them read.
func (f *fixture) checkPages(places ...int) (most int64) {
	f.t.Helper()
	all := f.listDocuments()
	if total := f.count(); total != len(all) {
		f.t.Errorf("the total is %d, want %d", total, len(all))
	}
	if one, err := f.db.SubscriberPage(f.t.Context(), f.p, 0, 1); err != nil || len(one) != 1 || one[0].Document != all[0] {
		f.t.Errorf("a page of one: got %d subscribers, %v, want the first of the list", len(one), err)
	}
	for _, offset := range places {
		var page []provision.SubscriberServices
		rows, plans, err := store.RowsOf(f.t.Context(), f.db, func() {
			var err error
			if page, err = f.db.SubscriberPage(f.t.Context(), f.p, offset, pageLimit); err != nil {
				f.t.Error(err)
			}
		})
		if err != nil || strings.Contains(plans, "SCAN") {
			f.t.Errorf("a page after %d: %v, the plan is\n%s", offset, err, plans)
		}
		var got []cpf.Document
		for _, s := range page {
			got = append(got, s.Document)
		}
		if want := all[min(offset, len(all)):min(offset+pageLimit, len(all))]; !slices.Equal(got, want) {
			f.t.Errorf("a page after %d: got %d subscribers, want those of the list, %d", offset, len(got), len(want))
		}
		most = max(most, rows)
	}
	return most
}

// A page is found without counting all that come before it, wherever it is and
// whoever was deleted.
func TestAPageCostsTheSameWhereverItIs(t *testing.T) {
	t.Parallel()
	const all = 12_000
	db := openNew(t, store.Options{})
	defer db.Close()
	f, other := newFixture(t, db), newProvider(t, db, "Outro")
	other.insert(1, 10)
	for from := 1; from < all; from += 3000 {
		f.insert(from, from+2999)
	}
	places := []int{0, 1, 499, 500, 1022, 1023, 1024, 5000, 9_000, 10_000, all - 600, all - 500, all - 499, all - 1, all, all + 1}
	cheap := func(what string) {
		t.Helper()
		if most := f.checkPages(places...); most > maxRowsRead(all) {
			t.Errorf("%s: a page read %d rows, want at most %d", what, most, maxRowsRead(all))
		}
	}
	cheap("as they came")
	f.erase([]int{7})
	cheap("one deleted")
	f.erase([]int{1, all})
	cheap("the ends deleted")
	var block []int
	for n := 2048; n < 2*2048; n++ {
		block = append(block, n)
	}
	f.erase(block)
	cheap("two blocks deleted")
	dice := rand.New(rand.NewPCG(1, 2))
	var some []int
	for n := 5000; n < all; n++ {
		if dice.IntN(3) == 0 {
			some = append(some, n)
		}
	}
	f.erase(some)
	cheap("every third deleted")
	f.insert(all+1, all+900)
	cheap("more came")

	// A server of the version before noted no gap: pages are right all the same,
	// and after the next purge they cost as little.
	if err := store.ForgetGaps(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	if most := f.checkPages(places...); most <= maxRowsRead(all) {
		t.Errorf("without its gaps a page read %d rows: the test counts nothing", most)
	}
	if err := db.Purge(t.Context(), provision.RetentionCutoffs{}); err != nil {
		t.Fatal(err)
	}
	cheap("counted anew")
	if most := other.checkPages(0, 5, 10); most > 30 {
		t.Errorf("the other provider: a page read %d rows", most)
	}
}

// An import skips the numbers of those who exist; pages know.
func TestAPageAfterAnImportOfSomeWhoExist(t *testing.T) {
	t.Parallel()
	const all = 5000
	db := openNew(t, store.Options{})
	defer db.Close()
	m := provision.NewManager(db, provision.Options{})
	p, _, err := m.CreateProvider(t.Context(), provision.Provider{Name: "Provedor", Limit: 1, AllProducts: true, CreatedAt: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{t, db, p.ID}
	send := func(step int) {
		t.Helper()
		var rows []provision.Registration
		for n := step; n <= all; n += step {
			s := f.subscriber(n)
			rows = append(rows, provision.Registration{Fields: provision.Fields{Name: provision.Some(s.Name), Email: provision.Some(s.Email),
				Document: provision.Some(string(s.Document)), Phone: provision.Some(s.Phone)}})
		}
		if _, err := m.Import(t.Context(), provision.Call{Provider: p.ID}, rows); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []int{3, 3, 2, 1, 2} {
		send(step)
		if most := f.checkPages(0, 700, 1300, 2500, 3300, 4500, all-1); most > maxRowsRead(2*all) {
			t.Errorf("after each %dth: a page read %d rows, want at most %d", step, most, maxRowsRead(2*all))
		}
	}
	if n := f.count(); n != all {
		t.Errorf("got %d subscribers, want %d", n, all)
	}
}
