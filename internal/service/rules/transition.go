package rules

import "ativa/internal/service/domain"

// Facts are the inputs of a transition besides status and trigger.
type Facts struct {
	SlotFree    bool                 // the provider is below its limit and no activation is queued
	Operation   domain.OperationKind // the running operation, or in status error the failed one
	LastStable  domain.Status        // the last stable status before the current one
	Replaceable bool                 // the products allow the change (decisions.md 8, Family)
	SameTarget  bool                 // the requested product is the one of the running or failed change
	Expires     bool                 // activations expire (the activation TTL is set)
}

// Verdict is what a trigger does to a service.
type Verdict int

// The verdicts.
const (
	Impossible  Verdict = iota // the pair cannot happen; reaching it is a bug
	Moves                      // changes the status to Choice.To and then to Choice.Then, in one transaction
	Stays                      // succeeds without a change of status
	Refuses                    // refuses with Choice.Refuse
	StartsNew                  // leaves this service as it is and starts a new one, as from NoService
	Defers                     // records the trigger and applies it when the running operation ends
	IsStale                    // ignores a confirmation that concerns no running or failed operation
	IsUnmatched                // keeps a confirmation of an unknown service for the operator
	Skips                      // leaves the service out of a resend
)

// Decide looks up what trigger does to a service in status under facts
// (decisions.md 9). The verdict of a pair that is absent from the table is
// Impossible.
func Decide(status domain.Status, trigger domain.Trigger, facts Facts) Choice {
	for _, c := range Choices(status, trigger) {
		if c.When == nil || c.When.holds(facts) {
			return c
		}
	}
	return Choice{}
}

// Choices returns the choices of a cell of the state table, in the order in
// which their conditions are tested, or none for a pair that cannot happen. The
// caller must not change them.
func Choices(status domain.Status, trigger domain.Trigger) []Choice {
	if status == domain.CanceledWithoutActivation { // final, like Canceled
		status = domain.Canceled
	}
	if status != domain.NoService && !status.Known() || trigger < domain.ActivateSame || trigger > domain.SlotAvailable {
		return nil
	}
	if choices := transitions[status][trigger]; choices != nil {
		return choices
	}
	return usual[trigger]
}

// Choice is one possible outcome of a cell. The first whose condition holds applies.
type Choice struct {
	When     *Condition    // nil: always
	To, Then domain.Status // one status, or two in one transaction
	Refuse   domain.Code   // or a refusal
	Does     Verdict       // or another verdict
}

// Verdict returns what the choice does.
func (c Choice) Verdict() Verdict {
	switch {
	case c.Refuse != "":
		return Refuses
	case c.To != 0:
		return Moves
	}
	return c.Does
}

// Condition is what a choice of the table depends on.
type Condition struct {
	Words string // as docs/states.md writes it
	holds func(Facts) bool
}

// The conditions of the state table and its notes.
var (
	ifSlotFree                    = &Condition{"below the limit and nobody queued", func(f Facts) bool { return f.SlotFree }}
	ifReplaceable                 = &Condition{"the products are replaceable", func(f Facts) bool { return f.Replaceable }}
	ifSameTarget                  = &Condition{"same target product", func(f Facts) bool { return f.SameTarget }}
	ifWasActive                   = &Condition{"it was active", func(f Facts) bool { return f.LastStable == domain.Active }}
	ifExpires                     = &Condition{"activations expire", func(f Facts) bool { return f.Expires }}
	ifActivationFailedAndSlotFree = &Condition{"the activation failed and a slot is free", func(f Facts) bool { return f.Operation == domain.Activation && f.SlotFree }}
	ifActivationFailed            = &Condition{"the activation failed", func(f Facts) bool { return f.Operation == domain.Activation }}
	ifCancellationFailed          = &Condition{"the cancellation failed", func(f Facts) bool { return f.Operation == domain.Cancellation }}
	ifChangeFailedAndReplaceable  = &Condition{"the change failed and the products are replaceable", func(f Facts) bool { return f.Operation == domain.ProductChange && f.Replaceable }}
	ifChangeToItFailed            = &Condition{"the change to this product failed and the products are replaceable", func(f Facts) bool { return f.Operation == domain.ProductChange && f.SameTarget && f.Replaceable }}
	ifSuspensionFailed            = &Condition{"the suspension failed", func(f Facts) bool { return f.Operation == domain.Suspension }}
	ifOverdueSuspensionFailed     = &Condition{"the suspension for lack of payment failed", func(f Facts) bool { return f.Operation == domain.OverdueSuspension }}
)
