package store_test

import (
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
			must(f.t, err)
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

// A page is the same part of the list wherever it is, after deletions. Past the last page it is empty,
// although another provider's ids follow.
func TestAPageIsAPartOfTheList(t *testing.T) {
	const all = 1200
	before, db := newDatabase(t)
	f, after := newProvider(t, db, "Meio"), newProvider(t, db, "Depois")
	before.insert(1, 10)
	after.insert(1, 10)
	f.insert(1, all)
	offsets := []int{0, 1, 499, 500, 501, all - 500, all - 1, all, all + 1, 1<<31 - 1, 1 << 31, 1<<31 + 1}
	f.checkPages("as they came", offsets...)
	some := []int{1, 7, all}
	for n := 300; n < all; n += 3 {
		some = append(some, n)
	}
	f.erase(some)
	f.insert(all+100, all+300) // an import skips the numbers of existing subscribers
	f.checkPages("some deleted, more came", offsets...)
	before.checkPages("the provider before", 0, 5, 9, 10)
	after.checkPages("the provider after", 0, 5, 9, 10)
}
