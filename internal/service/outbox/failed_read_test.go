package outbox_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/store"
)

// failingReads is a store that fails the next reads of where deliveries go, and of how a provider
// appears in them.
type failingReads struct {
	*store.DB
	left atomic.Int32
}

func (s *failingReads) fail() error {
	if s.left.Add(-1) >= 0 {
		return errors.New("the connection was lost")
	}
	return nil
}

func (s *failingReads) Partners(ctx context.Context) ([]domain.Partner, error) {
	if err := s.fail(); err != nil {
		return nil, err
	}
	return s.DB.Partners(ctx)
}

func (s *failingReads) Callbacks(ctx context.Context) ([]domain.Callback, error) {
	if err := s.fail(); err != nil {
		return nil, err
	}
	return s.DB.Callbacks(ctx)
}

func (s *failingReads) Brands(ctx context.Context, ids []domain.ProviderID) (map[domain.ProviderID]domain.Brand, error) {
	if err := s.fail(); err != nil {
		return nil, err
	}
	return s.DB.Brands(ctx, ids)
}

// startFailing starts the worker on a database whose next read fails.
func (f *fixture) startFailing() {
	reads := &failingReads{DB: f.store}
	reads.left.Store(1)
	f.manage(reads)
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
