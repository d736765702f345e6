// Package lifecycle holds what the client knows of the statuses of a service: the
// operations that one needs no more, where an operation takes it, what a
// confirmation makes of it and who must act next. A server with statuses of its own
// gets the answers of a status about which nothing is known.
package lifecycle

import (
	"slices"

	"ativa/internal/api"
)

// Who a service waits for.
const (
	WaitsForSubscriber = "subscriber"
	WaitsForPartner    = "partner"
	WaitsForQueue      = "queue"
	WaitsForYou        = "you"
)

// state is a row of the table.
type state struct {
	done       []api.Operation // leave the service as it is
	activated  api.Int         // status after an activation, 0 where not predicted
	suspended  api.Int         // status after a suspension, 0 where not predicted
	deactivate api.Int         // status after a cancellation
	confirmed  api.Int         // status once the partner confirms the operation under way
	asked      api.Int         // status that a file asks for to have the service so, 0 where none can
	waitsFor   string
}

// stateOf returns the row of a status. known is false for statuses of a server's own.
func stateOf(status api.Int) (s state, known bool) {
	const canceling = api.StatusWaitingCancellation
	activate, settled := []api.Operation{api.Activate}, []api.Operation{api.Activate, api.Settle}
	switch status {
	case 0: // no service
		return state{activated: api.StatusInProgress, deactivate: canceling}, true
	case api.StatusInProgress:
		return state{done: activate, deactivate: canceling, waitsFor: WaitsForSubscriber}, true
	case api.StatusActive:
		return state{done: settled, suspended: api.StatusWaitingSuspension, deactivate: canceling, asked: api.StatusActive}, true
	case api.StatusSuspend:
		return state{done: []api.Operation{api.Suspend}, activated: api.StatusReactivated, deactivate: canceling, asked: api.StatusSuspend}, true
	case api.StatusOverdue:
		return state{done: []api.Operation{api.Overdue}, deactivate: canceling, asked: api.StatusOverdue}, true
	case api.StatusLimitReached:
		return state{done: activate, deactivate: api.StatusCanceledWithoutActivation, waitsFor: WaitsForQueue}, true
	case api.StatusError:
		return state{deactivate: canceling, waitsFor: WaitsForYou}, true
	case api.StatusReactivated:
		return state{done: settled, deactivate: canceling, confirmed: api.StatusActive, asked: api.StatusActive, waitsFor: WaitsForPartner}, true
	case api.StatusChanged:
		return state{done: activate, deactivate: canceling, confirmed: api.StatusActive, asked: api.StatusActive, waitsFor: WaitsForPartner}, true
	case api.StatusWaitingSuspension:
		return state{done: []api.Operation{api.Suspend}, deactivate: canceling, confirmed: api.StatusSuspend, asked: api.StatusSuspend, waitsFor: WaitsForPartner}, true
	case api.StatusWaitingSuspensionDueToOverdue:
		return state{done: []api.Operation{api.Overdue}, deactivate: canceling, confirmed: api.StatusOverdue, asked: api.StatusOverdue, waitsFor: WaitsForPartner}, true
	case canceling:
		return state{done: []api.Operation{api.Deactivate}, deactivate: canceling, confirmed: api.StatusCanceled, waitsFor: WaitsForPartner}, true
	case api.StatusCanceled, api.StatusCanceledWithoutActivation:
		return state{done: []api.Operation{api.Deactivate}, activated: api.StatusInProgress, deactivate: canceling}, true
	}
	return state{deactivate: canceling}, false
}

// Done reports whether the operation leaves a service with that status unchanged.
func Done(status api.Int, op api.Operation) bool {
	s, _ := stateOf(status)
	return slices.Contains(s.done, op)
}

// Reached reports whether a service with that status needs the operation no more.
// Another server may begin an activation in a status of its own.
func Reached(status api.Int, op api.Operation) bool {
	s, known := stateOf(status)
	return slices.Contains(s.done, op) || !known && op == api.Activate
}

// Next returns the status to which the operation takes a service, or 0 where that is
// not predicted.
func Next(status api.Int, op api.Operation) api.Int {
	s, _ := stateOf(status)
	switch op {
	case api.Activate:
		return s.activated
	case api.Suspend:
		return s.suspended
	case api.Deactivate:
		return s.deactivate
	}
	return 0
}

// Confirmed returns the status of the service once the partner confirms the operation
// under way, or 0 where none is.
func Confirmed(status api.Int) api.Int {
	s, _ := stateOf(status)
	return s.confirmed
}

// Asked returns the status that a file asks for to have a service as it is, or 0 where
// no file can.
func Asked(status api.Int) api.Int {
	s, _ := stateOf(status)
	return s.asked
}

// WaitsFor returns who must act before a service in that status moves on; empty when
// it rests, and when nothing is known of the status.
func WaitsFor(status api.Int) string {
	s, _ := stateOf(status)
	return s.waitsFor
}
