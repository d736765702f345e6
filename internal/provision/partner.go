package provision

import (
	"context"
	"slices"
	"time"
)

// Driver says how a partner is reached.
type Driver string

// The drivers of decisions.md 8.
const (
	DriverManual    Driver = "manual"    // an operator confirms by hand
	DriverSimulator Driver = "simulator" // the service itself confirms after a delay
	DriverHTTP      Driver = "http"      // over HTTP, in both directions
)

// Partner is the third party that carries out operations on products.
type Partner struct {
	ID          PartnerID
	Name        string
	Driver      Driver
	URL         string        // http only
	Delay       time.Duration // simulator only
	FailureRate float64       // simulator only, 0 to 1
	Secret      []byte        // signs both directions (Standard Webhooks); never printed after creation
	CreatedAt   time.Time
}

// CreatePartner adds a partner and returns it with its new signing secret, to be
// shown once.
func (m *Manager) CreatePartner(ctx context.Context, p Partner) (Partner, error) {
	if err := firstInvalid(invalidPartner(p), invalidName(p.Name)); err != nil {
		return Partner{}, err
	}
	p.Secret, p.CreatedAt = randomBytes(24), m.Now()
	return m.store.CreatePartner(ctx, p)
}

// UpdatePartner changes a partner's URL, delay or failure rate. Pending requests
// go to the new URL, with the same ids and secret. It writes nothing when change
// returns an error.
func (m *Manager) UpdatePartner(ctx context.Context, name string, change func(*Partner) error) (Partner, error) {
	all, err := m.store.Partners(ctx)
	if err != nil {
		return Partner{}, err
	}
	i := slices.IndexFunc(all, func(p Partner) bool { return p.Name == name })
	if i < 0 {
		return Partner{}, &Error{Code: NotFound, Message: "no partner has this name"}
	}
	p := all[i]
	if err := change(&p); err != nil {
		return Partner{}, err
	}
	if err := firstInvalid(invalidPartner(p)); err != nil {
		return Partner{}, err
	}
	return p, m.store.UpdatePartner(ctx, p)
}

// invalidPartner checks all but the name, which never changes, so that a name
// that an older version accepted stays.
func invalidPartner(p Partner) *Error {
	switch p.Driver {
	case DriverManual:
	case DriverSimulator:
		if p.Delay < 0 {
			return invalid("delay", "0 or more")
		}
		if p.FailureRate < 0 || p.FailureRate > 1 {
			return invalid("failure-rate", "between 0 and 1")
		}
	case DriverHTTP:
		if err := invalidURL(p.URL, true); err != nil {
			return err
		}
	default:
		return invalid("driver", "manual, simulator or http")
	}
	return nil
}
