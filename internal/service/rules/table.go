package rules

import "ativa/internal/service/domain"

// row holds the choices of each trigger for a service in one status.
type row [domain.SlotAvailable + 1][]Choice

// usual holds the choices of the triggers that do the same in most statuses. They apply where the
// row of a status in transitions does not name the trigger.
var usual = row{
	domain.ActivateOther: {{Does: StartsNew}},
	domain.Resend:        {{Does: Skips}},
	domain.LinkCompleted: {{Refuse: domain.LinkInvalid}},
	domain.Confirmed:     {{Does: IsStale}},
	domain.Failed:        {{Does: IsStale}},
}

// transitions and usual are the whole life of a service (decisions.md 9 and its states.csv).
// A trigger in neither cannot happen. The literals are static data and cost nothing at start-up.
var transitions = [domain.WaitingSuspensionDueToOverdue + 1]row{
	domain.NoService: {
		domain.ActivateSame:   {{When: ifSlotFree, To: domain.InProgress}, {To: domain.LimitReached}},
		domain.ActivateFamily: {{When: ifSlotFree, To: domain.InProgress}, {To: domain.LimitReached}},
		domain.ActivateOther:  {{When: ifSlotFree, To: domain.InProgress}, {To: domain.LimitReached}},
		domain.Suspend:        {{Refuse: domain.ServiceNotFound}},
		domain.Deactivate:     {{Refuse: domain.ServiceNotFound}},
		domain.Change:         {{Refuse: domain.ServiceNotFound}},
		domain.Resend:         {{Refuse: domain.NothingToResend}},
		domain.LinkCompleted:  {{Refuse: domain.LinkInvalid}},
		domain.Confirmed:      {{Does: IsUnmatched}},
		domain.Failed:         {{Does: IsUnmatched}},
		domain.GoOverdue:      {{Refuse: domain.ServiceNotFound}},
		domain.Settle:         {{Refuse: domain.ServiceNotFound}},
	},
	domain.InProgress: {
		domain.ActivateSame:   {{Does: Stays}},
		domain.ActivateFamily: {{Refuse: domain.OperationInProgress}},
		domain.Suspend:        {{Refuse: domain.ServiceNotActive}},
		domain.Deactivate:     {{To: domain.WaitingCancellation}},
		domain.Change:         {{Refuse: domain.ServiceNotActive}},
		domain.Resend:         {{Does: Stays}}, // new link, mail, callback
		domain.LinkCompleted:  {{To: domain.Active}},
		domain.Confirmed:      {{To: domain.Active}},
		domain.Failed:         {{To: domain.InError}},
		domain.TimedOut:       {{When: ifExpires, To: domain.InError}, {Does: Stays}},
		domain.GoOverdue:      {{Refuse: domain.ServiceNotActive}},
		domain.Settle:         {{Does: Stays}},
	},
	domain.Active: {
		domain.ActivateSame:   {{Does: Stays}},
		domain.ActivateFamily: {{When: ifReplaceable, To: domain.Changed}, {Refuse: domain.NotReplaceable}},
		domain.Suspend:        {{To: domain.WaitingSuspension}},
		domain.Deactivate:     {{To: domain.WaitingCancellation}},
		domain.Change:         {{When: ifReplaceable, To: domain.Changed}, {Refuse: domain.NotReplaceable}},
		domain.Resend:         {{Does: Stays}}, // new access link, mail, callback
		domain.LinkCompleted:  {{Does: Stays}},
		domain.GoOverdue:      {{To: domain.WaitingSuspensionDueToOverdue}},
		domain.Settle:         {{Does: Stays}},
	},
	domain.Suspended: {
		domain.ActivateSame:   {{To: domain.Reactivated}},
		domain.ActivateFamily: {{Refuse: domain.ServiceSuspended}},
		domain.Suspend:        {{Does: Stays}},
		domain.Deactivate:     {{To: domain.WaitingCancellation}},
		domain.Change:         {{Refuse: domain.ServiceNotActive}},
		domain.GoOverdue:      {{To: domain.Overdue}},
		domain.Settle:         {{Does: Stays}},
	},
	domain.Overdue: {
		domain.ActivateSame:   {{Refuse: domain.ServiceOverdue}},
		domain.ActivateFamily: {{Refuse: domain.ServiceOverdue}},
		domain.Suspend:        {{Refuse: domain.ServiceOverdue}},
		domain.Deactivate:     {{To: domain.WaitingCancellation}},
		domain.Change:         {{Refuse: domain.ServiceOverdue}},
		domain.GoOverdue:      {{Does: Stays}},
		domain.Settle:         {{When: ifWasActive, To: domain.Suspended, Then: domain.Reactivated}, {To: domain.Suspended}},
	},
	domain.LimitReached: {
		domain.ActivateSame:   {{Does: Stays}}, // keeps its place
		domain.ActivateFamily: {{Refuse: domain.OperationInProgress}},
		domain.Suspend:        {{Refuse: domain.ServiceNotActive}},
		domain.Deactivate:     {{To: domain.CanceledWithoutActivation}},
		domain.Change:         {{Refuse: domain.ServiceNotActive}},
		domain.GoOverdue:      {{Refuse: domain.ServiceNotActive}},
		domain.Settle:         {{Does: Stays}},
		domain.SlotAvailable:  {{To: domain.InProgress}},
	},
	domain.InError: {
		domain.ActivateSame: {
			{When: ifActivationFailedAndSlotFree, To: domain.InProgress}, {When: ifActivationFailed, To: domain.LimitReached},
			{When: ifCancellationFailed, Refuse: domain.CancellationUnresolved}, {To: domain.Reactivated},
		},
		domain.ActivateFamily: {{When: ifChangeToItFailed, To: domain.Changed}, {Refuse: domain.ServiceInError}},
		domain.Suspend:        {{When: ifWasActive, To: domain.WaitingSuspension}, {Refuse: domain.ServiceNotActive}},
		domain.Deactivate:     {{To: domain.WaitingCancellation}},
		domain.Change:         {{When: ifChangeFailedAndReplaceable, To: domain.Changed}, {Refuse: domain.ServiceInError}},
		domain.Resend: {
			{When: ifActivationFailedAndSlotFree, To: domain.InProgress}, {When: ifActivationFailed, To: domain.LimitReached},
			{Does: Skips},
		},
		domain.Confirmed: { // late confirmation of the failed operation
			{When: ifSuspensionFailed, To: domain.Suspended}, {When: ifOverdueSuspensionFailed, To: domain.Overdue},
			{When: ifCancellationFailed, To: domain.Canceled}, {To: domain.Active},
		},
		domain.Failed:    {{Does: Stays}},
		domain.GoOverdue: {{Refuse: domain.ServiceInError}},
		domain.Settle:    {{Does: Stays}},
	},
	domain.Reactivated: {
		domain.ActivateSame:   {{Does: Stays}},
		domain.ActivateFamily: {{Refuse: domain.OperationInProgress}},
		domain.Suspend:        {{Refuse: domain.OperationInProgress}},
		domain.Deactivate:     {{To: domain.WaitingCancellation}},
		domain.Change:         {{Refuse: domain.OperationInProgress}},
		domain.Confirmed:      {{To: domain.Active}},
		domain.Failed:         {{To: domain.InError}},
		domain.TimedOut:       {{To: domain.InError}},
		domain.GoOverdue:      {{Does: Defers}},
		domain.Settle:         {{Does: Stays}},
	},
	domain.Changed: {
		domain.ActivateSame:   {{Does: Stays}},
		domain.ActivateFamily: {{Refuse: domain.OperationInProgress}},
		domain.Suspend:        {{Refuse: domain.OperationInProgress}},
		domain.Deactivate:     {{To: domain.WaitingCancellation}},
		domain.Change:         {{When: ifSameTarget, Does: Stays}, {Refuse: domain.OperationInProgress}},
		domain.Confirmed:      {{To: domain.Active}},
		domain.Failed:         {{To: domain.InError}},
		domain.TimedOut:       {{To: domain.InError}},
		domain.GoOverdue:      {{Does: Defers}},
		domain.Settle:         {{Does: Stays}},
	},
	domain.WaitingSuspension: {
		domain.ActivateSame:   {{Refuse: domain.OperationInProgress}},
		domain.ActivateFamily: {{Refuse: domain.OperationInProgress}},
		domain.Suspend:        {{Does: Stays}},
		domain.Deactivate:     {{To: domain.WaitingCancellation}},
		domain.Change:         {{Refuse: domain.OperationInProgress}},
		domain.Confirmed:      {{To: domain.Suspended}},
		domain.Failed:         {{To: domain.InError}},
		domain.TimedOut:       {{To: domain.InError}},
		domain.GoOverdue:      {{Does: Defers}},
		domain.Settle:         {{Does: Stays}}, // clears a deferred overdue
	},
	domain.WaitingSuspensionDueToOverdue: {
		domain.ActivateSame:   {{Refuse: domain.ServiceOverdue}},
		domain.ActivateFamily: {{Refuse: domain.ServiceOverdue}},
		domain.Suspend:        {{Refuse: domain.OperationInProgress}},
		domain.Deactivate:     {{To: domain.WaitingCancellation}},
		domain.Change:         {{Refuse: domain.ServiceOverdue}},
		domain.Confirmed:      {{To: domain.Overdue}},
		domain.Failed:         {{To: domain.InError}},
		domain.TimedOut:       {{To: domain.InError}},
		domain.GoOverdue:      {{Does: Stays}},
		domain.Settle:         {{Does: Defers}}, // on confirmation: overdue, suspend, reactivated
	},
	domain.WaitingCancellation: {
		domain.ActivateSame:   {{Refuse: domain.OperationInProgress}},
		domain.ActivateFamily: {{Refuse: domain.OperationInProgress}},
		domain.Suspend:        {{Refuse: domain.OperationInProgress}},
		domain.Deactivate:     {{Does: Stays}},
		domain.Change:         {{Refuse: domain.OperationInProgress}},
		domain.Confirmed:      {{To: domain.Canceled}},
		domain.Failed:         {{To: domain.InError}},
		domain.TimedOut:       {{To: domain.InError}},
		domain.GoOverdue:      {{Refuse: domain.OperationInProgress}},
		domain.Settle:         {{Does: Stays}},
	},
	domain.Canceled: { // also for canceledWithoutActivation, see Choices
		domain.ActivateSame:   {{Does: StartsNew}},
		domain.ActivateFamily: {{Does: StartsNew}},
		domain.Suspend:        {{Refuse: domain.ServiceCanceled}},
		domain.Deactivate:     {{Does: Stays}},
		domain.Change:         {{Refuse: domain.ServiceCanceled}},
		domain.GoOverdue:      {{Refuse: domain.ServiceCanceled}},
		domain.Settle:         {{Refuse: domain.ServiceCanceled}},
	},
}
