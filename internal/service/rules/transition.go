package rules

// Trigger is something that may change a service: a column of the state table.
type Trigger int

// The columns of the state table. ActivateSame, ActivateFamily and
// ActivateOther are one request, for a subscriber with a live service of the same
// product, of the same family, or of neither.
const (
	ActivateSame Trigger = iota + 1
	ActivateFamily
	ActivateOther
	Suspend
	Deactivate
	Change
	Resend
	LinkCompleted
	Confirmed
	Failed
	TimedOut
	GoOverdue
	Settle
	SlotAvailable
)

var triggerNames = [...]string{
	"", "activate_same", "activate_family", "activate_other", "suspend", "deactivate", "change", "resend",
	"link_completed", "confirmed", "failed", "timeout", "overdue", "settle", "slot_available",
}

// String returns the trigger as events and the state table name it.
func (t Trigger) String() string { return nameOf(triggerNames[:], t) }

// Facts are the inputs of a transition besides status and trigger.
type Facts struct {
	SlotFree    bool          // the provider is below its limit and no activation is queued
	Operation   OperationKind // the running operation, or in status error the failed one
	LastStable  Status        // the last stable status before the current one
	Replaceable bool          // the products allow the change (decisions.md 8, Family)
	SameTarget  bool          // the requested product is the one of the running or failed change
	Expires     bool          // activations expire (the activation TTL is set)
}

// Verdict is what a trigger does to a service.
type Verdict int

// The verdicts.
const (
	Impossible  Verdict = iota // the pair cannot happen; reaching it is a bug
	Moves                      // changes the status to those in Outcome.To, in order, in one transaction
	Stays                      // succeeds without a change of status
	Refuses                    // refuses with Outcome.Code
	StartsNew                  // leaves this token as it is and starts a new one, as from NoService
	Defers                     // records the trigger and applies it when the running operation ends
	IsStale                    // ignores a confirmation that concerns no running or failed operation
	IsUnmatched                // keeps a confirmation of an unknown service for the operator
	Skips                      // leaves the service out of a resend
)

// Outcome is the decision of the state table.
type Outcome struct {
	Verdict Verdict
	To      []Status
	Code    Code
}

// Decide looks up what trigger does to a service in status under facts
// (decisions.md 9). For a pair that is absent from the table, it returns
// Impossible.
func Decide(status Status, trigger Trigger, facts Facts) Outcome {
	for _, c := range Choices(status, trigger) {
		if conditions[c.When](facts) {
			return c.outcome()
		}
	}
	return Outcome{}
}

// Choices returns the choices of a cell of the state table, in the order in
// which their conditions are tested, or none for a pair that cannot happen. The
// caller must not change them.
func Choices(status Status, trigger Trigger) []Choice {
	if status == CanceledWithoutActivation { // final, like Canceled
		status = Canceled
	}
	if status < 0 || int(status) >= len(transitions) || trigger < 1 || int(trigger) >= len(transitions[status]) {
		return nil
	}
	return transitions[status][trigger]
}

// Choice is one possible outcome of a cell. The first whose condition holds applies.
type Choice struct {
	When     Condition
	To, Then Status  // one status, or two in one transaction
	Refuse   Code    // or a refusal
	Does     Verdict // or another verdict
}

func (c Choice) outcome() Outcome {
	switch {
	case c.Refuse != "":
		return Outcome{Verdict: Refuses, Code: c.Refuse}
	case c.Then != 0:
		return Outcome{Verdict: Moves, To: []Status{c.To, c.Then}}
	case c.To != 0:
		return Outcome{Verdict: Moves, To: []Status{c.To}}
	}
	return Outcome{Verdict: c.Does}
}

// Condition is what a choice of the table depends on.
type Condition int

// The conditions of the state table and its notes.
const (
	Always Condition = iota
	IfSlotFree
	IfReplaceable
	IfSameTarget
	IfWasActive
	IfExpires
	IfActivationFailedAndSlotFree
	IfActivationFailed
	IfCancellationFailed
	IfChangeFailedAndReplaceable
	IfChangeToItFailed
	IfSuspensionFailed
	IfOverdueSuspensionFailed
)

// conditions say when each condition holds.
var conditions = [...]func(Facts) bool{
	Always:                        func(Facts) bool { return true },
	IfSlotFree:                    func(f Facts) bool { return f.SlotFree },
	IfReplaceable:                 func(f Facts) bool { return f.Replaceable },
	IfSameTarget:                  func(f Facts) bool { return f.SameTarget },
	IfWasActive:                   func(f Facts) bool { return f.LastStable == Active },
	IfExpires:                     func(f Facts) bool { return f.Expires },
	IfActivationFailedAndSlotFree: func(f Facts) bool { return f.Operation == Activation && f.SlotFree },
	IfActivationFailed:            func(f Facts) bool { return f.Operation == Activation },
	IfCancellationFailed:          func(f Facts) bool { return f.Operation == Cancellation },
	IfChangeFailedAndReplaceable:  func(f Facts) bool { return f.Operation == ProductChange && f.Replaceable },
	IfChangeToItFailed:            func(f Facts) bool { return f.Operation == ProductChange && f.SameTarget && f.Replaceable },
	IfSuspensionFailed:            func(f Facts) bool { return f.Operation == Suspension },
	IfOverdueSuspensionFailed:     func(f Facts) bool { return f.Operation == OverdueSuspension },
}
