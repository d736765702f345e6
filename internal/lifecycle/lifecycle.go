// Package lifecycle holds what the client knows about the statuses of a service: which operations
// change nothing, which may be offered, the statuses they and their confirmations lead to, and who
// must act next. It decides this from the status alone, and treats a status of another server as
// unknown. It refuses to know how an operation is requested.
package lifecycle

import (
	"slices"
	"time"

	"ativa/internal/api"
)

// Resend sends the activation e-mail of a service again. It is offered next to the operations of
// the API.
const Resend api.Operation = "resend"

// Who a service waits for.
const (
	WaitsForSubscriber = "subscriber"
	WaitsForPartner    = "partner"
	WaitsForQueue      = "queue"
	WaitsForYou        = "you"
)

// State is a row of the table.
type State struct {
	Meaning   string        // in English
	UnderWay  api.Operation // awaits confirmation; empty for none
	Noun      string        // name of the operation, in English
	Confirmed api.Int       // status after the confirmation
	Asked     api.Int       // status that requests this state in a file, 0 for none
	WaitsFor  string        // who must act next; empty if nobody or unknown

	done      operations // have no effect; the first repeats the operation in progress
	offered   operations // in display order
	suggested operations // sensible next commands; a cancellation only after a failure or non-payment
	next      next
}

// Of returns the row of a status.
func Of(status api.Int) State {
	s, _ := stateOf(status)
	return s
}

type operations = []api.Operation

// next is the statuses to which the operations lead; what it lacks is not predicted.
type next = map[api.Operation]api.Int

const (
	activate, suspend, deactivate   = api.Activate, api.Suspend, api.Deactivate
	overdue, settle, change, resend = api.Overdue, api.Settle, api.Change, Resend
)

// stateOf returns the row of a status. known is false for statuses of other servers.
func stateOf(status api.Int) (s State, known bool) {
	const canceling = api.StatusWaitingCancellation
	switch status {
	case 0: // no service
		return State{offered: operations{activate}, next: next{activate: api.StatusInProgress}}, true
	case api.StatusInProgress:
		return State{Meaning: "waits for the subscriber to follow the link in the activation e-mail",
			done: operations{activate, settle}, offered: operations{resend, deactivate}, suggested: operations{resend},
			next: next{deactivate: canceling}, UnderWay: activate, Noun: "activation", Confirmed: api.StatusActive, WaitsFor: WaitsForSubscriber}, true
	case api.StatusActive:
		return State{Meaning: "the service is enabled",
			done: operations{activate, settle}, offered: operations{suspend, overdue, change, resend, deactivate}, suggested: operations{suspend, change},
			next:  next{suspend: api.StatusWaitingSuspension, overdue: api.StatusWaitingSuspensionDueToOverdue, change: api.StatusChanged, deactivate: canceling},
			Asked: api.StatusActive}, true
	case api.StatusSuspend:
		return State{Meaning: "suspended for a time",
			done: operations{suspend, settle}, offered: operations{activate, overdue, deactivate}, suggested: operations{activate},
			next: next{activate: api.StatusReactivated, overdue: api.StatusOverdue, deactivate: canceling}, Asked: api.StatusSuspend}, true
	case api.StatusOverdue:
		return State{Meaning: "suspended for lack of payment",
			done: operations{overdue}, offered: operations{settle, deactivate}, suggested: operations{settle, deactivate},
			next: next{deactivate: canceling}, Asked: api.StatusOverdue}, true
	case api.StatusLimitReached:
		return State{Meaning: "the provider has reached its limit of active services",
			done: operations{activate, settle}, offered: operations{deactivate},
			next: next{deactivate: api.StatusCanceledWithoutActivation}, WaitsFor: WaitsForQueue}, true
	case api.StatusError: // see retriesOf
		return State{Meaning: "the last operation failed",
			done: operations{settle}, next: next{deactivate: canceling}, WaitsFor: WaitsForYou}, true
	case api.StatusReactivated:
		return State{Meaning: "waits for the partner to confirm the reactivation",
			done: operations{activate, settle}, offered: operations{overdue, deactivate},
			next: next{deactivate: canceling}, UnderWay: activate, Noun: "reactivation", Confirmed: api.StatusActive, Asked: api.StatusActive, WaitsFor: WaitsForPartner}, true
	case api.StatusChanged:
		return State{Meaning: "waits for the partner to confirm the change of product",
			done: operations{activate, settle}, offered: operations{overdue, deactivate},
			next: next{deactivate: canceling}, UnderWay: change, Noun: "change of product", Confirmed: api.StatusActive, Asked: api.StatusActive, WaitsFor: WaitsForPartner}, true
	case api.StatusWaitingSuspension:
		return State{Meaning: "waits for the partner to confirm the suspension",
			done: operations{suspend}, offered: operations{overdue, deactivate},
			next: next{deactivate: canceling}, UnderWay: suspend, Noun: "suspension", Confirmed: api.StatusSuspend, Asked: api.StatusSuspend, WaitsFor: WaitsForPartner}, true
	case api.StatusWaitingSuspensionDueToOverdue:
		return State{Meaning: "waits for the partner to confirm the suspension for lack of payment",
			done: operations{overdue}, offered: operations{settle, deactivate},
			next: next{deactivate: canceling}, UnderWay: overdue, Noun: "suspension for lack of payment", Confirmed: api.StatusOverdue, Asked: api.StatusOverdue, WaitsFor: WaitsForPartner}, true
	case canceling:
		return State{Meaning: "waits for the partner to confirm the cancellation",
			done: operations{deactivate, settle}, UnderWay: deactivate, Noun: "cancellation", Confirmed: api.StatusCanceled, WaitsFor: WaitsForPartner}, true
	case api.StatusCanceled, api.StatusCanceledWithoutActivation:
		s = State{Meaning: "cancelled for good",
			done: operations{deactivate}, offered: operations{activate}, suggested: operations{activate}, next: next{activate: api.StatusInProgress}}
		if status == api.StatusCanceledWithoutActivation {
			s.Meaning = "cancelled in the queue, before it was enabled"
		}
		return s, true
	}
	// Only the server knows the effect in its own statuses.
	return State{offered: operations{activate, suspend, overdue, settle, change, resend, deactivate}, next: next{deactivate: canceling}}, false
}

