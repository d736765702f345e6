package store_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
	"ativa/internal/service/store/searchindex"
)

// A search finds what a comparison with every subscriber finds, with the index in memory after inserts,
// changes and erasures, and on PostgreSQL.
func TestASearchFindsWhatIsThere(t *testing.T) {
	t.Parallel()
	f, _ := newDatabaseOn(t, pgtest.DSN(t), store.Options{Exclusive: true})
	const long = "Ana Ba Ca Da Ea Fa Ga Ha Ia Ja Ka La Ma Na Oa Pa Qa Ra Sa Ta Ua Va Wa Xa Ya Za Eb Fb Gb Hb Ib"
	names := []string{"João Silva", "Ana Souza", "Dora Sant\u02bcAna", "Dora Sant\u2011Ana", "Silvana João", "JOSÉ ANA", "Ana Ana", "ΝΊΚΟΣ Ana", "Νίκος Ana", "İlker Ağa", long + " Jb", long + " Kb"}
	terms := []string{"joao", "JOÃO silva", "ana", "sant’ana", "a_s", "%%", "98765-43", "(11) 98765", "98765 x", "silva joao", "a1", "an", "876", "@example", "zz", "ana ana", "νίκος", "ΝΊΚΟΣ", "ος a", "ilker", "İL AĞA", long, long + " jb", strings.Repeat(long+" ", 20)}
	have := map[int]domain.Subscriber{}
	for round := range 3 {
		for n := 1; n <= len(names); n++ {
			s, known := f.subscriber(n), have[n].ID != 0
			s.Name = names[(n+round)%len(names)]
			have[n] = s
			if known {
				f.update(func(ctx context.Context, tx rules.Tx) error { return tx.UpdateSubscriber(ctx, s) })
			} else {
				must(t, f.store(n, s))
			}
		}
		f.erase([]int{3 + round})
		delete(have, 3+round)
		for _, text := range terms {
			matcher := searchindex.NewMatcher(searchTerm(t, text)) // tested in its package
			var want []domain.SubscriberID
			for _, s := range have {
				if matcher.Matches([]byte(searchindex.Text(s))) {
					want = append(want, s.ID)
				}
			}
			slices.Sort(want)
			if got := f.found(text); !slices.Equal(got, want) {
				t.Errorf("search %q: got %v, want %v", text, got, want)
			}
		}
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
