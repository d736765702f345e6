package rules

// move changes a service's status and updates the provider's counters, the
// operation, the history and the outbox accordingly.
func (u *unitOfWork) move(s *Service, to Status, c cause) {
	from, active, queued, enabled := s.Status, s.HoldsActiveToken(), s.Status == LimitReached, s.enabledProduct()
	replaced := s.ProductID
	if to == Changed { // the caller has set the new product already
		replaced = s.OtherProductID
	}
	if from.stable() {
		s.LastStable = from
	}
	s.Status, s.UpdatedAt = to, u.now
	if to.Ended() && u.provider.Schedules > 0 {
		u.gone = append(u.gone, s.ID)
	}
	u.entered(s, from, c)
	u.provider.ActiveTokens += delta(active, s.HoldsActiveToken())
	u.provider.Queued += delta(queued, to == LimitReached)
	if replaced == s.ProductID {
		replaced = 0
	}
	e := u.recordServiceEvent(StatusChanged, s, c)
	e.PreviousProductID, e.Previous, e.Status = replaced, from, to
	u.recordEnabled(s, enabled, e.ID)
	u.markChanged(s)
}

// recordServiceEvent adds an event about a service as it is now.
func (u *unitOfWork) recordServiceEvent(t EventType, s *Service, c cause) *Event {
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

// entered begins or ends the operation that belongs to the new status of the service.
func (u *unitOfWork) entered(s *Service, from Status, c cause) {
	switch s.Status {
	case LimitReached:
		u.beginOperation(s, from, Activation)
	case InProgress:
		if from != LimitReached {
			u.beginOperation(s, from, Activation)
		} else if ttl := u.engine.options.ActivationTTL; ttl > 0 {
			u.changes = append(u.changes, OperationChange{ID: s.Operation, State: OperationWaiting, Deadline: u.now.Add(ttl)})
		}
		u.enqueueEmail(s)
		if product := u.offers[s.ProductID]; product.RequestsActivation {
			to := product.Partner
			if from == LimitReached {
				to = partnerOfOperation // the product's partner may have changed meanwhile
			}
			u.enqueueRequest(s, to, 0)
		}
	case Reactivated:
		u.beginAtPartner(s, from, Reactivation)
	case Changed:
		u.beginAtPartner(s, from, ProductChange)
	case WaitingSuspension:
		u.beginAtPartner(s, from, Suspension)
	case WaitingSuspensionDueToOverdue:
		u.beginAtPartner(s, from, OverdueSuspension)
	case WaitingCancellation:
		u.beginAtPartner(s, from, Cancellation)
	case Active, Suspended, Overdue, Canceled:
		if !from.stable() {
			u.endOperation(s, OperationConfirmed, "")
		}
		if from == InError && s.Kind == ProductChange { // confirmed late
			s.ProductID = s.OtherProductID
		}
		s.OtherProductID = 0
	case CanceledWithoutActivation:
		u.endOperation(s, OperationSuperseded, c.reason)
	case InError:
		state := OperationFailed
		if c.trigger == TimedOut.String() {
			state = OperationTimedOut
		}
		u.endOperation(s, state, c.reason)
		if s.Kind == ProductChange {
			s.ProductID, s.OtherProductID = s.OtherProductID, s.ProductID
		}
	}
}

// beginOperation begins an operation and supersedes the running one.
func (u *unitOfWork) beginOperation(s *Service, from Status, kind OperationKind) {
	if from != NoService && from != InError && !from.stable() {
		u.endOperation(s, OperationSuperseded, "")
	}
	op := Operation{
		ID: u.provider.nextOperation(), Service: s.ID, Kind: kind, State: OperationWaiting,
		ProductID: s.ProductID, Partner: u.offers[s.ProductID].Partner, CreatedAt: u.now,
	}
	switch {
	case kind != Activation:
		op.Attempts, op.Deadline = 1, u.now.Add(u.engine.options.ConfirmTimeout)
	case u.engine.options.ActivationTTL > 0 && s.Status == InProgress:
		op.Deadline = u.now.Add(u.engine.options.ActivationTTL)
	}
	s.Operation, s.Kind = op.ID, kind
	u.operations = append(u.operations, op)
}

// beginAtPartner begins an operation and enqueues the request to the partner.
func (u *unitOfWork) beginAtPartner(s *Service, from Status, kind OperationKind) {
	u.beginOperation(s, from, kind)
	u.enqueueRequest(s, u.offers[s.ProductID].Partner, 1)
}

func (u *unitOfWork) endOperation(s *Service, state OperationState, reason string) {
	u.changes = append(u.changes, OperationChange{ID: s.Operation, State: state, Reason: reason})
}

// enqueueEmail enqueues an activation e-mail. Links of earlier e-mails stop working.
func (u *unitOfWork) enqueueEmail(s *Service) {
	s.EmailNumber++
	u.enqueue(s, EmailJob, 0, s.EmailNumber)
	u.markChanged(s)
}

// enqueueRequest enqueues a request to the partner of the running operation.
func (u *unitOfWork) enqueueRequest(s *Service, to PartnerID, sequence int) {
	u.enqueue(s, PartnerJob, int64(to), sequence)
}

// enqueue adds a job to the outbox; for destination and sequence see [Job].
func (u *unitOfWork) enqueue(s *Service, kind JobKind, destination int64, sequence int) {
	u.jobs = append(u.jobs, Job{
		ID: u.provider.nextJob(), Kind: kind, Destination: destination, Service: s.ID, Operation: s.Operation, Sequence: sequence,
		CreatedAt: u.now, NextAt: u.now, Urgent: u.urgent,
	})
}
