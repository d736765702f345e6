package rules

import (
	"context"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
)

// ResendResult is what a resend did for one service.
type ResendResult struct {
	Service domain.Service
	Sent    bool
	Reason  string // why it was not sent: the status, or "queued"
}

// Resend enqueues a new activation e-mail, and a callback delivery when the provider
// has a callback, for every service of the subscriber that is in progress or
// active, and retries failed activations. Earlier links stop working (api.md,
// Subscribers, rule 3).
func (e *Engine) Resend(ctx context.Context, call Call, d cpf.Document) ([]ResendResult, error) {
	return e.resend(ctx, call, d, nil)
}

// ResendProduct is Resend for the subscriber's service of one product
// (decisions.md 4). It returns one result.
func (e *Engine) ResendProduct(ctx context.Context, call Call, d cpf.Document, product int) ([]ResendResult, error) {
	return e.resend(ctx, call, d, &product)
}

// resend resends the subscriber's service of the product, or all services if product is nil.
func (e *Engine) resend(ctx context.Context, call Call, d cpf.Document, product *int) ([]ResendResult, error) {
	return once(ctx, e, call, func(ctx context.Context, u *unitOfWork) (results []ResendResult, err error) {
		services, err := u.loadServicesOf(ctx, d)
		if err != nil {
			return nil, err
		}
		if product != nil {
			s := findService(services, *product)
			if _, exists := u.offers[*product]; !exists {
				return nil, &domain.Error{Code: domain.UnknownProduct, Message: "the product does not exist"}
			} else if s == nil {
				return nil, domain.Refuse(domain.ServiceNotFound)
			}
			services = []*domain.Service{s}
		}
		_, callback, err := u.tx.Callback(ctx)
		if err != nil {
			return nil, err
		}
		sent := false
		for _, s := range services {
			r := u.resend(s, callback)
			sent = sent || r.Sent || r.Reason == reasonQueued
			results = append(results, r)
		}
		if !sent {
			return nil, domain.Refuse(domain.NothingToResend)
		}
		return results, nil
	})
}

const reasonQueued = "queued"

func (u *unitOfWork) resend(s *domain.Service, callback bool) ResendResult {
	c := u.causedBy(domain.Resend.String())
	switch out := u.apply(s, domain.Resend, Facts{}, c); {
	case out.Verdict() == Stays:
		u.enqueueEmail(s)
	case out.Verdict() == Moves && s.Status == domain.LimitReached:
		return ResendResult{Service: *s, Reason: reasonQueued}
	case out.Verdict() != Moves:
		return ResendResult{Service: *s, Reason: s.Status.String()}
	}
	u.recordServiceEvent(domain.EmailRequested, s, c)
	if callback {
		u.enqueue(s, domain.CallbackDelivery, int64(u.provider.ID), s.EmailNumber)
	}
	return ResendResult{Service: *s, Sent: true}
}
