package searchindex_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
	"ativa/internal/service/store/searchindex"
	"ativa/internal/system/systemtest"
)

const provider domain.ProviderID = 3

// fixture is an index and a map with the same subscribers, against which its
// results are checked.
type fixture struct {
	t     *testing.T
	index *searchindex.Index
	have  map[domain.SubscriberID]domain.Subscriber
}

// newFixture returns a loaded index of the subscribers 1 to n.
func newFixture(t *testing.T, n int) *fixture {
	t.Helper()
	f := &fixture{t, searchindex.New(), map[domain.SubscriberID]domain.Subscriber{}}
	for i := 1; i <= n; i++ {
		f.put(subscriber(i, "Assinante")) // dropped by the index: the first search reads it
	}
	f.load(func() {})
	return f
}

// load loads the subscribers of the map, and calls more before the load ends.
func (f *fixture) load(more func()) {
	f.t.Helper()
	systemtest.Must(f.t, f.index.Load(f.t.Context(), provider, func(add func(domain.Subscriber)) error {
		for _, id := range f.ids() {
			add(f.have[id])
		}
		more()
		return nil
	}))
}

// ids returns the ids of the map in ascending order.
func (f *fixture) ids() []domain.SubscriberID { return slices.Sorted(maps.Keys(f.have)) }

// put stores subscribers in the index and in the map.
func (f *fixture) put(all ...domain.Subscriber) {
	var changes []searchindex.Change
	for _, s := range all {
		f.have[s.ID] = s
		changes = append(changes, searchindex.ChangeTo(s))
	}
	f.index.Apply(changes)
}

// erase removes a subscriber from the index and from the map.
func (f *fixture) erase(n int) {
	id := subscriber(n, "").ID
	delete(f.have, id)
	f.index.Apply([]searchindex.Change{{ID: id}})
}

// check searches the index and compares every subscriber of the map.
func (f *fixture) check(terms ...string) {
	f.t.Helper()
	for _, text := range terms {
		term := parse(f.t, text)
		var want []domain.SubscriberID
		for _, id := range f.ids() {
			if matches(term, f.have[id]) {
				want = append(want, id)
			}
		}
		got, err := f.index.Search(f.t.Context(), provider, term)
		if err != nil || !slices.Equal(got, want) {
			f.t.Errorf("search %q: got %d matches, %v, want %d", text, len(got), err, len(want))
		}
	}
}

// subscriber returns the nth subscriber of the provider.
func subscriber(n int, name string) domain.Subscriber {
	first, _ := provider.Subscribers()
	return domain.Subscriber{ID: first + domain.SubscriberID(n), Document: cpf.WithCheckDigits(fmt.Sprintf("%09d", n)),
		Name: fmt.Sprintf("%s %d", name, n), Email: fmt.Sprintf("a%d@example.com.br", n), Phone: "+5511987654321"}
}

func parse(t *testing.T, text string) domain.SearchTerm {
	t.Helper()
	term, err := domain.ParseSearchTerm(text)
	systemtest.Must(t, err)
	return term
}

// matches implements decisions.md 6 literally.
func matches(t domain.SearchTerm, s domain.Subscriber) bool {
	name := domain.Fold(s.Name)
	all := true
	for _, word := range t.Words {
		all = all && strings.Contains(name, word)
	}
	return all || strings.Contains(domain.Fold(s.Email), t.Whole) ||
		t.Digits != "" && (strings.Contains(string(s.Document), t.Digits) || strings.Contains(cpf.OnlyDigits(s.Phone), t.Digits))
}

var terms = []string{"assinante", "ASSINANTE 3", "outro", "outro nome", "outro 7", "a1", "876", "000", "1234", "@example.com", "a12@", "zz", "11 98765"}

// Many chunks give the same results as a comparison with every subscriber, after
// random changes of all kinds.
func TestSearchFindsWhatComparingEachSubscriberFinds(t *testing.T) {
	const all = 14_000 // enough for several goroutines to share a search
	f := newFixture(t, all)
	if found, err := f.index.Search(t.Context(), provider+1, parse(t, "assinante")); err != nil || len(found) != 0 {
		t.Errorf("got %v, %v of another provider, want nothing", found, err)
	}
	f.check(terms...)
	random := rand.New(rand.NewPCG(1, 2))
	for range 3 {
		for range 1000 {
			switch n := 1 + random.IntN(all+100); random.IntN(3) {
			case 0:
				f.erase(n)
			case 1:
				f.put(subscriber(n, strings.Repeat("Outro Nome ", 1+random.IntN(20))))
			default:
				f.put(subscriber(n, "Assinante"))
			}
		}
		f.check(terms...)
	}
	for n := range all + 101 { // all of each chunk
		f.erase(n)
	}
	f.check("assinante", "outro")
	f.put(subscriber(5, "Assinante"))
	f.check("assinante")
}

// Changes committed during a load are applied after it. A load that failed leaves nothing behind.
func TestChangesBeforeAndWhileLoading(t *testing.T) {
	f := &fixture{t, searchindex.New(), map[domain.SubscriberID]domain.Subscriber{}}
	f.index.Apply(nil)
	f.put(subscriber(1, "Antes")) // dropped: the first search reads it
	failed := errors.New("the disk failed")
	err := f.index.Load(t.Context(), provider, func(add func(domain.Subscriber)) error {
		add(subscriber(1, "Falso"))
		for n := range 300 {
			f.put(subscriber(1+n%3, fmt.Sprint("Nome ", n)))
		}
		return failed
	})
	if !errors.Is(err, failed) {
		t.Errorf("got %v, want %v", err, failed)
	}
	f.put(subscriber(1, "Depois")) // no change of before follows it
	f.load(func() {
		f.put(subscriber(2, "Mudado"), subscriber(9, "Novo"))
		f.erase(3)
	})
	f.check("falso", "antes", "depois", "nome", "mudado", "novo")
	if err := f.index.Load(t.Context(), provider, func(func(domain.Subscriber)) error { return failed }); err != nil {
		t.Errorf("a loaded provider was read again: %v", err)
	}
}

// Providers are loaded at the same time. A search that waits for a load ends with its context, or
// finds the provider loaded.
func TestALoadDelaysNoOtherProvider(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		index, reads := searchindex.New(), 0
		read := func(func(domain.Subscriber)) error { reads++; return nil }
		var waiting sync.WaitGroup
		err := index.Load(t.Context(), provider, func(func(domain.Subscriber)) error {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if err := index.Load(ctx, provider, read); !errors.Is(err, context.Canceled) {
				t.Errorf("the same provider, cancelled: got %v", err)
			}
			waiting.Go(func() {
				if err := index.Load(t.Context(), provider, read); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
			return index.Load(t.Context(), provider+1, read)
		})
		waiting.Wait()
		if err != nil || reads != 1 {
			t.Errorf("got %v and %d reads by others, want only that of the other provider", err, reads)
		}
	})
}

func TestSearchEndsWithItsContext(t *testing.T) {
	f := newFixture(t, 10)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, p := range []domain.ProviderID{provider, provider + 1} {
		if _, err := f.index.Search(ctx, p, parse(t, "assinante")); !errors.Is(err, context.Canceled) {
			t.Errorf("provider %d: got %v, want canceled", p, err)
		}
	}
}
