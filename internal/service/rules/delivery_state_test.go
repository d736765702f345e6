package rules_test

import (
	"strings"
	"testing"
	"time"

	"ativa/internal/service/domain"
)

// deliveries describes a subscriber's deliveries, newest first: kind and state.
func (fx *fixture) deliveries(n int) string {
	fx.t.Helper()
	all, err := fx.m.SubscriberDeliveries(fx.ctx, fx.p.ID, document(n))
	fx.must(err)
	var words []string
	for i := range all {
		words = append(words, all[i].Kind.String()+" "+string(all[i].StateAt(fx.now)))
	}
	return strings.Join(words, ", ")
}

func (fx *fixture) wantDeliveries(n int, want string) {
	fx.t.Helper()
	if got := fx.deliveries(n); got != want {
		fx.t.Errorf("got %q, want %q", got, want)
	}
}

// An e-mail whose attempt is in progress may still be sent, so it is superseded only after the lease
// has ended.
func TestADeliveryUnderWayWaits(t *testing.T) {
	fx := newFixture(t, 10)
	fx.register(1, 1, playBasic)
	claimed, err := claim(fx.ctx, fx.m, domain.EmailDelivery, 1, time.Minute)
	fx.must(err)
	fx.do(domain.RequestDeactivate, playBasic, 1)
	fx.wantDeliveries(1, "email waiting")
	all, err := fx.m.SubscriberDeliveries(fx.ctx, fx.p.ID, document(1))
	fx.must(err)
	if next := all[0].NextAttempt(fx.now); !next.IsZero() {
		t.Errorf("got the next attempt at %s, want none while one is under way", next)
	}
	fx.now = fx.now.Add(time.Minute)
	fx.wantDeliveries(1, "email superseded")
	claimed[0].Delivery.State = domain.OutboxDone // the paused server continues: it had sent the e-mail
	fx.must(fx.m.Finish(fx.ctx, []domain.Delivery{claimed[0].Delivery}, nil))
	fx.wantDeliveries(1, "email sent")
}

// Only partners that are called, or simulated, have deliveries. One that is called hears of an activation
// also if its subscriber completed it first.
func TestAManualPartnerHasNoDeliveries(t *testing.T) {
	fx := newFixture(t, 10)
	for i, c := range []struct {
		driver            domain.Driver
		url, active, want string
	}{
		{domain.DriverManual, "", "email sent", "email sent"},
		{domain.DriverSimulator, "", "email sent", "partner waiting, email sent"},
		{domain.DriverHTTP, "https://partner.example.com/", "partner waiting, email sent", "partner waiting, partner superseded, email sent"},
	} {
		p, err := fx.m.CreatePartner(fx.ctx, domain.Partner{Name: string(c.driver), Driver: c.driver, URL: c.url})
		fx.must(err)
		product := 90 + i
		fx.must(fx.m.CreateProduct(fx.ctx, domain.Product{ID: product, Name: "Nuvem", Code: string(c.driver), Active: true, Can: domain.CanAll, Partner: p.ID}))
		fx.must(fx.m.Grant(fx.ctx, fx.p.Name, []int{product}, true))
		fx.active(i, product)
		fx.wantDeliveries(i, c.active)
		fx.do(domain.RequestSuspend, product, i)
		fx.wantDeliveries(i, c.want)
	}
}
