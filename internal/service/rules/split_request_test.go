package rules_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/servicetest"
)

// crowdedStore is a store in which other writes always wait, so every large request takes several
// transactions. after returns the error of each Update.
type crowdedStore struct {
	servicetest.Store
	chunks  int // after how many of a transaction the others wait; default 1
	updates int
	after   func(update int) (before, after error) // nil: no error
}

func (s *crowdedStore) Update(ctx context.Context, p domain.ProviderID, fn func(context.Context, rules.Tx) error) error {
	s.updates++
	var before, after error
	if s.after != nil {
		before, after = s.after(s.updates)
	}
	if before != nil {
		return before
	}
	return errors.Join(s.Store.Update(ctx, p, func(ctx context.Context, tx rules.Tx) error { return fn(ctx, &crowdedTx{tx, s.chunks}) }), after)
}

type crowdedTx struct {
	rules.Tx
	left int // chunks
}

func (t *crowdedTx) OthersWait() bool {
	t.left--
	return t.left <= 0
}

func newIdempotencyKey(n byte) *rules.IdempotencyKey {
	return &rules.IdempotencyKey{Key: [32]byte{n}, Fingerprint: [32]byte{n, 1}}
}

// response returns the results as text.
func response(t *testing.T, results any, err error) string {
	t.Helper()
	text, marshal := json.Marshal(results)
	if err := errors.Join(err, marshal); err != nil {
		return err.Error()
	}
	return string(text)
}

// parts is the number of transactions for 1,000 elements while others always wait.
const parts = 3

// manyRows returns rows of every kind for several parts: known, invalid and repeated ones, in the
// same part and in another.
func manyRows() []rules.Registration {
	var rows []rules.Registration
	for n := range 1000 {
		rows = append(rows, row(n, playBasic))
	}
	rows[10].Document = domain.Some("123")
	rows[11].Products = []int{inactive}
	other := rows[21]
	other.Name = domain.Some("Outro nome")
	rows[22], rows[500], rows[850], rows[851], rows[852] = rows[20], rows[20], rows[20], other, rows[3]
	rows[950] = row(11, playBasic) // the first valid one
	return rows
}

// largeRequests are the requests that run in parts, each with its set-up.
var largeRequests = map[string]struct {
	prepare func(fx *fixture)
	do      func(fx *fixture, m *servicetest.Service, call rules.Call) (any, error)
}{
	"import": {func(fx *fixture) { fx.register(3, 4, music) }, func(fx *fixture, m *servicetest.Service, call rules.Call) (any, error) {
		return m.Import(fx.ctx, call, manyRows())
	}},
	"activate": {func(fx *fixture) { fx.register(1, 970) }, func(fx *fixture, m *servicetest.Service, call rules.Call) (any, error) {
		documents := docs(1, 1000)
		documents[550], documents[900] = doc(1), "123"
		return m.Provision(fx.ctx, call, domain.RequestActivate, playBasic, documents)
	}},
	"settle, which only cancels schedules": {func(fx *fixture) {
		fx.register(1, 9, music)
		for links, n := fx.mails(), 1; n <= 9; n++ {
			fx.wantLink(links[doc(n)], rules.LinkDone)
		}
		fx.schedule(domain.RequestOverdue, music, time.Hour, docs(1, 9)...)
	}, func(fx *fixture, m *servicetest.Service, call rules.Call) (any, error) {
		return m.Provision(fx.ctx, call, domain.RequestSettle, music, docs(1, 1000))
	}},
}

// feed returns the whole event feed as text.
func (fx *fixture) feed() string {
	fx.t.Helper()
	var text strings.Builder
	var after domain.EventID
	for {
		events, err := fx.store.Events(fx.ctx, fx.p.ID, after, 500)
		fx.must(err)
		if len(events) == 0 {
			return text.String()
		}
		for _, e := range events {
			fmt.Fprintln(&text, e)
			after = e.ID
		}
	}
}

