package store_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ativa/internal/cpf"
	"ativa/internal/provision"
	"ativa/internal/store"
)

// The index finds what a comparison with every subscriber finds, in any order
// of inserts, changes, erasures and searches.
func TestTheSearchIndexFindsWhatIsThere(t *testing.T) {
	db := fresh(t, store.Options{Exclusive: true})
	defer db.Close()
	checks := 0
	rapid.Check(t, func(rt *rapid.T) {
		checks++
		w := newProvider(t, db, fmt.Sprintf("Provedor %d", checks))
		have := map[int]provision.Subscriber{}
		names := []string{"João Silva", "Ana Souza", "Silvana João", "JOSÉ ANA", "Ana Ana"}
		rt.Repeat(map[string]func(*rapid.T){
			"put": func(rt *rapid.T) {
				n := rapid.IntRange(1, 12).Draw(rt, "n")
				s, known := have[n]
				if !known {
					s = w.subscriber(n)
				}
				s.Name = rapid.SampledFrom(names).Draw(rt, "name")
				have[n] = s
				w.update(func(ctx context.Context, tx provision.Tx) error {
					if known {
						return tx.UpdateSubscriber(ctx, s)
					}
					_, err := tx.InsertSubscribers(ctx, []provision.Subscriber{s})
					return err
				})
			},
			"erase": func(rt *rapid.T) {
				n := rapid.IntRange(1, 12).Draw(rt, "n")
				if s, known := have[n]; known {
					delete(have, n)
					w.update(func(ctx context.Context, tx provision.Tx) error { return tx.EraseSubscriber(ctx, s.ID) })
				}
			},
			"search": func(rt *rapid.T) {
				term := rapid.SampledFrom([]string{"joao", "ana", "silva joao", "a1", "an", "876", "@example", "zz", "ana ana"}).Draw(rt, "term")
				w.searched(rt, term, have)
			},
		})
	})
}

func (w *world) searched(rt *rapid.T, text string, have map[int]provision.Subscriber) {
	term, err := provision.ParseTerm(text)
	if err != nil {
		rt.Fatal(err)
	}
	var want []provision.SubscriberID
	for _, s := range have {
		if matches(term, s) {
			want = append(want, s.ID)
		}
	}
	slices.Sort(want)
	found, total, err := w.db.Search(w.t.Context(), w.p, term, 0, 0)
	if err != nil {
		rt.Fatal(err)
	}
	var got []provision.SubscriberID
	for _, s := range found {
		got = append(got, s.ID)
	}
	if !slices.Equal(got, want) || total != len(want) {
		rt.Fatalf("search %q: got %v (total %d), want %v", text, got, total, want)
	}
}

// matches is decisions.md 6, without an index.
func matches(t provision.Term, s provision.Subscriber) bool {
	name := provision.Fold(s.Name)
	all := true
	for _, word := range t.Words {
		all = all && strings.Contains(name, word)
	}
	return all || strings.Contains(provision.Fold(s.Email), t.Whole) ||
		t.Digits != "" && (strings.Contains(string(s.Document), t.Digits) || strings.Contains(cpf.Digits(s.Phone), t.Digits))
}

// So many subscribers that several processors share a search: who was changed
// or erased in between, and who came back, is found as if there were ten.
func TestASearchOfManySubscribers(t *testing.T) {
	const all, each = 20_000, 97
	db := fresh(t, store.Options{Exclusive: true})
	defer db.Close()
	w := newWorld(t, db)
	w.insert(1, all)
	w.found("assinante", all)
	for n := each; n <= all; n += each {
		w.update(func(ctx context.Context, tx provision.Tx) error {
			s := w.subscriber(n)
			if n%2 == 0 {
				return tx.EraseSubscriber(ctx, s.ID)
			}
			s.Name = strings.Repeat("Outro ", 1+n%10)
			return tx.UpdateSubscriber(ctx, s)
		})
	}
	w.found("assinante", all-all/each)
	w.found("outro", all/each-all/each/2)
	w.insert(all+1, all+10)
	w.found("assinante", all-all/each+10)
	term, err := provision.ParseTerm("outro")
	if err != nil {
		t.Fatal(err)
	}
	page, _, err := db.Search(t.Context(), w.p, term, 50, 3)
	if err != nil || len(page) != 3 || page[0].ID != w.subscriber(101*each).ID || page[2].ID != w.subscriber(105*each).ID {
		t.Errorf("got the page %v, %v, want the 51st to the 53rd", page, err)
	}
}

// After the last subscriber was erased, a later change of another one left its
// old text in the index.
func TestASearchForgetsTheOldNameAfterAnErasure(t *testing.T) {
	db := fresh(t, store.Options{Exclusive: true})
	defer db.Close()
	w := newWorld(t, db)
	w.insert(1, 3)
	w.found("assinante", 3)
	w.update(func(ctx context.Context, tx provision.Tx) error { return tx.EraseSubscriber(ctx, w.subscriber(3).ID) })
	for _, n := range []int{1, 2} {
		s := w.subscriber(n)
		s.Name = "Outro"
		w.update(func(ctx context.Context, tx provision.Tx) error { return tx.UpdateSubscriber(ctx, s) })
	}
	w.found("assinante", 0)
	w.found("outro", 2)
}

// found searches and wants so many.
func (w *world) found(text string, want int) {
	w.t.Helper()
	term, err := provision.ParseTerm(text)
	if err != nil {
		w.t.Fatal(err)
	}
	all, total, err := w.db.Search(w.t.Context(), w.p, term, 0, 0)
	if err != nil || total != want || len(all) != want {
		w.t.Errorf("search %q: got %d of %d, %v, want %d", text, len(all), total, err, want)
	}
}
