package provision

import (
	"context"
	"time"
)

// Link is an activation link; only the hash of its secret is kept.
type Link struct {
	Hash        [32]byte
	Service     ServiceID
	EmailNumber int // Service.Link when it was made
	ExpiresAt   time.Time
	UsedAt      time.Time // zero: not used
}

// LinkLifetime is how long an activation link is valid.
const LinkLifetime = 7 * 24 * time.Hour

// LinkState is what an activation link is good for.
type LinkState int

// The states of an activation link.
const (
	LinkUnknown  LinkState = iota // never existed, or its subscriber is gone
	LinkReady                     // following it activates the service
	LinkDone                      // following it activated the service just now
	LinkActive                    // the service is active already
	LinkUsed                      // it was followed before
	LinkReplaced                  // a newer e-mail was sent
	LinkExpired
	LinkSuspended // the service is suspended, or about to be
	LinkClosed    // the service is cancelled or has failed
)

// LinkView is what the activation page may show.
type LinkView struct {
	State    LinkState
	Provider string
	Product  string
}

// ViewLink tells what an activation link is good for and changes nothing.
func (m *Manager) ViewLink(ctx context.Context, secret string) (LinkView, error) {
	link, subject, found, err := m.findLink(ctx, secret)
	if err != nil || !found {
		return LinkView{}, err
	}
	return LinkView{State: m.linkState(link, subject.Service), Provider: subject.Provider.Name, Product: subject.Product.Name}, nil
}

// FollowLink completes the activation that the link belongs to. A link that
// is not good for it changes nothing; the view says why.
func (m *Manager) FollowLink(ctx context.Context, secret string) (LinkView, error) {
	link, subject, found, err := m.findLink(ctx, secret)
	if err != nil || !found {
		return LinkView{}, err
	}
	view := LinkView{Provider: subject.Provider.Name, Product: subject.Product.Name}
	call := Call{Provider: link.Service.Provider(), Actor: ActorSubscriber}
	err = m.write(ctx, call, func(ctx context.Context, u *unitOfWork) (any, error) {
		have, err := u.tx.ServicesByID(ctx, []ServiceID{link.Service})
		if err != nil {
			return nil, err
		}
		s := u.track(have[link.Service])
		view.State = m.linkState(link, *s)
		if view.State != LinkReady {
			return nil, nil
		}
		if out := u.apply(s, LinkCompleted, Facts{}, u.causedBy(LinkCompleted.String())); out.Verdict == Moves {
			view.State = LinkDone
		}
		return nil, u.tx.MarkLinkUsed(ctx, link.Hash, u.now)
	})
	return view, err
}

func (m *Manager) findLink(ctx context.Context, secret string) (Link, ServiceDetails, bool, error) {
	link, found, err := m.store.LinkByHash(ctx, hashSecret(secret))
	if err != nil || !found {
		return Link{}, ServiceDetails{}, false, err
	}
	subjects, err := m.store.ServiceDetails(ctx, []ServiceID{link.Service})
	subject, found := subjects[link.Service]
	return link, subject, found && subject.Subscriber.ID != 0, err
}

func (m *Manager) linkState(l Link, s Service) LinkState {
	switch {
	case !l.UsedAt.IsZero():
		return LinkUsed
	case l.EmailNumber != s.EmailNumber:
		return LinkReplaced
	case !m.now().Before(l.ExpiresAt):
		return LinkExpired
	case s.Status == Active:
		return LinkActive
	case Decide(s.Status, LinkCompleted, Facts{}).Verdict == Moves:
		return LinkReady
	}
	switch s.Status {
	case Suspended, Overdue, WaitingSuspension, WaitingSuspensionDueToOverdue, Reactivated:
		return LinkSuspended
	}
	return LinkClosed
}

// newLink makes a link of the current e-mail. Every attempt to deliver it
// mints its own, so that no secret is ever stored; all of them are good until
// one is used or a newer e-mail replaces them.
func (m *Manager) newLink(j Job) (Link, string) {
	secret := newSecret()
	return Link{Hash: hashSecret(secret), Service: j.Service, EmailNumber: j.Sequence, ExpiresAt: m.now().Add(LinkLifetime)}, secret
}
