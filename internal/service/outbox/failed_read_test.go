package outbox_test

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/service/domain"
)

// A delivery whose destination, or the brand that it shows, cannot be read waits. It is neither given
// up nor done, nor sent without the brand.
func TestAFailedReadLosesNoDelivery(t *testing.T) {
	for name, open := range map[string]func(*fixture, ...string) []destination{"partner": openPartners, "callback": openCallbacks, "e-mail": openMail} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t, manual)
				f.options.Mailer = nil
				to := open(f, accepts)[0]
				o := to.addDelivery()
				_, err := f.manager.UpdateBrand(t.Context(), f.defaultProvider.Name, func(b *domain.Brand) error { b.DisplayName = "Fibra"; return nil })
				f.must(err)
				failed := false
				f.manage(&watchedStore{DB: f.store, after: func(call string, _ int) error {
					if failed || !slices.Contains([]string{readPartners, readCallbacks, readBrands}, call) {
						return nil
					}
					failed = true
					return errors.New("the connection was lost")
				}})
				f.start()
				advance(2 * time.Minute) // the lease ends
				wantState(t, o, domain.DeliverySent, "")
				if got := to.messages(); len(got) != 1 || !failed || name == "e-mail" && got[0].from != "Fibra" {
					t.Errorf("got %+v, want one message, after a failed read: %t", got, failed)
				}
			})
		})
	}
}
