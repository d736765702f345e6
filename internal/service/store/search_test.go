package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
	"ativa/internal/service/store/searchindex"
)

// The index finds the same as a comparison with every subscriber, in any order of inserts, changes,
// erasures and searches.
func TestTheSearchIndexFindsWhatIsThere(t *testing.T) {
	t.Parallel()
	_, db := newDatabaseOn(t, pgtest.DSN(t), store.Options{Exclusive: true})
	checks := 0
	rapid.Check(t, func(rt *rapid.T) {
		if checks++; checks > 8 && os.Getenv(pgtest.Engine) == "postgres" {
			return // it has no index in memory
		}
		f := newProvider(t, db, fmt.Sprintf("Provedor %d", checks))
		have := map[int]domain.Subscriber{}
		long := "Ana Ba Ca Da Ea Fa Ga Ha Ia Ja Ka La Ma Na Oa Pa Qa Ra Sa Ta Ua Va Wa Xa Ya Za Eb Fb Gb Hb Ib"
		names := []string{"João Silva", "Ana Souza", "Dora Sant\u02bcAna", "Dora Sant\u2011Ana", "Silvana João", "JOSÉ ANA", "Ana Ana", "ΝΊΚΟΣ Ana", "Νίκος Ana", "İlker Ağa", long + " Jb", long + " Kb"}
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
				term := rapid.SampledFrom([]string{"joao", "JOÃO silva", "ana", "sant’ana", "a_s", "%%", "98765-43", "(11) 98765", "98765 x", "silva joao", "a1", "an", "876", "@example", "zz", "ana ana", "νίκος", "ΝΊΚΟΣ", "ος a", "ilker", "İL AĞA", long, long + " jb", strings.Repeat(long+" ", 20)}).Draw(rt, "term")
				f.checkSearch(rt, term, have)
			},
		})
	})
}

func (f *fixture) checkSearch(rt *rapid.T, text string, have map[int]domain.Subscriber) {
	term, err := domain.ParseSearchTerm(text)
	must(rt, err)
	var want []domain.SubscriberID
	matcher := searchindex.NewMatcher(term) // tested in its package
	for _, s := range have {
		if matcher.Matches([]byte(searchindex.Text(s))) {
			want = append(want, s.ID)
		}
	}
	slices.Sort(want)
	page, total, err := f.db.Search(f.t.Context(), f.p, term, 1, 2)
	must(rt, err)
	var paged []domain.SubscriberID
	for _, s := range page {
		paged = append(paged, s.ID)
	}
	got, err := f.matchIDs(f.t.Context(), text)
	must(rt, err)
	if !slices.Equal(got, want) || !slices.Equal(paged, want[min(1, len(want)):min(3, len(want))]) || total != len(want) {
		rt.Fatalf("search %q: got %v (%v and a total of %d by page), want %v", text, got, paged, total, want)
	}
}

// A search that the machine cannot finish in time is Unavailable; the end of the caller's context is
// the caller's own error.
func TestASearchThatTakesTooLongIsUnavailable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
		if err := store.Within(t.Context(), slow); !domain.IsCode(err, domain.Unavailable) {
			t.Errorf("got %v, want unavailable", err)
		}
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := store.Within(short, slow); !errors.Is(err, context.DeadlineExceeded) || domain.IsCode(err, domain.Unavailable) {
			t.Errorf("got %v, want the caller's own deadline", err)
		}
	})
}
