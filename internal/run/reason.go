package run

import (
	"cmp"
	"sync"

	"ativa/internal/api"
	"ativa/internal/lang"
)

// Codes of reasons of the plan itself.
const (
	reasonFileLacksSubscriber = "file_lacks_subscriber"
	reasonFileLacksProduct    = "file_lacks_product"
	reasonFileSaysCanceled    = "file_says_canceled"
	reasonStatusNotReachable  = "status_not_reachable"
	reasonServiceMissing      = "service_missing"
	reasonServerLacksOverdue  = "server_lacks_overdue"
	reasonReplacementRefused  = "replacement_refused"
	reasonCancellationRefused = "cancellation_refused"
	reasonWaitsForPartner     = "waits_for_partner"

	// Why a line of a report is not undone.
	reasonRegistrationNotUndone = "registration_not_undone"
	reasonUpdateNotUndone       = "update_not_undone"
	reasonActivationNotUndone   = "first_activation_not_undone"
	reasonCancellationNotUndone = "cancellation_not_undone"
	reasonNoAnswer              = "no_answer_in_run"
	reasonServiceGone           = "service_gone"
	reasonChangedSinceRun       = "changed_since_run"
	reasonDeletionNotUndone     = "deletion_not_undone"
	reasonRegisteredSinceRun    = "registered_since_run"
	reasonHasOtherService       = "has_other_service"
	reasonFieldsChangedSinceRun = "fields_changed_since_run"
	reasonScheduledEndStays     = "scheduled_end_stays"
	reasonUnschedulingNotUndone = "unscheduling_not_undone"
)

// heldReason returns the reason for holding an action that awaits a refused one.
func (a *Action) heldReason() string {
	switch a.step() {
	case ActionDelete:
		return reasonCancellationRefused
	case ActionUnschedule:
		return reasonScheduledEndStays
	}
	return reasonReplacementRefused
}

// because gives the action a reason of the plan.
func (a *Action) because(code string) {
	a.ReasonCode = code
	a.Reason = a.ReasonMessage().String()
}

// hold fails an action without sending it.
func (a *Action) hold(reason string) {
	a.held, a.Result = true, api.ResultFailed
	a.because(reason)
}

// refuseBecause turns the action into one that the plan does not send.
func (a *Action) refuseBecause(code string) {
	a.refuse("", "")
	a.because(code)
}

// fixedReasons returns the messages of reasons that are the same for every action.
var fixedReasons = sync.OnceValue(func() map[string]lang.Message {
	return map[string]lang.Message{
		reasonServerLacksOverdue:    lang.Msg("this server has no suspension for lack of payment"),
		reasonReplacementRefused:    lang.Msg("the product in its place was refused"),
		reasonCancellationRefused:   lang.Msg("the cancellation of a service was refused"),
		reasonWaitsForPartner:       lang.Msg("a service waits for the partner to confirm its cancellation"),
		reasonRegistrationNotUndone: lang.Msg("a registration is not undone"),
		reasonUpdateNotUndone:       lang.Msg("changed fields are not undone"),
		reasonActivationNotUndone:   lang.Msg("a first activation is not undone"),
		reasonCancellationNotUndone: lang.Msg("a cancellation is not undone"),
		reasonNoAnswer:              lang.Msg("no answer came in the run"),
		reasonServiceGone:           lang.Msg("the service does not exist any more"),
		reasonChangedSinceRun:       lang.Msg("it has changed since the run"),
		reasonDeletionNotUndone:     lang.Msg("a deletion is not undone"),
		reasonRegisteredSinceRun:    lang.Msg("it was registered again since the run"),
		reasonHasOtherService:       lang.Msg("it has a service that the run did not create"),
		reasonFieldsChangedSinceRun: lang.Msg("its fields were changed since the run"),
		reasonUnschedulingNotUndone: lang.Msg("what was scheduled and then cancelled is not scheduled again"),
	}
})

// ReasonMessage returns why an action is not carried out: the reason of the plan, or the refusal
// of the server. It is empty for other actions.
func (a *Action) ReasonMessage() lang.Message {
	switch a.ReasonCode {
	case reasonFileLacksSubscriber:
		return a.unwanted(lang.Msg("the file lacks the subscriber"))
	case reasonFileLacksProduct:
		return a.unwanted(lang.Msg("the file lacks the product"))
	case reasonFileSaysCanceled:
		return a.unwanted(lang.Msg("the file says %s", lang.StatusName(statusCanceled)))
	case reasonStatusNotReachable:
		return lang.Msg("it is %s, which cannot become %s now", lang.StatusName(a.Status), lang.StatusName(a.AskedStatus))
	case reasonServiceMissing:
		return lang.Msg("the subscriber does not have it, so it cannot become %s", lang.StatusName(a.AskedStatus))
	case reasonScheduledEndStays:
		return lang.Msg("its end that the run scheduled stays: %s; `ativa provision schedule cancel` cancels it", a.ScheduleID)
	}
	if m, fixed := fixedReasons()[a.ReasonCode]; fixed {
		return m
	}
	if a.Code == "" && a.Reason == "" {
		return lang.Message{}
	}
	return lang.Msg("%s", lang.Refusal{Code: a.Code, Detail: cmp.Or(a.Reason, a.Code)})
}

// unwanted returns the reason for a service that the file does not want; for a refusal it includes the
// remedy.
func (a *Action) unwanted(what lang.Message) lang.Message {
	if a.Kind == ActionRefused {
		return lang.Msg("%s; %s", what, lang.Msg("--allow-deactivate cancels it"))
	}
	return what
}