// retriesOf returns the operations offered and suggested for a service in error, by the status in
// which the operation failed. An unknown status may mean an activation.
func retriesOf(failed api.Int) (offered, suggested operations) {
	switch failed {
	case api.StatusInProgress:
		return operations{activate, resend, deactivate}, operations{resend, activate, deactivate}
	case api.StatusReactivated:
		return operations{activate, deactivate}, operations{activate, deactivate}
	case api.StatusChanged:
		return operations{activate, suspend, change, deactivate}, operations{activate, deactivate}
	case api.StatusWaitingSuspension:
		return operations{activate, suspend, deactivate}, operations{suspend, activate, deactivate}
	case api.StatusWaitingSuspensionDueToOverdue:
		return operations{activate, suspend, deactivate}, operations{activate, deactivate}
	case api.StatusWaitingCancellation:
		return operations{deactivate}, operations{deactivate}
	}
	return operations{activate, resend, deactivate}, operations{activate, deactivate}
}

// Meaning explains a status of api.md in English; others have none.
func Meaning(status string) string {
	return Of(api.StatusID(status)).Meaning
}

// Ended reports whether a service with the status is over for good.
func Ended(status api.Int) bool {
	return status == api.StatusCanceled || status == api.StatusCanceledWithoutActivation
}

// NeedsActivation reports whether an import with activation activates a service with the
// status again.
func NeedsActivation(status api.Int) bool { return Ended(status) || status == api.StatusError }

// Done reports whether the operation leaves a service with that status unchanged.
func Done(status api.Int, op api.Operation) bool {
	return slices.Contains(Of(status).done, op)
}

// Reached reports whether a service with that status no longer needs the operation. Another server
// may begin an activation in a status of its own.
func Reached(status api.Int, op api.Operation) bool {
	s, known := stateOf(status)
	return slices.Contains(s.done, op) || !known && op == api.Activate
}

// Toward returns the operation that brings a service to the wanted status, or "" if it has or
// approaches that status. possible is false if no operation leads there now.
func Toward(status, asked api.Int) (op api.Operation, possible bool) {
	candidates := operations{activate, settle}
	switch asked {
	case api.StatusSuspend:
		candidates = operations{suspend}
	case api.StatusOverdue:
		candidates = operations{overdue}
	}
	if Reached(status, candidates[0]) {
		return "", true
	}
	if _, known := stateOf(status); !known {
		return "", false
	}
	for _, op := range candidates {
		if slices.Contains(Offered(status, 0), op) {
			return op, true
		}
	}
	return "", false
}

// Offered returns the possible operations in the status, in display order. failed is the
// status in which the last operation failed, 0 if that is unknown or none failed.
func Offered(status, failed api.Int) []api.Operation {
	if status == api.StatusError {
		offered, _ := retriesOf(failed)
		return offered
	}
	return Of(status).offered
}

// Suggested returns the operations that make sense next, except those that end or restrict a
// healthy service. failed is as for [Offered].
func Suggested(status, failed api.Int) []api.Operation {
	if status == api.StatusError {
		_, suggested := retriesOf(failed)
		return suggested
	}
	return Of(status).suggested
}

// Repeats returns the operation that changes nothing while the partner's confirmation is pending,
// or "" if the partner has nothing to confirm.
func Repeats(status api.Int) api.Operation {
	if s := Of(status); s.WaitsFor == WaitsForPartner {
		return s.done[0]
	}
	return ""
}

// Next returns the status after the operation, or 0 if not predicted.
func Next(status api.Int, op api.Operation) api.Int {
	return Of(status).next[op]
}

// EndOf returns the operation that reverses an activation or a settlement.
func EndOf(op api.Operation) api.Operation {
	if op == settle {
		return overdue
	}
	return deactivate
}

// Mailed reports whether a resend for the whole subscriber mails a service with that status.
func Mailed(status api.Int) bool {
	s, known := stateOf(status)
	return known && slices.Contains(s.offered, resend)
}

// AwaitsClick reports whether the subscriber must complete the activation (api.md, What the
// service does). A service in an unknown status must if it has had it since its first
// minute.
func AwaitsClick(s api.Service) bool {
	_, known := stateOf(s.StatusID)
	first := !s.TokenCreatedAt.IsZero() && !s.StatusUpdatedAt.IsZero() && !s.StatusUpdatedAt.After(s.TokenCreatedAt.Add(time.Minute))
	return Of(s.StatusID).WaitsFor == WaitsForSubscriber || !known && first
}

// Rests reports whether a service stays in its status until another operation. An error and a
// cancellation in the queue are intermediate in api.md, but never change by themselves.
func Rests(status api.Int) bool {
	s, known := stateOf(status)
	return known && status != 0 && (s.WaitsFor == "" || s.WaitsFor == WaitsForYou)
}
