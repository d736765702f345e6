package store_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/servicetest"
	"ativa/internal/service/store"
)

// pageLimit is the largest page of the API.
const pageLimit = 500

// checkPages compares pages at several offsets with the list, and the total.
func (f *fixture) checkPages(what string, offsets ...int) {
	f.t.Helper()
	all := f.listDocuments()
	if total := f.count(); total != len(all) {
		f.t.Errorf("%s: the total is %d, want %d", what, total, len(all))
	}
	for _, offset := range offsets {
		for _, limit := range []int{1, pageLimit} {
			page, err := f.db.SubscriberPage(f.t.Context(), f.p, offset, limit)
			if err != nil {
				f.t.Error(err)
			}
			var got []cpf.Document
			for _, s := range page {
				got = append(got, s.Document)
			}
			if want := all[min(offset, len(all)):min(offset+limit, len(all))]; !slices.Equal(got, want) {
				f.t.Errorf("%s: %d after %d: got %d subscribers, want those of the list, %d", what, limit, offset, len(got), len(want))
			}
		}
	}
}

// A page is the same part of the list wherever it is and whoever was deleted. Behind the
// last one it is empty, however far: the ids that follow are those of another provider.
func TestAPageIsAPartOfTheList(t *testing.T) {
	t.Parallel()
	const all = 6000
	db := openNew(t, store.Options{})
	defer db.Close()
	before, f, after := newProvider(t, db, "Antes"), newFixture(t, db), newProvider(t, db, "Depois")
	before.insert(1, 10)
	after.insert(1, 10)
	for from := 1; from < all; from += 3000 {
		f.insert(from, from+2999)
	}
	offsets := []int{0, 1, 499, 500, 2500, 2999, 3000, 3001, all - 600, all - 500, all - 499, all - 1, all, all + 1, 1<<31 - 1, 1 << 31, 1<<31 + 1}
	f.checkPages("as they came", offsets...)
	f.erase([]int{1, 7, all})
	f.checkPages("the ends deleted", offsets...)
	dice := rand.New(rand.NewPCG(1, 2))
	var some []int
	for n := 2000; n < all; n++ {
		if dice.IntN(3) == 0 {
			some = append(some, n)
		}
	}
	f.erase(some)
	f.checkPages("every third deleted", offsets...)
	f.insert(all+1, all+900)
	f.checkPages("more came", offsets...)
	before.checkPages("the provider before", 0, 5, 9, 10)
	after.checkPages("the provider after", 0, 5, 9, 10)
}

// An import leaves out the numbers of those who exist.
func TestAPageAfterAnImportOfSomeWhoExist(t *testing.T) {
	t.Parallel()
	const all = 3000
	db := openNew(t, store.Options{})
	defer db.Close()
	m := servicetest.New(db, servicetest.Options{})
	p, _, err := m.CreateProvider(t.Context(), domain.Provider{Name: "Provedor", Limit: 1, AllProducts: true, CreatedAt: time.Now()})
	must(t, err)
	f := &fixture{t, db, p.ID}
	for _, step := range []int{3, 3, 2, 1, 2} {
		var rows []rules.Registration
		for n := step; n <= all; n += step {
			s := f.subscriber(n)
			rows = append(rows, rules.Registration{Fields: rules.Fields{Name: domain.Some(s.Name), Email: domain.Some(s.Email),
				Document: domain.Some(string(s.Document)), Phone: domain.Some(s.Phone)}})
		}
		if _, err := m.Import(t.Context(), rules.Call{Provider: p.ID}, rows); err != nil {
			t.Fatal(err)
		}
		f.checkPages("imported", 0, 700, 1300, 2500, all-1)
	}
	if n := f.count(); n != all {
		t.Errorf("got %d subscribers, want %d", n, all)
	}
}

// Whoever goes from page to page while others come meets everybody who was
// there, once.
func TestPagesWhileSubscribersCome(t *testing.T) {
	t.Parallel()
	const all = 4000
	f, db := newDatabase(t)
	f.insert(1, all)
	ctx, cancel := context.WithCancel(t.Context())
	came := make(chan error)
	go func() {
		for n := all + 1; ; n++ {
			if err := f.insertOne(n); err != nil || ctx.Err() != nil {
				came <- err
				return
			}
		}
	}()
	var got []domain.SubscriberID
	for len(got) < all {
		page, err := db.SubscriberPage(t.Context(), f.p, len(got), 50)
		if err != nil || len(page) == 0 {
			t.Fatalf("after %d: got %d subscribers, %v", len(got), len(page), err)
		}
		for _, s := range page {
			got = append(got, s.ID)
		}
	}
	cancel()
	must(t, <-came)
	for i, id := range got {
		if want := f.subscriber(i + 1).ID; id != want {
			t.Fatalf("subscriber %d: got %d, want %d", i, id, want)
		}
	}
}
