package store_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ativa/internal/cpf"
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
			page, _, err := f.db.SubscriberPage(f.t.Context(), f.p, offset, limit)
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

// A page is the same part of the list wherever it is, after any deletions. Past the last page it is
// empty, although another provider's ids follow.
func TestAPageIsAPartOfTheList(t *testing.T) {
	t.Parallel()
	const all = 6000
	before, db := newDatabase(t)
	f, after := newProvider(t, db, "Meio"), newProvider(t, db, "Depois")
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
	f.insert(all+1000, all+1200) // an import skips the numbers of existing subscribers
	f.checkPages("numbers left out", all/2, all-1)
	before.checkPages("the provider before", 0, 5, 9, 10)
	after.checkPages("the provider after", 0, 5, 9, 10)
}
