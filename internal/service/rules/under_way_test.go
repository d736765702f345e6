package rules_test

import (
	"testing"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

// attempt claims the only due delivery of a kind, whose attempt is then under way.
func (fx *fixture) attempt(kind domain.DeliveryKind) domain.ClaimedDelivery {
	fx.t.Helper()
	claimed, err := claim(fx.ctx, fx.m, kind, 10, time.Minute)
	fx.must(err)
	if len(claimed) != 1 {
		fx.t.Fatalf("got %d deliveries of kind %s due, want 1", len(claimed), kind)
	}
	return claimed[0]
}

// finish writes the outcome of an attempt.
func (fx *fixture) finish(d domain.ClaimedDelivery, s domain.OutboxState, change func(*domain.Delivery)) {
	fx.t.Helper()
	d.Delivery.State, d.Delivery.LastAttemptAt = s, fx.now
	if change != nil {
		change(&d.Delivery)
	}
	if s == domain.OutboxDead && d.Kind != domain.CallbackDelivery {
		fx.must(fx.m.FailRefused(fx.ctx, d.Delivery))
	}
	fx.must(fx.m.Finish(fx.ctx, []domain.Delivery{d.Delivery}, nil))
}

func (fx *fixture) update(n int, f rules.Fields) {
	fx.t.Helper()
	fx.must(errorOf(fx.m.UpdateSubscriber(fx.ctx, fx.call(), document(n), f)))
}

// An address is corrected during an attempt at the former one. Whether that attempt succeeds or fails,
// the e-mail goes to the new address at once, and earlier refusals of the former do not count.
func TestAnAddressIsCorrectedWhileItsEMailIsUnderWay(t *testing.T) {
	refuse := func(fx *fixture) func(*domain.Delivery) {
		return func(j *domain.Delivery) {
			j.RefusedSince, j.LastError, j.NextAt = fx.now.Add(-100*time.Hour), "450 4.2.1", fx.now.Add(time.Hour)
		}
	}
	for name, end := range map[string]func(*fixture, domain.ClaimedDelivery){
		"refused for good":            func(fx *fixture, d domain.ClaimedDelivery) { fx.finish(d, domain.OutboxDead, nil) },
		"refused now":                 func(fx *fixture, d domain.ClaimedDelivery) { fx.finish(d, domain.OutboxDue, refuse(fx)) },
		"accepted":                    func(fx *fixture, d domain.ClaimedDelivery) { fx.finish(d, domain.OutboxDone, nil) },
		"not written by a killed one": func(*fixture, domain.ClaimedDelivery) {},
	} {
		t.Run(name, func(t *testing.T) {
			fx := newFixture(t, 10)
			fx.register(1, 1, playBasic)
			fx.finish(fx.attempt(domain.EmailDelivery), domain.OutboxDue, refuse(fx))
			fx.now = fx.now.Add(time.Hour)
			wrong := fx.attempt(domain.EmailDelivery)
			fx.update(1, rules.Fields{Email: domain.Some("certo@example.com.br")})
			end(fx, wrong)
			fx.wantStatus(1, playBasic, domain.InProgress)
			right := fx.attempt(domain.EmailDelivery)
			if right.ID != wrong.ID || right.Subscriber.Email != "certo@example.com.br" || right.Attempts != 0 || !right.RefusedSince.IsZero() {
				t.Errorf("got %+v, want the same e-mail to the new address, as if it were the first attempt", right)
			}
			fx.finish(right, domain.OutboxDone, nil)
			fx.wantLink(right.LinkSecret, rules.LinkDone)
			fx.check(t)
		})
	}
}

// Another field, or the same address, changes no delivery that waits or is under way.
func TestAnotherFieldIsChangedWhileAnEMailIsUnderWay(t *testing.T) {
	fx := newFixture(t, 10)
	fx.register(1, 1, playBasic)
	d := fx.attempt(domain.EmailDelivery)
	fx.update(1, rules.Fields{Name: domain.Some("Outro"), Email: domain.Some("a1@example.com.br")})
	fx.finish(d, domain.OutboxDone, nil)
	fx.wantDeliveries(1, "email sent")
	fx.update(1, rules.Fields{Email: domain.Some("certo@example.com.br")}) // it went out
	fx.wantDeliveries(1, "email sent")
}

// An e-mail is replaced by a newer one during its attempt. The newer one goes out and its link works,
// whether that attempt succeeds or fails.
func TestAnEMailIsSentAgainWhileTheFormerIsUnderWay(t *testing.T) {
	for state, listed := range map[domain.OutboxState]string{domain.OutboxDead: "failed", domain.OutboxDue: "superseded", domain.OutboxDone: "sent"} {
		t.Run(state.String(), func(t *testing.T) {
			fx := newFixture(t, 10)
			fx.register(1, 1, playBasic)
			former := fx.attempt(domain.EmailDelivery)
			fx.must(errorOf(fx.m.Resend(fx.ctx, fx.call(), document(1))))
			newer := fx.attempt(domain.EmailDelivery)
			fx.finish(newer, domain.OutboxDone, nil)
			fx.finish(former, state, func(j *domain.Delivery) {
				if j.NextAt = fx.now; state != domain.OutboxDone {
					j.LastError = "450 4.2.1"
				}
			})
			if claimed, err := claim(fx.ctx, fx.m, domain.EmailDelivery, 10, time.Minute); err != nil || len(claimed) != 0 {
				t.Errorf("got %d e-mails due, %v, want none", len(claimed), err)
			}
			fx.wantStatus(1, playBasic, domain.InProgress)
			fx.wantDeliveries(1, "email sent, email "+listed)
			fx.wantLink(former.LinkSecret, rules.LinkReplaced)
			fx.wantLink(newer.LinkSecret, rules.LinkDone)
			fx.check(t)
		})
	}
}

// A subscriber is erased during a delivery. Its outcome then writes nothing about the subscriber, and
// its link is unknown, whether it was made before the erasure or after.
func TestASubscriberIsErasedWhileADeliveryIsUnderWay(t *testing.T) {
	for _, kind := range []domain.DeliveryKind{domain.EmailDelivery, domain.CallbackDelivery, domain.PartnerDelivery} {
		for _, state := range []domain.OutboxState{domain.OutboxDone, domain.OutboxDue, domain.OutboxDead} {
			t.Run(kind.String()+" "+state.String(), func(t *testing.T) {
				fx := newFixture(t, 10)
				fx.must(errorOf(fx.m.SetCallback(fx.ctx, fx.p.Name, "https://azul.example.com/", false)))
				fx.active(1, playBasic)
				fx.must(errorOf(fx.m.Resend(fx.ctx, fx.call(), document(1))))
				var late []domain.ClaimedDelivery
				if kind == domain.PartnerDelivery {
					fx.do(domain.RequestDeactivate, playBasic, 1)
				} else { // its link is made after the erasure
					due, err := fx.m.DueDestinations(fx.ctx, kind)
					fx.must(err)
					late, err = fx.m.Claim(fx.ctx, due[0], 1, time.Second)
					fx.must(err)
					fx.now = fx.now.Add(time.Second)
				}
				d := fx.attempt(kind)
				if kind != domain.PartnerDelivery {
					fx.do(domain.RequestDeactivate, playBasic, 1)
				}
				fx.confirm(1, playBasic, true)
				fx.must(fx.m.DeleteSubscriber(fx.ctx, fx.call(), document(1)))
				fx.must(fx.m.Finish(fx.ctx, nil, late))
				fx.finish(d, state, func(j *domain.Delivery) { j.LastError = "Assinante 1" })
				if left, err := fx.m.Deliveries(fx.ctx, domain.DeliveryFilter{}); err != nil || len(left) != 0 {
					t.Errorf("got the deliveries %+v, %v, want none", left, err)
				}
				for _, d := range append(late, d) {
					fx.wantLink(d.LinkSecret, rules.LinkUnknown)
				}
				fx.wantNoReasons()
				fx.check(t)
			})
		}
	}
}
