package outbox_test

import (
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"ativa/internal/service/domain"
)

// A delivery whose destination or service, or the brand that it shows, cannot be read before or after
// it is claimed waits. It is neither given up nor done, nor sent without the brand.
func TestAFailedReadLosesNoDelivery(t *testing.T) {
	for name, c := range map[string]struct {
		open  func(*fixture, ...string) []destination
		reads int64 // for one delivery
	}{"partner": {openPartners, 3}, "callback": {openCallbacks, 3}, "e-mail": {openMail, 2}} {
		for failing := range c.reads {
			inBubble(t, name, func(t *testing.T) {
				f := newFixture(t, manual)
				f.options.Mailer = nil
				to := c.open(f, accepts)[0]
				o := to.addDelivery()
				_, err := f.manager.UpdateBrand(t.Context(), f.defaultProvider.Name, func(b *domain.Brand) error { b.DisplayName = "Fibra"; return nil })
				f.must(err)
				var reads atomic.Int64
				f.manage(&watchedStore{DB: f.store, after: func(call string, _ int) error {
					if f.worker == nil || !slices.Contains([]string{readPartners, readCallbacks, readBrands, readDetails}, call) {
						return nil
					}
					if reads.Add(1) == failing+1 {
						return errors.New("the connection was lost")
					}
					return nil
				}})
				f.start()
				advance(2 * time.Minute) // the lease ends
				wantState(t, o, domain.DeliverySent, "")
				if got := to.messages(); len(got) != 1 || reads.Load() <= failing || name == "e-mail" && got[0].from != "Fibra" {
					t.Errorf("got %+v after %d reads, want one message", got, reads.Load())
				}
			})
		}
	}
}

// A server that is stopped makes the deliveries that it has claimed: nobody else would before their
// leases end.
func TestAStopDuringAClaimDelaysNoDelivery(t *testing.T) {
	for name, open := range map[string]func(*fixture, ...string) []destination{"partner": openPartners, "callback": openCallbacks, "e-mail": openMail} {
		inBubble(t, name, func(t *testing.T) {
			f := newFixture(t, manual)
			f.options.Mailer = nil
			to := open(f, accepts)[0]
			o := to.addDelivery()
			f.manage(&watchedStore{DB: f.store, after: func(call string, _ int) error {
				if f.worker != nil && call == readDetails {
					f.cancel()
				}
				return nil
			}})
			f.start()
			<-f.stopped
			wantState(t, o, domain.DeliverySent, "")
			if got := to.messages(); len(got) != 1 {
				t.Errorf("got %+v, want one message", got)
			}
		})
	}
}
