package outbox_test

import (
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/service/domain"
)

// startFailing starts the worker on a database whose next read of where a delivery goes, or of how its
// provider appears in it, fails.
func (f *fixture) startFailing() {
	var failed atomic.Bool
	f.manage(&watchedStore{DB: f.store, before: func(call string) error {
		if slices.Contains([]string{readPartners, readCallbacks, readBrands}, call) && !failed.Swap(true) {
			return errors.New("the connection was lost")
		}
		return nil
	}})
	f.start()
}

// A delivery whose destination cannot be read waits. It is neither given up nor done.
func TestAFailedReadOfADestinationLosesNoDelivery(t *testing.T) {
	for name, open := range map[string]func(*fixture, ...string) []destination{"partner": openPartners, "callback": openCallbacks} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t, manual)
				f.options.Mailer = nil
				to := open(f, accepts)[0]
				o := to.addDelivery()
				f.startFailing()
				advance(3 * time.Second)
				wantState(t, o, domain.DeliverySent, "")
				if n := len(to.messages()); n != 1 {
					t.Errorf("got %d messages, want one", n)
				}
			})
		})
	}
}

func TestAFailedReadOfABrandSendsNoEMailWithoutIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		mailer := &recordingMailer{}
		f := newFixture(t, manual)
		f.options.Mailer = mailer
		_, err := f.manager.UpdateBrand(t.Context(), f.defaultProvider.Name, func(b *domain.Brand) error { b.DisplayName = "Açaí Fibra"; return nil })
		f.must(err)
		f.resend(f.defaultProvider, f.registerActive(f.defaultProvider, 1, 1)[0])
		f.startFailing()
		advance(2 * time.Minute) // the lease ends
		mailer.mu.Lock()
		defer mailer.mu.Unlock()
		if len(mailer.sent) != 1 || mailer.sent[0].Provider != "Açaí Fibra" || !mailer.sent[0].Active {
			t.Errorf("got %+v, want one e-mail in the name of the brand, about an active service", mailer.sent)
		}
	})
}
