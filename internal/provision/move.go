package provision

import "time"

// move takes a service to its next status: the counters, the operation, the
// history and the jobs follow.
func (u *unitOfWork) move(s *Service, to Status, c cause) {
	from, counted, queued := s.Status, s.Counted(), s.Status == LimitReached
	if from.resting() {
		s.Stable = from
	}
	s.Status, s.UpdatedAt = to, u.now
	u.enter(s, from, c)
	u.provider.Counted += delta(counted, s.Counted())
	u.provider.Queued += delta(queued, to == LimitReached)
	u.events = append(u.events, Event{
		ID: u.provider.nextEvent(), At: u.now, Type: StatusChanged,
		Subscriber: s.ID.Subscriber(), Service: s.ID, ProductID: s.ProductID,
		Previous: from, Status: to, Trigger: c.trigger, Actor: c.actor, Reason: c.reason, Operation: s.Operation,
	})
	u.touch(s)
}

func delta(before, after bool) int {
	switch {
	case after && !before:
		return 1
	case before && !after:
		return -1
	}
	return 0
}

// enter does what arriving in a status means for the operation of a service.
func (u *unitOfWork) enter(s *Service, from Status, c cause) {
	switch s.Status {
	case LimitReached:
		u.begin(s, from, Activation)
	case InProgress:
		if from != LimitReached {
			u.begin(s, from, Activation)
		} else if ttl := u.m.o.ActivationTTL; ttl > 0 {
			u.changes = append(u.changes, OperationChange{ID: s.Operation, State: OperationWaiting, Deadline: u.now.Add(ttl)})
		}
		u.mail(s)
		if u.offers[s.ProductID].AsksActivation {
			u.enqueue(s, PartnerJob, 0)
		}
	case Reactivated:
		u.ask(s, from, Reactivation)
	case Changed:
		u.ask(s, from, ProductChange)
	case WaitingSuspension:
		u.ask(s, from, Suspension)
	case WaitingSuspensionDueToOverdue:
		u.ask(s, from, OverdueSuspension)
	case WaitingCancellation:
		u.ask(s, from, Cancellation)
	case Active, Suspended, Overdue, Canceled:
		if !from.resting() {
			u.end(s, OperationConfirmed, "")
		}
		if from == InError && s.Kind == ProductChange { // confirmed late
			s.ProductID = s.Previous
		}
		s.Previous = 0
	case CanceledWithoutActivation:
		u.end(s, OperationSuperseded, c.reason)
	case InError:
		state := OperationFailed
		if c.trigger == TimedOut.String() {
			state = OperationTimedOut
		}
		u.end(s, state, c.reason)
		if s.Kind == ProductChange {
			s.ProductID, s.Previous = s.Previous, s.ProductID
		}
	}
}

// begin starts an operation; one that still runs is superseded.
func (u *unitOfWork) begin(s *Service, from Status, kind OperationKind) {
	if from != NoService && from != InError && !from.resting() {
		u.end(s, OperationSuperseded, "")
	}
	op := Operation{
		ID: u.provider.nextOperation(), Service: s.ID, Kind: kind, State: OperationWaiting,
		ProductID: s.ProductID, Partner: u.offers[s.ProductID].Partner, CreatedAt: u.now,
	}
	switch {
	case kind != Activation:
		op.Attempts, op.Deadline = 1, u.now.Add(u.m.o.ConfirmWithin)
	case u.m.o.ActivationTTL > 0 && s.Status == InProgress:
		op.Deadline = u.now.Add(u.m.o.ActivationTTL)
	}
	s.Operation, s.Kind = op.ID, kind
	u.operations = append(u.operations, op)
}

// ask starts an operation that the partner carries out.
func (u *unitOfWork) ask(s *Service, from Status, kind OperationKind) {
	u.begin(s, from, kind)
	u.enqueue(s, PartnerJob, 1)
}

// end closes the service's operation.
func (u *unitOfWork) end(s *Service, state OperationState, reason string) {
	if n := len(u.operations); n > 0 && s.Operation >= u.operations[0].ID { // begun in this very unit
		op := &u.operations[s.Operation-u.operations[0].ID]
		op.State, op.Reason, op.Deadline = state, reason, time.Time{}
		return
	}
	u.changes = append(u.changes, OperationChange{ID: s.Operation, State: state, Reason: reason})
}

// mail owes the subscriber an activation e-mail; it replaces earlier links.
func (u *unitOfWork) mail(s *Service) {
	s.Link++
	u.enqueue(s, EmailJob, s.Link)
	u.touch(s)
}

// enqueue owes a delivery; link numbers it, see [Job].
func (u *unitOfWork) enqueue(s *Service, kind JobKind, link int) {
	u.madeJobs = true
	u.jobs = append(u.jobs, Job{
		ID: u.provider.nextJob(), Kind: kind, Service: s.ID, Operation: s.Operation, Link: link,
		CreatedAt: u.now, NextAt: u.now,
	})
}
