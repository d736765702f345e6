package rules

import (
	"context"

	"ativa/internal/service/domain"
)

// LinkState is what following an activation link does, or why it does nothing.
type LinkState int

// The states of an activation link.
const (
	LinkUnknown  LinkState = iota // unknown, or its subscriber was deleted
	LinkReady                     // following it activates the service
	LinkDone                      // following it has just activated the service
	LinkActive                    // the service is active already
	LinkUsed                      // it was used before, and the service is no longer active
	LinkReplaced                  // a newer e-mail was sent
	LinkExpired
	LinkSuspended   // the service is suspended, or is being suspended
	LinkClosed      // the service is cancelled or being cancelled, or its activation has failed
	LinkUnavailable // the service is queued, or another operation is running or has failed
)

// LinkView is what the activation page may show.
type LinkView struct {
	State    LinkState
	Provider string // the name that subscribers see
	Product  domain.Product
	Brand    domain.Brand

	unopened domain.Link // the link, if no link of its delivery was opened before
}

// ViewLink returns the state of an activation link and changes nothing; see
// RecordOpening.
func (e *Engine) ViewLink(ctx context.Context, secret string) (LinkView, error) {
	view, _, err := e.findLink(ctx, secret)
	return view, err
}

// RecordOpening records the first opening of a link for the delivery that carried it (decisions.md
// 12).
func (e *Engine) RecordOpening(ctx context.Context, view LinkView) error {
	if view.unopened.Delivery == 0 {
		return nil
	}
	return e.store.MarkOpened(ctx, view.unopened, e.Now())
}

// FollowLink completes the activation of the link's service. When the link is
// not in state LinkReady, it changes nothing and returns that state.
func (e *Engine) FollowLink(ctx context.Context, secret string) (LinkView, error) {
	view, link, err := e.findLink(ctx, secret)
	if err != nil || view.State == LinkUnknown {
		return view, err
	}
	call := Call{Provider: link.Service.Provider(), Actor: domain.ActorSubscriber}
	err = e.write(ctx, call, func(ctx context.Context, u *unitOfWork) error {
		services, err := u.tx.ServicesByID(ctx, []domain.ServiceID{link.Service})
		if err != nil {
			return err
		}
		s := u.track(services[link.Service])
		view.State = e.linkState(link, *s)
		if view.State != LinkReady {
			return nil
		}
		if out := u.apply(s, domain.LinkCompleted, Facts{}, u.causedBy(domain.LinkCompleted.String())); out.Verdict() == Moves {
			view.State = LinkDone
		}
		return u.tx.MarkLinkUsed(ctx, link.Hash, u.now)
	})
	return view, err
}

// findLink returns a link and its view, which is zero if the link is unknown.
func (e *Engine) findLink(ctx context.Context, secret string) (view LinkView, link domain.Link, err error) {
	link, found, err := e.store.LinkByHash(ctx, domain.HashSecret(secret))
	if err != nil || !found {
		return view, link, err
	}
	details, err := e.store.ServiceDetails(ctx, []domain.ServiceID{link.Service})
	d := details[link.Service]
	if err != nil || d.Subscriber.ID == 0 {
		return view, link, err
	}
	brands, err := e.store.Brands(ctx, []domain.ProviderID{d.Provider.ID})
	brand := brands[d.Provider.ID]
	view = LinkView{State: e.linkState(link, d.Service), Provider: brand.NameOr(d.Provider.Name), Product: d.Product, Brand: brand}
	if !link.Opened {
		view.unopened = link
	}
	return view, link, err
}

func (e *Engine) linkState(l domain.Link, s domain.Service) LinkState {
	switch used := !l.UsedAt.IsZero(); {
	case used && s.Status == domain.Active: // the button was pressed twice
		return LinkActive
	case used:
		return LinkUsed
	case l.EmailNumber != s.EmailNumber:
		return LinkReplaced
	case !e.Now().Before(l.ExpiresAt):
		return LinkExpired
	case s.Status == domain.Active:
		return LinkActive
	case Decide(s.Status, domain.LinkCompleted, Facts{}).Verdict() == Moves:
		return LinkReady
	}
	switch s.Status {
	case domain.Suspended, domain.Overdue, domain.WaitingSuspension, domain.WaitingSuspensionDueToOverdue:
		return LinkSuspended
	case domain.Canceled, domain.CanceledWithoutActivation, domain.WaitingCancellation:
		return LinkClosed
	case domain.InError:
		if s.Kind == domain.Activation {
			return LinkClosed
		}
	}
	return LinkUnavailable
}
