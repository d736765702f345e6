package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

// subscriberNow returns the stored subscriber of a document.
func (f *fixture) subscriberNow(d cpf.Document) (domain.Subscriber, bool) {
	f.t.Helper()
	s, _, found, err := f.db.Subscriber(f.t.Context(), f.p, d)
	must(f.t, err)
	return s.Subscriber, found
}

// Every field of a subscriber is read as written and as changed, and a change affects only this
// subscriber.
func TestAChangedSubscriberIsReadAsItWasWritten(t *testing.T) {
	f, _ := newDatabase(t)
	f.insert(1, 2)
	created := time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)
	written := f.subscriber(3)
	written.Plan, written.CreatedAt = "Fibra 500", created
	must(t, f.store(3, written))
	if got, found := f.subscriberNow(written.Document); !found || got != written {
		t.Errorf("got %+v, want %+v as it was inserted", got, written)
	}
	other, _ := f.subscriberNow(f.subscriber(1).Document)
	changed := domain.Subscriber{ID: written.ID, Document: f.subscriber(4).Document, Name: "Zélia Ávila", Email: "z@example.com",
		Phone: "+551133334444", SpeedID: 7, Plan: "", CreatedAt: created}
	for _, want := range []domain.Subscriber{changed, written, changed} {
		f.update(func(ctx context.Context, tx rules.Tx) error { return tx.UpdateSubscriber(ctx, want) })
		got, found := f.subscriberNow(want.Document)
		if diff := cmp.Diff(got, want); !found || diff != "" {
			t.Errorf("found %v (- got, + want):\n%s", found, diff)
		}
	}
	if _, found := f.subscriberNow(written.Document); found {
		t.Error("a subscriber is found by the document it had before")
	}
	if got, _ := f.subscriberNow(other.Document); got != other {
		t.Errorf("got %+v, want the other subscriber as it was", got)
	}
	f.wantFound("zelia avila", 1)
	f.wantFound("assinante 3", 0)
}
