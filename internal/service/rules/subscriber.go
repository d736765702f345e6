package rules

import (
	"context"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
)

// CreateSubscriber registers one subscriber without services.
func (e *Engine) CreateSubscriber(ctx context.Context, call Call, f Fields) (domain.SubscriberServices, error) {
	return once(ctx, e, call, func(ctx context.Context, u *unitOfWork) (created domain.SubscriberServices, err error) {
		s, err := u.checkFields(ctx, f, domain.Subscriber{CreatedAt: u.now})
		if err != nil {
			return created, err
		}
		s.ID = u.provider.NextSubscriber()
		u.onlySubscriber = s.ID
		u.recordEvent(domain.SubscriberCreated, s.ID, u.causedBy("create"))
		// The event is written first, so that both take one round trip: InsertSubscribers waits for its
		// result.
		if err := u.flush(ctx); err != nil {
			return created, err
		}
		existing, err := u.tx.InsertSubscribers(ctx, []domain.Subscriber{s})
		if err != nil {
			return created, err
		}
		if existing[s.Document] {
			return created, &domain.Error{Code: domain.SubscriberExists, Message: "a subscriber with this document exists"}
		}
		created.Subscriber = s
		return created, nil
	})
}

// checkFields applies the fields to s, or returns an *Error with all invalid fields.
func (u *unitOfWork) checkFields(ctx context.Context, f Fields, s domain.Subscriber) (domain.Subscriber, error) {
	if err := u.loadSpeeds(ctx); err != nil {
		return s, err
	}
	s, bad := f.check(s, u.speeds)
	if len(bad) == 0 {
		return s, nil
	}
	code := domain.ValidationFailed
	if len(bad) == 1 && bad[0].Code == domain.UnknownInternetSpeed {
		code = domain.UnknownInternetSpeed
	}
	return s, &domain.Error{Code: code, Message: "the subscriber has invalid fields", Fields: bad}
}

// UpdateSubscriber changes the fields that were sent. It refuses with
// SubscriberExists when the new document belongs to another subscriber.
func (e *Engine) UpdateSubscriber(ctx context.Context, call Call, d cpf.Document, f Fields) (domain.SubscriberServices, error) {
	return once(ctx, e, call, func(ctx context.Context, u *unitOfWork) (updated domain.SubscriberServices, err error) {
		old, err := u.subscriber(ctx, d)
		if err != nil {
			return updated, err
		}
		s, err := u.checkFields(ctx, f, old)
		if err != nil {
			return updated, err
		}
		if s != old {
			if err := u.tx.UpdateSubscriber(ctx, s); err != nil {
				return updated, err
			}
			if s.Email != old.Email { // attempts at the former address no longer count
				if err := u.tx.RestartEmails(ctx, s.ID, u.now); err != nil {
					return updated, err
				}
			}
			u.recordEvent(domain.SubscriberUpdated, s.ID, u.causedBy("update"))
		}
		services, err := u.tx.Services(ctx, []domain.SubscriberID{s.ID})
		return domain.SubscriberServices{Subscriber: s, Services: services[s.ID]}, err
	})
}

// DeleteSubscriber erases a subscriber whose services are all cancelled, or
// refuses with SubscriberHasServices. A pseudonymous history of its services stays.
func (e *Engine) DeleteSubscriber(ctx context.Context, call Call, d cpf.Document) error {
	_, err := once(ctx, e, call, func(ctx context.Context, u *unitOfWork) (none struct{}, err error) {
		s, err := u.subscriber(ctx, d)
		if err != nil {
			return none, err
		}
		services, err := u.tx.Services(ctx, []domain.SubscriberID{s.ID})
		if err != nil {
			return none, err
		}
		for _, service := range services[s.ID] {
			if !service.Status.Ended() {
				return none, &domain.Error{Code: domain.SubscriberHasServices,
					Message: "the subscriber has services that are not cancelled; cancel them first"}
			}
		}
		u.recordEvent(domain.SubscriberDeleted, s.ID, u.causedBy("delete"))
		return none, u.tx.EraseSubscriber(ctx, s.ID)
	})
	return err
}

// subscriber returns the one subscriber that the call is about, or refuses with
// SubscriberNotFound.
func (u *unitOfWork) subscriber(ctx context.Context, d cpf.Document) (domain.Subscriber, error) {
	found, err := u.tx.Subscribers(ctx, []cpf.Document{d})
	if err != nil {
		return domain.Subscriber{}, err
	}
	s, ok := found[d]
	if !ok {
		return s, domain.Refuse(domain.SubscriberNotFound)
	}
	u.onlySubscriber = s.ID
	return s, nil
}