// A server dies after some parts or none: the repetition under the same key returns the results of
// one part, and nothing happens twice.
func TestARepetitionContinuesAfterTheLastPart(t *testing.T) {
	t.Parallel()
	died := errors.New("died")
	for name, request := range largeRequests {
		fx := newFixture(t, 350)
		request.prepare(fx)
		results, err := request.do(fx, fx.m, fx.call())
		want, feed := response(t, results, err), fx.feed()
		for committed := range parts + 1 {
			t.Run(fmt.Sprintf("%s, after %d parts", name, committed), func(t *testing.T) {
				fx := newFixture(t, 350)
				request.prepare(fx)
				s := &crowdedStore{Store: fx.store, after: func(update int) (before, after error) {
					switch {
					case committed == 0:
						return died, nil
					case update == committed:
						return nil, died
					}
					return nil, nil
				}}
				call := fx.call()
				call.IdempotencyKey = newIdempotencyKey(1)
				if _, err := request.do(fx, servicetest.New(s, fx.options), call); !errors.Is(err, died) {
					t.Fatalf("got %v, want that it died", err)
				}
				fx.reopen()
				if committed > 0 {
					other := fx.call()
					other.IdempotencyKey = newIdempotencyKey(1)
					other.IdempotencyKey.Fingerprint[2] = 1
					if _, err := request.do(fx, fx.m, other); !domain.IsCode(err, domain.IdempotencyKeyReused) {
						t.Errorf("another request under the key: got %v", err)
					}
				}
				for range 2 {
					results, err := request.do(fx, servicetest.New(&crowdedStore{Store: fx.store}, fx.options), call)
					if got := response(t, results, err); got != want {
						t.Errorf("the repetition: got\n%s\nwant\n%s", got, want)
					}
				}
				if fx.feed() != feed {
					t.Error("the feed is another one")
				}
			})
		}
	}
}

// Retention deletes the first part of a response before the later ones. What is left is not taken for
// the results of other elements, and refuses no other request under the same key.
func TestTheRestOfAnOldResponseIsNotMistaken(t *testing.T) {
	t.Parallel()
	for name, fingerprint := range map[string]byte{"the same request": 0, "another request": 1} {
		fx := newFixture(t, 0)
		fx.register(1, 1000)
		activate := func(s *crowdedStore, fingerprint byte) []rules.Result {
			t.Helper()
			call := fx.call()
			call.IdempotencyKey = newIdempotencyKey(1)
			call.IdempotencyKey.Fingerprint[2] = fingerprint
			results, err := servicetest.New(s, fx.options).Provision(fx.ctx, call, domain.RequestActivate, playBasic, docs(1, 1000))
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			return results
		}
		began := fx.now
		activate(&crowdedStore{Store: fx.store, after: func(int) (before, after error) {
			fx.now = fx.now.Add(time.Hour)
			return nil, nil
		}}, 0)
		fx.must(errorOf(fx.m.Provision(fx.ctx, fx.call(), domain.RequestDeactivate, playBasic, docs(1, 1000))))
		fx.now = began.Add(7*24*time.Hour + 90*time.Minute)
		fx.must(fx.m.Purge(fx.ctx))
		results := activate(&crowdedStore{Store: fx.store, chunks: 2}, fingerprint)
		for i, r := range results {
			if r.Document != doc(i+1) || r.QueuePosition != i+1 {
				t.Fatalf("%s: result %d of %d: got %+v", name, i, len(results), r)
			}
		}
	}
}

// A request that has begun is completed even if the caller leaves, or the request becomes invalid,
// between two parts.
func TestARequestThatHasBegunIsCompleted(t *testing.T) {
	fx := newFixture(t, 2000)
	fx.register(1, 1000)
	ctx, cancel := context.WithCancel(fx.ctx)
	s := &crowdedStore{Store: fx.store}
	s.after = func(update int) (error, error) {
		switch update {
		case 2:
			cancel()
		case 3:
			_, err := fx.m.UpdateProduct(fx.ctx, playBasic, func(p *domain.Product) error { p.Active = false; return nil })
			return err, nil
		}
		return nil, nil
	}
	results, err := servicetest.New(s, fx.options).Provision(ctx, fx.call(), domain.RequestActivate, playBasic, docs(1, 1000))
	fx.must(err)
	for i, r := range results {
		want := rules.Result{Document: doc(i + 1), Kind: rules.ResultAccepted}
		if i >= 800 {
			want.Kind, want.Code = rules.ResultFailed, domain.ProductInactive
		}
		if r.Document != want.Document || r.Kind != want.Kind || r.Code != want.Code {
			t.Fatalf("element %d: got %+v, want %s %s", i, r, want.Kind, want.Code)
		}
	}
}

// A dry run returns the results of the request in one part, changes nothing and waits for no write.
func TestADryRunPredictsTheResults(t *testing.T) {
	for name, request := range largeRequests {
		t.Run(name, func(t *testing.T) {
			fx := newFixture(t, 350)
			request.prepare(fx)
			before, feed := fx.provider(), fx.feed()
			call := fx.call()
			call.DryRun = true
			var predicted string
			fx.must(fx.store.Update(fx.ctx, fx.p.ID, func(context.Context, rules.Tx) error {
				results, err := request.do(fx, servicetest.New(&crowdedStore{Store: fx.store}, fx.options), call)
				predicted = response(t, results, err)
				return nil
			}))
			if fx.provider() != before || fx.feed() != feed {
				t.Error("it did something")
			}
			results, err := request.do(fx, fx.m, fx.call())
			if got := response(t, results, err); got != predicted {
				t.Errorf("got\n%s\nbut the dry run had said\n%s", got, predicted)
			}
		})
	}
}
