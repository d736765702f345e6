package rules_test

import (
	"context"
	"testing"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/servicetest"
)

// delivery returns the only delivery of a kind.
func (fx *fixture) delivery(k domain.DeliveryKind) domain.Delivery {
	fx.t.Helper()
	all, err := fx.m.Deliveries(fx.ctx, domain.DeliveryFilter{Kinds: []domain.DeliveryKind{k}})
	fx.must(err)
	return all[len(all)-1]
}

// put sets the state of a delivery.
func (fx *fixture) put(d domain.Delivery, s domain.OutboxState) {
	fx.t.Helper()
	all, err := fx.m.Deliveries(fx.ctx, domain.DeliveryFilter{IDs: []domain.DeliveryID{d.ID}})
	fx.must(err)
	d = all[0]
	d.State, d.Attempts, d.LastError = s, 3, "broken"
	fx.must(fx.store.FinishDeliveries(fx.ctx, []domain.Delivery{d}, nil))
}

func TestDeliveriesAreRetriedOrEndIfObsolete(t *testing.T) {
	fx := newFixture(t, 10)
	fx.register(1, 1, playBasic)
	mail := fx.delivery(domain.EmailDelivery)
	fx.put(mail, domain.OutboxDead)
	fx.now = fx.now.Add(time.Hour)
	retried, err := fx.m.Retry(fx.ctx, []domain.DeliveryID{mail.ID})
	fx.must(err)
	got := fx.delivery(domain.EmailDelivery)
	if len(retried) != 1 || got.State != domain.OutboxDue || got.Attempts != 0 || !got.NextAt.Equal(fx.now) {
		t.Errorf("got %+v, want it due now with a fresh schedule", got)
	}
	for state, code := range map[domain.OutboxState]domain.Code{domain.OutboxDone: domain.NotWaiting, domain.OutboxLeased: domain.NotWaiting} {
		fx.put(mail, state)
		wantCode(t, errorOf(fx.m.Retry(fx.ctx, []domain.DeliveryID{mail.ID})), code)
	}
	wantCode(t, errorOf(fx.m.Retry(fx.ctx, []domain.DeliveryID{mail.ID + 1000})), domain.NotFound)

	fx.put(mail, domain.OutboxDead)
	fx.do(domain.RequestDeactivate, playBasic, 1)
	fx.must(errorOf(fx.m.Retry(fx.ctx, []domain.DeliveryID{mail.ID})))
	claimed, err := fx.m.Claim(fx.ctx, domain.Destination{Kind: domain.EmailDelivery}, 10, time.Minute)
	fx.must(err)
	if got := fx.delivery(domain.EmailDelivery); len(claimed) != 0 || got.State != domain.OutboxDone {
		t.Errorf("got %d claimed, %s, want it done without an attempt", len(claimed), got.State)
	}
}

// claimingStore is a store in which a server claims every due delivery right after the
// operator has read them.
type claimingStore struct {
	servicetest.Store
	now time.Time
}

func (s claimingStore) Deliveries(ctx context.Context, f domain.DeliveryFilter) ([]domain.Delivery, error) {
	deliveries, err := s.Store.Deliveries(ctx, f)
	if err == nil {
		_, err = s.ClaimDeliveries(ctx, domain.Destination{Kind: domain.EmailDelivery}, 10, s.now, s.now.Add(time.Minute))
	}
	return deliveries, err
}

func TestRetryLeavesADeliveryThatAServerHasClaimed(t *testing.T) {
	fx := newFixture(t, 10)
	fx.register(1, 2, playBasic)
	all, err := fx.m.Deliveries(fx.ctx, domain.DeliveryFilter{})
	fx.must(err)
	fx.put(all[0], domain.OutboxDead) // due by itself, but not retried with a claimed one
	_, err = servicetest.New(claimingStore{fx.store, fx.now}, fx.options).Retry(fx.ctx, []domain.DeliveryID{all[0].ID, all[1].ID})
	wantCode(t, err, domain.NotWaiting)
	left, err := fx.m.Deliveries(fx.ctx, domain.DeliveryFilter{})
	fx.must(err)
	if left[0].State != domain.OutboxDead || left[1].State != domain.OutboxLeased {
		t.Errorf("got %s and %s, want dead and leased", left[0].State, left[1].State)
	}
}

// claimCountingStore counts how often deliveries are claimed.
type claimCountingStore struct {
	servicetest.Store
	claims int
}

func (s *claimCountingStore) ClaimDeliveries(ctx context.Context, to domain.Destination, n int, due, until time.Time) ([]domain.Delivery, error) {
	s.claims++
	return s.Store.ClaimDeliveries(ctx, to, n, due, until)
}

