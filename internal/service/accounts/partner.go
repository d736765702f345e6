package accounts

import (
	"context"

	"ativa/internal/service/domain"
)

// CreatePartner adds a partner and returns it with its new signing secret, to be
// shown once.
func (r *Registry) CreatePartner(ctx context.Context, p domain.Partner) (domain.Partner, error) {
	if err := firstInvalid(invalidPartner(p), invalidName(&p.Name)); err != nil {
		return domain.Partner{}, err
	}
	p.Secret, p.CreatedAt = domain.RandomBytes(24), r.clock.Now()
	return r.store.CreatePartner(ctx, p)
}

// UpdatePartner changes a partner's URL, delay or failure rate. Pending requests
// go to the new URL, with the same ids and secret. It writes nothing when change
// returns an error. change may run more than once, and must not use the Registry.
func (r *Registry) UpdatePartner(ctx context.Context, name string, change func(*domain.Partner) error) (domain.Partner, error) {
	return r.store.UpdatePartner(ctx, name, func(p *domain.Partner) error {
		if err := change(p); err != nil {
			return err
		}
		return firstInvalid(invalidPartner(*p))
	})
}

// RotatePartner gives a partner a new signing secret, to be shown once. The old one is refused from
// then on.
func (r *Registry) RotatePartner(ctx context.Context, name string) (domain.Partner, error) {
	secret := domain.RandomBytes(24)
	return r.store.UpdatePartner(ctx, name, func(p *domain.Partner) error {
		p.Secret = secret
		return nil
	})
}

// invalidPartner validates everything except the name, which never changes.
func invalidPartner(p domain.Partner) *domain.Error {
	switch p.Driver {
	case domain.DriverManual:
	case domain.DriverSimulator:
		if p.Delay < 0 {
			return domain.Invalid("delay", "0 or more")
		}
		if !(p.FailureRate >= 0 && p.FailureRate <= 1) { // NaN is neither
			return domain.Invalid("failure-rate", "between 0 and 1")
		}
	case domain.DriverHTTP:
		if err := invalidURL(p.URL, true); err != nil {
			return err
		}
	default:
		return domain.Invalid("driver", "manual, simulator or http")
	}
	return nil
}
