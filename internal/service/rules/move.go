package rules

import "ativa/internal/service/domain"

// move changes a service's status and updates the provider's counters, the
// operation, the history and the outbox accordingly.
func (u *unitOfWork) move(s *domain.Service, to domain.Status, c cause) {
	from, active, queued, enabled := s.Status, s.HoldsActiveToken(), s.Status == domain.LimitReached, s.EnabledProduct()
	replaced := s.ProductID
	if to == domain.Changed { // the caller has set the new product already
		replaced = s.PreviousProductID
	}
	if from.Stable() {
		s.LastStable = from
	}
	s.Status, s.UpdatedAt = to, u.now
	u.updateOperation(s, from, c)
	u.provider.ActiveTokens += delta(active, s.HoldsActiveToken())
	u.provider.Queued += delta(queued, to == domain.LimitReached)
	if replaced == s.ProductID {
		replaced = 0
	}
	if (to.Ended() || replaced != 0) && u.provider.Schedules > 0 {
		u.rescheduled = append(u.rescheduled, s.ID)
	}
	e := u.recordServiceEvent(domain.StatusChanged, s, c)
	e.PreviousProductID, e.Previous, e.Status = replaced, from, to
	u.recordEnabled(s, enabled, e.ID)
	u.markChanged(s)
}

// recordServiceEvent adds an event about a service as it is now.
func (u *unitOfWork) recordServiceEvent(t domain.EventType, s *domain.Service, c cause) *domain.Event {
	e := u.recordEvent(t, s.ID.Subscriber(), c)
	e.Service, e.ProductID, e.Operation = s.ID, s.ProductID, s.Operation
	return e
}

// delta returns the change of a counter (1, 0 or -1) for something that was counted before and is
// counted after.
func delta(before, after bool) int {
	switch {
	case after && !before:
		return 1
	case before && !after:
		return -1
	}
	return 0
}

// updateOperation begins or ends the operation that belongs to the new status of the service.
func (u *unitOfWork) updateOperation(s *domain.Service, from domain.Status, c cause) {
	switch s.Status {
	case domain.LimitReached:
		u.beginOperation(s, from, domain.Activation)
	case domain.InProgress:
		if from != domain.LimitReached {
			u.beginOperation(s, from, domain.Activation)
		} else if ttl := u.engine.options.ActivationTTL; ttl > 0 {
			u.changes.Operations = append(u.changes.Operations, domain.OperationChange{ID: s.Operation, State: domain.OperationWaiting, Deadline: u.now.Add(ttl)})
		}
		u.enqueueEmail(s)
		if product := u.offers[s.ProductID]; from != domain.LimitReached && product.RequestsActivation {
			u.enqueueRequest(s, product.Partner, 0)
		}
	case domain.Reactivated:
		u.beginAtPartner(s, from, domain.Reactivation)
	case domain.Changed:
		u.beginAtPartner(s, from, domain.ProductChange)
	case domain.WaitingSuspension:
		u.beginAtPartner(s, from, domain.Suspension)
	case domain.WaitingSuspensionDueToOverdue:
		u.beginAtPartner(s, from, domain.OverdueSuspension)
	case domain.WaitingCancellation:
		u.beginAtPartner(s, from, domain.Cancellation)
	case domain.Active, domain.Suspended, domain.Overdue, domain.Canceled:
		if !from.Stable() {
			u.endOperation(s, domain.OperationConfirmed, "")
		}
		if from == domain.InError && s.Kind == domain.ProductChange { // confirmed late
			s.ProductID = s.RequestedProductID
		}
		s.PreviousProductID, s.RequestedProductID = 0, 0
	case domain.CanceledWithoutActivation:
		u.endOperation(s, domain.OperationSuperseded, c.reason)
	case domain.InError:
		state := domain.OperationFailed
		if c.trigger == domain.TimedOut.String() {
			state = domain.OperationTimedOut
		}
		u.endOperation(s, state, c.reason)
		if s.Kind == domain.ProductChange {
			s.ProductID, s.PreviousProductID, s.RequestedProductID = s.PreviousProductID, 0, s.ProductID
		}
	}
}

// beginOperation begins an operation and supersedes the running one.
func (u *unitOfWork) beginOperation(s *domain.Service, from domain.Status, kind domain.OperationKind) {
	if from != domain.NoService && from != domain.InError && !from.Stable() {
		u.endOperation(s, domain.OperationSuperseded, "")
	}
	op := domain.Operation{
		ID: u.provider.NextOperation(), Service: s.ID, Kind: kind, State: domain.OperationWaiting,
		ProductID: s.ProductID, Partner: u.offers[s.ProductID].Partner, CreatedAt: u.now,
	}
	switch {
	case kind != domain.Activation && u.engine.options.LeaveRequests:
		op.Deadline = u.now
	case kind != domain.Activation:
		op.Attempts, op.Deadline = 1, u.now.Add(u.engine.options.ConfirmTimeout)
	case u.engine.options.ActivationTTL > 0 && s.Status == domain.InProgress:
		op.Deadline = u.now.Add(u.engine.options.ActivationTTL)
	}
	s.Operation, s.Kind = op.ID, kind
	s.Deferred, s.RequestedProductID = 0, 0 // what was deferred or failed in the operation before is given up
	u.changes.NewOperations = append(u.changes.NewOperations, op)
}

// beginAtPartner begins an operation and enqueues the request to the partner, unless
// Options.LeaveRequests is set.
func (u *unitOfWork) beginAtPartner(s *domain.Service, from domain.Status, kind domain.OperationKind) {
	u.beginOperation(s, from, kind)
	if !u.engine.options.LeaveRequests {
		u.enqueueRequest(s, u.offers[s.ProductID].Partner, 1)
	}
}

func (u *unitOfWork) endOperation(s *domain.Service, state domain.OperationState, reason string) {
	u.changes.Operations = append(u.changes.Operations, domain.OperationChange{ID: s.Operation, State: state, Reason: reason})
}

// enqueueEmail enqueues an activation e-mail. Links of earlier e-mails stop working.
func (u *unitOfWork) enqueueEmail(s *domain.Service) {
	s.EmailNumber++
	u.enqueue(s, domain.EmailDelivery, 0, s.EmailNumber)
	u.markChanged(s)
}

// enqueueRequest enqueues a request to the partner of the running operation.
func (u *unitOfWork) enqueueRequest(s *domain.Service, to domain.PartnerID, sequence int) {
	u.enqueue(s, domain.PartnerDelivery, int64(to), sequence)
}

// enqueue adds a delivery to the outbox; for destination and sequence see [domain.Delivery].
func (u *unitOfWork) enqueue(s *domain.Service, kind domain.DeliveryKind, destination int64, sequence int) {
	u.changes.NewDeliveries = append(u.changes.NewDeliveries, domain.Delivery{
		ID: u.provider.NextDelivery(), Kind: kind, Destination: destination, Service: s.ID, Operation: s.Operation, Sequence: sequence,
		CreatedAt: u.now, NextAt: u.now, Urgent: u.urgent,
	})
}
