package provision

import (
	"context"
	"time"
)

// Driver is how a partner is reached.
type Driver string

// The drivers of decisions.md 8.
const (
	DriverManual    Driver = "manual"    // an operator confirms
	DriverSimulator Driver = "simulator" // confirms by itself after a delay
	DriverHTTP      Driver = "http"      // is called, and calls back
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

// CreatePartner adds a partner; its signing secret is in the result, to be
// shown once.
func (m *Manager) CreatePartner(ctx context.Context, p Partner) (Partner, error) {
	if err := firstInvalid(invalidPartner(p)); err != nil {
		return Partner{}, err
	}
	p.Secret, p.CreatedAt = randomBytes(24), m.now()
	return m.store.CreatePartner(ctx, p)
}

// Partners lists every partner, with its secret.
func (m *Manager) Partners(ctx context.Context) ([]Partner, error) { return m.store.Partners(ctx) }

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
	return invalidName(p.Name)
}
