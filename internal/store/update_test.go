package store_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ativa/internal/cpf"
	"ativa/internal/provision"
	"ativa/internal/store"
	"ativa/internal/store/pgtest"
)

// world is a database with one provider.
type world struct {
	t  *testing.T
	db *store.DB
	p  provision.ProviderID
}

func newWorld(t *testing.T, db *store.DB) *world {
	t.Helper()
	return newProvider(t, db, "Provedor")
}

func newProvider(t *testing.T, db *store.DB, name string) *world {
	t.Helper()
	p, err := db.CreateProvider(t.Context(), provision.Provider{Name: name, Limit: 10, AllProducts: true, CreatedAt: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	return &world{t, db, p.ID}
}

func (w *world) subscriber(n int) provision.Subscriber {
	first, _ := w.p.Subscribers()
	return provision.Subscriber{
		ID: first + provision.SubscriberID(n), Document: cpf.WithCheckDigits(fmt.Sprintf("%09d", n)), Name: fmt.Sprintf("Assinante %d", n),
		Email: fmt.Sprintf("a%d@example.com.br", n), Phone: "+5511987654321", SpeedID: 38, CreatedAt: time.Now(),
	}
}

func (w *world) insert(from, to int) {
	w.t.Helper()
	var all []provision.Subscriber
	for n := from; n <= to; n++ {
		all = append(all, w.subscriber(n))
	}
	err := w.db.Update(w.t.Context(), w.p, func(ctx context.Context, tx provision.Tx) error {
		p := tx.Provider()
		p.Subscribers = max(p.Subscribers, int64(to))
		if err := tx.SaveProvider(ctx, p); err != nil {
			return err
		}
		_, err := tx.InsertSubscribers(ctx, all)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) count() int {
	w.t.Helper()
	n, err := w.db.CountSubscribers(w.t.Context(), w.p)
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

func TestOneFailingUpdateOfAGroupUndoesOnlyItself(t *testing.T) {
	db := fresh(t, store.Options{})
	defer db.Close()
	w := newWorld(t, db)
	refused := errors.New("refused")
	var calls sync.WaitGroup
	for n := 1; n <= 60; n++ {
		calls.Go(func() {
			err := db.Update(t.Context(), w.p, func(ctx context.Context, tx provision.Tx) error {
				if _, err := tx.InsertSubscribers(ctx, []provision.Subscriber{w.subscriber(n)}); err != nil {
					return err
				}
				switch n % 3 {
				case 1:
					return refused
				case 2:
					panic("a defect")
				}
				return nil
			})
			if failed := err != nil; failed != (n%3 != 0) {
				t.Errorf("update %d: got %v", n, err)
			}
		})
	}
	calls.Wait()
	if got := w.count(); got != 20 {
		t.Errorf("got %d subscribers, want the 20 of the updates that succeeded", got)
	}
}

func TestUpdatesOfAProviderRunOneAfterTheOther(t *testing.T) {
	db := fresh(t, store.Options{})
	defer db.Close()
	w := newWorld(t, db)
	var calls sync.WaitGroup
	for range 50 {
		calls.Go(func() {
			err := db.Update(t.Context(), w.p, func(ctx context.Context, tx provision.Tx) error {
				p := tx.Provider()
				p.Counted++
				return tx.SaveProvider(ctx, p)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	calls.Wait()
	p, err := db.ProviderByName(t.Context(), "Provedor")
	if err != nil || p.Counted != 50 {
		t.Errorf("got %d, %v, want 50", p.Counted, err)
	}
}

func TestACancelledCallerLeavesNothing(t *testing.T) {
	db := fresh(t, store.Options{})
	defer db.Close()
	w := newWorld(t, db)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := db.Update(ctx, w.p, func(ctx context.Context, tx provision.Tx) error {
		_, err := tx.InsertSubscribers(ctx, []provision.Subscriber{w.subscriber(1)})
		return err
	})
	if !errors.Is(err, context.Canceled) || w.count() != 0 {
		t.Errorf("got %v and %d subscribers, want cancelled and none", err, w.count())
	}
}

func TestAnUnknownProviderIsNotFound(t *testing.T) {
	db := fresh(t, store.Options{})
	defer db.Close()
	err := db.Update(t.Context(), 77, func(context.Context, provision.Tx) error { return nil })
	if !errors.Is(err, &provision.Error{Code: provision.NotFound}) {
		t.Errorf("got %v, want not_found", err)
	}
}

func TestListsPagesAndReadingBackAgree(t *testing.T) {
	dsn := pgtest.DSN(t)
	db := open(t, dsn, store.Options{})
	w := newWorld(t, db)
	w.insert(1, 2300)
	if err := db.Close(); err != nil { // a restart loses nothing
		t.Fatal(err)
	}
	db = open(t, dsn, store.Options{})
	defer db.Close()
	var listed []cpf.Document
	err := db.EachSubscriber(t.Context(), w.p, func(s *provision.SubscriberServices) error {
		listed = append(listed, s.Document)
		return nil
	})
	if err != nil || len(listed) != 2300 {
		t.Fatalf("got %d subscribers, %v, want 2,300", len(listed), err)
	}
	page, err := db.SubscriberPage(t.Context(), w.p, 2000, 500)
	if err != nil || len(page) != 300 || page[0].Document != listed[2000] {
		t.Errorf("got a page of %d, %v, want the last 300", len(page), err)
	}
	w.t, w.db = t, db
	w.update(func(ctx context.Context, tx provision.Tx) error { return tx.EraseSubscriber(ctx, w.subscriber(7).ID) })
	page, err = db.SubscriberPage(t.Context(), w.p, 2000, 500)
	if err != nil || len(page) != 299 || page[0].Document != listed[2001] || w.count() != 2299 {
		t.Errorf("after an erasure: got a page of %d, %v, want the last 299", len(page), err)
	}
}

// Of subscribers that are to be inserted, those whose document another one has
// are returned, and no others.
func TestThoseWhoExistAreReturned(t *testing.T) {
	db := fresh(t, store.Options{})
	defer db.Close()
	w := newWorld(t, db)
	w.insert(1, 2)
	double := w.subscriber(3)
	double.Document = w.subscriber(2).Document
	w.update(func(ctx context.Context, tx provision.Tx) error {
		existing, err := tx.InsertSubscribers(ctx, []provision.Subscriber{double, w.subscriber(4)})
		if want := map[cpf.Document]bool{double.Document: true}; !maps.Equal(existing, want) {
			t.Errorf("got %v, want %v", existing, want)
		}
		return err
	})
	if n := w.count(); n != 3 {
		t.Errorf("got %d subscribers, want 3", n)
	}
}

// A page behind the last one is empty, however far: the ids that follow are
// those of another provider.
func TestAPageEndsWithTheProvider(t *testing.T) {
	db := fresh(t, store.Options{})
	defer db.Close()
	w, other := newProvider(t, db, "Azul"), newProvider(t, db, "Verde")
	w.insert(1, 3)
	other.insert(1, 3)
	for _, offset := range []int{3, 1<<31 - 1, 1 << 31, 1<<31 + 1} {
		page, err := db.SubscriberPage(t.Context(), w.p, offset, 500)
		if err != nil || len(page) != 0 {
			t.Errorf("offset %d: got a page of %d, %v, want none", offset, len(page), err)
		}
	}
	err := db.EachSubscriber(t.Context(), w.p, func(s *provision.SubscriberServices) error {
		if s.ID.Provider() != w.p {
			t.Errorf("the list of provider %d has a subscriber of %d", w.p, s.ID.Provider())
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

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

func (w *world) update(fn func(context.Context, provision.Tx) error) {
	w.t.Helper()
	if err := w.db.Update(w.t.Context(), w.p, fn); err != nil {
		w.t.Fatal(err)
	}
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
