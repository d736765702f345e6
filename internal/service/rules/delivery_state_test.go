package rules_test

import (
	"strings"
	"testing"
	"time"

	"ativa/internal/service/rules"
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

func TestADeliveryThatWillNotGoOutIsSupersededAtOnce(t *testing.T) {
	fx := newFixture(t, 10)
	_, err := fx.m.SetCallback(fx.ctx, fx.p.Name, "https://azul.example.com/", false)
	fx.must(err)
	fx.register(1, 1, playBasic)
	fx.wantDeliveries(1, "email waiting")
	_, err = fx.m.Resend(fx.ctx, fx.call(), document(1))
	fx.must(err)
	fx.wantDeliveries(1, "callback waiting, email waiting, email superseded")
	fx.mails()
	fx.wantDeliveries(1, "callback waiting, email sent, email superseded")
	fx.do(rules.RequestDeactivate, playBasic, 1)
	fx.wantDeliveries(1, "callback superseded, email sent, email superseded")
	fx.reopen()
	if due, err := claim(fx.ctx, fx.m, rules.CallbackJob, 10, time.Minute); err != nil || len(due) != 0 {
		t.Errorf("got %d due, %v, want none", len(due), err)
	}
	fx.wantDeliveries(1, "callback superseded, email sent, email superseded")
	_, err = fx.m.SubscriberDeliveries(fx.ctx, fx.p.ID, document(2))
	wantCode(t, err, rules.SubscriberNotFound)
}

// An e-mail that an attempt has under way may still be sent, so it is not
// superseded until the lease of its server has ended.
func TestADeliveryUnderWayWaits(t *testing.T) {
	fx := newFixture(t, 10)
	fx.register(1, 1, playBasic)
	claimed, err := claim(fx.ctx, fx.m, rules.EmailJob, 1, time.Minute)
	fx.must(err)
	fx.do(rules.RequestDeactivate, playBasic, 1)
	fx.wantDeliveries(1, "email waiting")
	all, err := fx.m.SubscriberDeliveries(fx.ctx, fx.p.ID, document(1))
	fx.must(err)
	if next := all[0].NextAttempt(fx.now); !next.IsZero() {
		t.Errorf("got the next attempt at %s, want none while one is under way", next)
	}
	fx.now = fx.now.Add(time.Minute)
	fx.wantDeliveries(1, "email superseded")
	claimed[0].Job.State = rules.JobDone // the paused server goes on: it had sent it
	fx.must(fx.m.Finish(fx.ctx, []rules.Job{claimed[0].Job}, nil))
	fx.wantDeliveries(1, "email sent")
}

// Only partners that are called, or simulated, have deliveries.
func TestAManualPartnerHasNoDeliveries(t *testing.T) {
	for driver, want := range map[rules.Driver]string{
		rules.DriverManual:    "email sent",
		rules.DriverSimulator: "partner waiting, email sent",
		rules.DriverHTTP:      "partner waiting, partner superseded, email sent",
	} {
		t.Run(string(driver), func(t *testing.T) {
			fx := newFixture(t, 10)
			p := rules.Partner{Name: "outro", Driver: driver}
			if driver == rules.DriverHTTP {
				p.URL = "https://partner.example.com/"
			}
			p, err := fx.m.CreatePartner(fx.ctx, p)
			fx.must(err)
			fx.must(fx.m.CreateProduct(fx.ctx, rules.Product{ID: 90, Name: "Nuvem", Code: "nuvem", Active: true, Can: rules.CanAll, Partner: p.ID}))
			fx.must(fx.m.Grant(fx.ctx, fx.p.Name, []int{90}, true))
			fx.register(1, 1, 90)
			fx.must(firstOf(fx.m.FollowLink(fx.ctx, fx.mails()[doc(1)])))
			fx.do(rules.RequestSuspend, 90, 1)
			fx.wantDeliveries(1, want)
		})
	}
}

func firstOf(_ rules.LinkView, err error) error { return err }

// The product of a delivery is that of its operation, whatever the service has now.
func TestADeliveryKeepsTheProductItWasAbout(t *testing.T) {
	fx := newFixture(t, 10)
	fx.active(1, playBasic)
	_, err := fx.m.ChangeProduct(fx.ctx, fx.call(), document(1), playBasic, playPremium)
	fx.must(err)
	fx.confirm(1, playPremium, true)
	_, err = fx.m.Resend(fx.ctx, fx.call(), document(1))
	fx.must(err)
	all, err := fx.m.SubscriberDeliveries(fx.ctx, fx.p.ID, document(1))
	fx.must(err)
	if len(all) != 2 || all[0].Operation.ProductID != playPremium || all[1].Operation.ProductID != playBasic {
		t.Errorf("got %+v, want the e-mails of both products", all)
	}
}

// What was refused for good has failed, also when the server is killed before it
// writes more than that.
func TestARefusedEMailHasFailedWhateverTheServerWritesAfterwards(t *testing.T) {
	fx := newFixture(t, 10)
	fx.register(1, 1, playBasic)
	claimed, err := claim(fx.ctx, fx.m, rules.EmailJob, 1, time.Minute)
	fx.must(err)
	j := claimed[0].Job
	j.State, j.LastError, j.LastAttemptAt, j.NextAt = rules.JobDead, "550", fx.now, fx.now
	fx.must(fx.m.FailRefused(fx.ctx, j))
	fx.wantStatus(1, playBasic, rules.InError)
	fx.reopen() // killed before Finish
	fx.now = fx.now.Add(time.Hour)
	_, err = claim(fx.ctx, fx.m, rules.EmailJob, 1, time.Minute)
	fx.must(err)
	fx.wantDeliveries(1, "email failed")
	all, err := fx.m.SubscriberDeliveries(fx.ctx, fx.p.ID, document(1))
	fx.must(err)
	if d := all[0]; d.Attempts != 1 || d.LastError != "550" || !d.LastAttemptAt.Equal(fx.now.Add(-time.Hour)) || !d.NextAttempt(fx.now).IsZero() {
		t.Errorf("got %+v", d)
	}
}

// The first look at a link counts, for the delivery that carried it and no other.
func TestTheFirstOpeningOfALinkIsThatOfItsDelivery(t *testing.T) {
	fx := newFixture(t, 10)
	_, err := fx.m.SetCallback(fx.ctx, fx.p.Name, "https://azul.example.com/", false)
	fx.must(err)
	fx.register(1, 1, playBasic)
	_, err = fx.m.Resend(fx.ctx, fx.call(), document(1))
	fx.must(err)
	opened := func() (at [3]time.Time) { // callback, e-mail, first e-mail
		all, err := fx.m.SubscriberDeliveries(fx.ctx, fx.p.ID, document(1))
		fx.must(err)
		for i, d := range all {
			at[i] = d.OpenedAt
		}
		return at
	}
	open := func(link string) {
		view, err := fx.m.ViewLink(fx.ctx, link)
		fx.must(err)
		fx.must(fx.m.RecordOpening(fx.ctx, view))
	}
	callbacks, err := claim(fx.ctx, fx.m, rules.CallbackJob, 1, time.Minute)
	fx.must(err)
	first := fx.now
	open(callbacks[0].LinkSecret)
	if got, want := opened(), [3]time.Time{first}; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	link := fx.mails()[doc(1)]
	fx.now = fx.now.Add(time.Hour)
	open(callbacks[0].LinkSecret)
	open(link)
	open("no such link")
	second := fx.now
	fx.now = fx.now.Add(30 * 24 * time.Hour) // the link has expired: it was opened all the same
	open(link)
	fx.reopen()
	if got, want := opened(), [3]time.Time{first, second}; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}
