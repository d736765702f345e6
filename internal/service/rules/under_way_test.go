package rules_test

import (
	"testing"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

// attempt claims the only due job of a kind, whose attempt is then under way.
func (fx *fixture) attempt(kind domain.JobKind) domain.ClaimedDelivery {
	fx.t.Helper()
	claimed, err := claim(fx.ctx, fx.m, kind, 10, time.Minute)
	fx.must(err)
	if len(claimed) != 1 {
		fx.t.Fatalf("got %d jobs of kind %s due, want 1", len(claimed), kind)
	}
	return claimed[0]
}

// finish writes the outcome of an attempt.
func (fx *fixture) finish(d domain.ClaimedDelivery, s domain.JobState, change func(*domain.Job)) {
	fx.t.Helper()
	d.Job.State, d.Job.LastAttemptAt = s, fx.now
	if change != nil {
		change(&d.Job)
	}
	if s == domain.JobDead && d.Kind != domain.CallbackJob {
		fx.must(fx.m.FailRefused(fx.ctx, d.Job))
	}
	fx.must(fx.m.Finish(fx.ctx, []domain.Job{d.Job}, nil))
}

func (fx *fixture) update(n int, f rules.Fields) {
	fx.t.Helper()
	_, err := fx.m.UpdateSubscriber(fx.ctx, fx.call(), document(n), f)
	fx.must(err)
}

// An address is corrected while the former one is tried: whatever comes of that, the e-mail goes to
// the new one at once, and how long the former was refused does not count.
func TestAnAddressIsCorrectedWhileItsEMailIsUnderWay(t *testing.T) {
	refuse := func(fx *fixture) func(*domain.Job) {
		return func(j *domain.Job) {
			j.RefusedSince, j.LastError, j.NextAt = fx.now.Add(-100*time.Hour), "450 4.2.1", fx.now.Add(time.Hour)
		}
	}
	for name, end := range map[string]func(*fixture, domain.ClaimedDelivery){
		"refused for good":            func(fx *fixture, d domain.ClaimedDelivery) { fx.finish(d, domain.JobDead, nil) },
		"refused now":                 func(fx *fixture, d domain.ClaimedDelivery) { fx.finish(d, domain.JobDue, refuse(fx)) },
		"accepted":                    func(fx *fixture, d domain.ClaimedDelivery) { fx.finish(d, domain.JobDone, nil) },
		"not written by a killed one": func(*fixture, domain.ClaimedDelivery) {},
	} {
		t.Run(name, func(t *testing.T) {
			fx := newFixture(t, 10)
			fx.register(1, 1, playBasic)
			fx.finish(fx.attempt(domain.EmailJob), domain.JobDue, refuse(fx))
			fx.now = fx.now.Add(time.Hour)
			wrong := fx.attempt(domain.EmailJob)
			fx.update(1, rules.Fields{Email: domain.Some("certo@example.com.br")})
			end(fx, wrong)
			fx.wantStatus(1, playBasic, domain.InProgress)
			right := fx.attempt(domain.EmailJob)
			if right.ID != wrong.ID || right.Subscriber.Email != "certo@example.com.br" || right.Attempts != 0 || !right.RefusedSince.IsZero() {
				t.Errorf("got %+v, want the same e-mail to the new address, as if it were the first attempt", right)
			}
			fx.finish(right, domain.JobDone, nil)
			fx.wantLink(right.LinkSecret, rules.LinkDone)
			fx.check(t)
		})
	}
}

// Another field, or the same address, changes no delivery that waits or is under way.
func TestAnotherFieldIsChangedWhileAnEMailIsUnderWay(t *testing.T) {
	fx := newFixture(t, 10)
	fx.register(1, 1, playBasic)
	d := fx.attempt(domain.EmailJob)
	fx.update(1, rules.Fields{Name: domain.Some("Outro"), Email: domain.Some("a1@example.com.br")})
	fx.finish(d, domain.JobDone, nil)
	fx.wantDeliveries(1, "email sent")
	fx.update(1, rules.Fields{Email: domain.Some("certo@example.com.br")}) // it went out
	fx.wantDeliveries(1, "email sent")
}