// Claim returns no delivery only when none is due: it skips obsolete deliveries in a few claims, even for a
// small limit.
func TestObsoleteDeliveriesDoNotHideThoseBehindThem(t *testing.T) {
	fx := newFixture(t, 10_000)
	const gone = 300
	fx.register(1, gone, playBasic)
	fx.must(errorOf(fx.m.Provision(fx.ctx, fx.call(), domain.RequestDeactivate, playBasic, docs(1, gone))))
	fx.register(gone+1, gone+50, playBasic) // as many as an import, so that they are not urgent
	store := &claimCountingStore{Store: fx.store}
	claimed, err := claim(fx.ctx, servicetest.New(store, fx.options), domain.EmailDelivery, 1, time.Minute)
	fx.must(err)
	if len(claimed) == 0 || string(claimed[0].Subscriber.Document) != doc(gone+1) {
		t.Fatalf("got %d deliveries, want that of the first subscriber who is not cancelled", len(claimed))
	}
	if store.claims > 10 {
		t.Errorf("got %d claims for %d obsolete deliveries, want a few", store.claims, gone)
	}
	if done, err := fx.m.Deliveries(fx.ctx, domain.DeliveryFilter{States: []domain.OutboxState{domain.OutboxDone}}); err != nil || len(done) != gone {
		t.Errorf("got %d deliveries done, %v, want the %d obsolete ones", len(done), err, gone)
	}
}

// The partner that an operation began with is asked and confirms it.
func TestAnOperationStaysWithItsPartnerWhenTheProductGetsAnother(t *testing.T) {
	fx := newFixture(t, 10)
	fx.active(1, playBasic)
	fx.do(domain.RequestSuspend, playBasic, 1)
	other, err := fx.m.CreatePartner(fx.ctx, domain.Partner{Name: "outro", Driver: domain.DriverManual})
	fx.must(err)
	fx.must(errorOf(fx.m.UpdateProduct(fx.ctx, playBasic, func(p *domain.Product) error { p.Partner = other.ID; return nil })))
	for _, want := range []domain.Partner{fx.partner, other} {
		claimed, err := claim(fx.ctx, fx.m, domain.PartnerDelivery, 10, time.Minute)
		fx.must(err)
		if len(claimed) != 1 || claimed[0].Destination.Partner.ID != want.ID {
			t.Fatalf("got %+v, want one request to %s", claimed, want.Name)
		}
		states, err := fx.m.Confirm(fx.ctx, []domain.Confirmation{
			{Operation: claimed[0].Operation, Partner: claimed[0].Destination.Partner.ID, Confirmed: true, Delivery: claimed[0].Delivery},
		})
		fx.must(err)
		if states[0] != domain.PartnerEventApplied {
			t.Errorf("confirmed by %s: got %s, want applied", want.Name, states[0])
		}
		fx.do(domain.RequestActivate, playBasic, 1) // by the new partner
	}
}

// A queued activation is requested from the partner of its operation, even if the product's partner
// has changed.
func TestAPromotedActivationIsRequestedFromItsPartner(t *testing.T) {
	fx := newFixture(t, 0)
	called := func(name string) domain.PartnerID {
		p, err := fx.m.CreatePartner(fx.ctx, domain.Partner{Name: name, Driver: domain.DriverHTTP, URL: "https://example.com/"})
		fx.must(err)
		return p.ID
	}
	first, second, manual := called("primeiro"), called("segundo"), fx.partner.ID
	move := func(to domain.PartnerID) {
		fx.must(errorOf(fx.m.UpdateProduct(fx.ctx, playBasic, func(p *domain.Product) error { p.Partner = to; return nil })))
	}
	for n, c := range []struct{ began, now domain.PartnerID }{{first, second}, {first, manual}, {manual, first}} {
		move(c.began)
		fx.register(n+1, n+1, playBasic) // is queued
		move(c.now)
		fx.must(errorOf(fx.m.SetLimit(fx.ctx, fx.p.Name, n+1)))
		claimed, err := claim(fx.ctx, fx.m, domain.PartnerDelivery, 10, time.Minute)
		fx.must(err)
		if c.began == manual && len(claimed) != 0 || c.began != manual && (len(claimed) != 1 || claimed[0].Destination.Partner.ID != c.began) {
			t.Errorf("case %d: got %+v, want a request to partner %d, if it is called", n, claimed, c.began)
		}
	}
}

// A request to a partner is not delivered after its operation has ended.
func TestRequestsOfEndedOperationsAreObsolete(t *testing.T) {
	fx := newFixture(t, 10)
	for n := 1; n <= 4; n++ {
		fx.active(n, playBasic)
	}
	fx.do(domain.RequestSuspend, playBasic, 1)
	fx.confirm(1, playBasic, true) // now in a stable status
	fx.do(domain.RequestDeactivate, playBasic, 2)
	fx.confirm(2, playBasic, true) // now ended
	fx.do(domain.RequestSuspend, playBasic, 3)
	fx.confirm(3, playBasic, false) // now in error
	fx.do(domain.RequestSuspend, playBasic, 4)
	fx.do(domain.RequestDeactivate, playBasic, 4) // supersedes the suspension
	claimed, err := claim(fx.ctx, fx.m, domain.PartnerDelivery, 10, time.Minute)
	fx.must(err)
	if want := fx.service(4, playBasic).Operation; len(claimed) != 1 || claimed[0].Delivery.Operation != want || claimed[0].Destination.Partner.ID != fx.partner.ID {
		t.Errorf("got %+v, want the request of the running cancellation alone", claimed)
	}
}
