package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/store"
)

// The index finds what a comparison with every subscriber finds, in any order
// of inserts, changes, erasures and searches.
func TestTheSearchIndexFindsWhatIsThere(t *testing.T) {
	t.Parallel()
	db := openNew(t, store.Options{Exclusive: true})
	defer db.Close()
	checks := 0
	rapid.Check(t, func(rt *rapid.T) {
		checks++
		f := newProvider(t, db, fmt.Sprintf("Provedor %d", checks))
		have := map[int]domain.Subscriber{}
		names := []string{"João Silva", "Ana Souza", "Silvana João", "JOSÉ ANA", "Ana Ana"}
		rt.Repeat(map[string]func(*rapid.T){
			"put": func(rt *rapid.T) {
				n := rapid.IntRange(1, 12).Draw(rt, "n")
				s, known := have[n]
				if !known {
					s = f.subscriber(n)
				}
				s.Name = rapid.SampledFrom(names).Draw(rt, "name")
				have[n] = s
				f.update(func(ctx context.Context, tx rules.Tx) error {
					if known {
						return tx.UpdateSubscriber(ctx, s)
					}
					_, err := tx.InsertSubscribers(ctx, []domain.Subscriber{s})
					return err
				})
			},
			"erase": func(rt *rapid.T) {
				n := rapid.IntRange(1, 12).Draw(rt, "n")
				if s, known := have[n]; known {
					delete(have, n)
					f.update(func(ctx context.Context, tx rules.Tx) error { return tx.EraseSubscriber(ctx, s.ID) })
				}
			},
			"search": func(rt *rapid.T) {
				term := rapid.SampledFrom([]string{"joao", "ana", "silva joao", "a1", "an", "876", "@example", "zz", "ana ana"}).Draw(rt, "term")
				f.checkSearch(rt, term, have)
			},
		})
	})
}

func (f *fixture) checkSearch(rt *rapid.T, text string, have map[int]domain.Subscriber) {
	term, err := domain.ParseSearchTerm(text)
	if err != nil {
		rt.Fatal(err)
	}
	var want []domain.SubscriberID
	for _, s := range have {
		if matches(term, s) {
			want = append(want, s.ID)
		}
	}
	slices.Sort(want)
	_, total, err := f.db.Search(f.t.Context(), f.p, term, 0, 1)
	if err != nil {
		rt.Fatal(err)
	}
	got, err := f.matchIDs(f.t.Context(), text)
	if err != nil {
		rt.Fatal(err)
	}
	if !slices.Equal(got, want) || total != len(want) {
		rt.Fatalf("search %q: got %v (total %d), want %v", text, got, total, want)
	}
}

// matches is decisions.md 6, without an index.
func matches(t domain.SearchTerm, s domain.Subscriber) bool {
	name := domain.Fold(s.Name)
	all := true
	for _, word := range t.Words {
		all = all && strings.Contains(name, word)
	}
	return all || strings.Contains(domain.Fold(s.Email), t.Whole) ||
		t.Digits != "" && (strings.Contains(string(s.Document), t.Digits) || strings.Contains(cpf.OnlyDigits(s.Phone), t.Digits))
}

// So many subscribers that several processors share a search: who was changed
// or erased in between, and who came back, is found as if there were ten.
func TestASearchOfManySubscribers(t *testing.T) {
	t.Parallel()
	const all, each = 20_000, 97
	db := openNew(t, store.Options{Exclusive: true})
	defer db.Close()
	f := newFixture(t, db)
	f.insert(1, all)
	f.wantFound("assinante", all)
	for n := each; n <= all; n += each {
		f.update(func(ctx context.Context, tx rules.Tx) error {
			s := f.subscriber(n)
			if n%2 == 0 {
				return tx.EraseSubscriber(ctx, s.ID)
			}
			s.Name = strings.Repeat("Outro ", 1+n%10)
			return tx.UpdateSubscriber(ctx, s)
		})
	}
	f.wantFound("assinante", all-all/each)
	f.wantFound("outro", all/each-all/each/2)
	f.insert(all+1, all+10)
	f.wantFound("assinante", all-all/each+10)
	term, err := domain.ParseSearchTerm("outro")
	if err != nil {
		t.Fatal(err)
	}
	page, _, err := db.Search(t.Context(), f.p, term, 50, 3)
	if err != nil || len(page) != 3 || page[0].ID != f.subscriber(101*each).ID || page[2].ID != f.subscriber(105*each).ID {
		t.Errorf("got the page %v, %v, want the 51st to the 53rd", page, err)
	}
}

// After the last subscriber was erased, a later change of another one left its
// old text in the index.
func TestASearchForgetsTheOldNameAfterAnErasure(t *testing.T) {
	db := openNew(t, store.Options{Exclusive: true})
	defer db.Close()
	f := newFixture(t, db)
	f.insert(1, 3)
	f.wantFound("assinante", 3)
	f.update(func(ctx context.Context, tx rules.Tx) error { return tx.EraseSubscriber(ctx, f.subscriber(3).ID) })
	for _, n := range []int{1, 2} {
		s := f.subscriber(n)
		s.Name = "Outro"
		f.update(func(ctx context.Context, tx rules.Tx) error { return tx.UpdateSubscriber(ctx, s) })
	}
	f.wantFound("assinante", 0)
	f.wantFound("outro", 2)
}

// A search that the machine cannot carry out in time is unavailable; that its
// caller had no more time is the caller's own error.
func TestASearchHasATimeOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
		if err := store.Within(t.Context(), slow); !errors.Is(err, &domain.Error{Code: domain.Unavailable}) {
			t.Errorf("got %v, want unavailable", err)
		}
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := store.Within(short, slow); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, &domain.Error{Code: domain.Unavailable}) {
			t.Errorf("got %v, want the caller's own deadline", err)
		}
	})
}

// On PostgreSQL a search of many words has no more conditions than one of three.
func TestTheConditionsOfASearchDoNotGrowWithItsWords(t *testing.T) {
	conditions := func(n int) int {
		var words []string
		for i := range n {
			words = append(words, fmt.Sprintf("nome%c%c", 'a'+i/26, 'a'+i%26))
		}
		term, err := domain.ParseSearchTerm(strings.Join(words, " "))
		if err != nil {
			t.Fatal(err)
		}
		return store.SearchConditions(term)
	}
	for _, n := range []int{1, 2, 32} {
		if got, most := conditions(n), conditions(3); got == 0 || got > most {
			t.Errorf("%d words: got %d conditions, want at most %d", n, got, most)
		}
	}
}

// Many words find what each of them is in, and not what lacks the last of them.
func TestASearchOfManyWords(t *testing.T) {
	db := openNew(t, store.Options{Exclusive: true})
	defer db.Close()
	f := newFixture(t, db)
	f.insert(1, 3)
	name := "Ana Ba Ca Da Ea Fa Ga Ha Ia Ja Ka La Ma Na Oa Pa Qa Ra Sa Ta Ua Va Wa Xa Ya Za Eb Fb Gb Hb Ib"
	for n, last := range map[int]string{1: " Jb", 2: " Kb"} {
		s := f.subscriber(n)
		s.Name = name + last
		f.update(func(ctx context.Context, tx rules.Tx) error { return tx.UpdateSubscriber(ctx, s) })
	}
	f.wantFound(name, 2)
	f.wantFound(name+" jb", 1)
	f.wantFound(name+" zz", 0)
	f.wantFound(strings.Repeat(name+" ", 20), 2)
}
