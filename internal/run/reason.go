package run

import (
	"cmp"
	"sync"

	"ativa/internal/api"
	"ativa/internal/lang"
)

// Codes of reasons of the plan itself.
const (
	reasonNoSubscriber = "file_lacks_subscriber"
	reasonNoProduct    = "file_lacks_product"
	reasonStatus       = "status_not_reachable"
	reasonNoService    = "service_missing"
	reasonNoOverdue    = "server_lacks_overdue"
	reasonHeld         = "replacement_refused"
	reasonNotEnded     = "cancellation_refused"
	reasonWaits        = "waits_for_partner"

	// Why a line of a report is not undone.
	reasonRegistered  = "registration_not_undone"
	reasonUpdated     = "update_not_undone"
	reasonActivated   = "first_activation_not_undone"
	reasonCanceled    = "cancellation_not_undone"
	reasonUnanswered  = "no_answer_in_run"
	reasonGone        = "service_gone"
	reasonMovedOn     = "changed_since_run"
	reasonDeleted     = "deletion_not_undone"
	reasonAgain       = "registered_since_run"
	reasonOther       = "has_other_service"
	reasonEdited      = "fields_changed_since_run"
	reasonEndStays    = "scheduled_end_stays"
	reasonUnscheduled = "unscheduling_not_undone"
)

// heldReason returns the reason for holding an action that awaits a refused one.
func (a *Action) heldReason() string {
	switch a.step() {
	case ActionDelete:
		return reasonNotEnded
	case ActionUnschedule:
		return reasonEndStays
	}
	return reasonHeld
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
		reasonNoOverdue:   lang.Msg("this server knows no suspension for lack of payment"),
		reasonHeld:        lang.Msg("the product in its place was refused"),
		reasonNotEnded:    lang.Msg("the cancellation of a service was refused"),
		reasonWaits:       lang.Msg("a service waits for the partner to confirm its cancellation"),
		reasonRegistered:  lang.Msg("a registration is not taken back"),
		reasonUpdated:     lang.Msg("changed fields are not taken back"),
		reasonActivated:   lang.Msg("a first activation is not taken back"),
		reasonCanceled:    lang.Msg("a cancellation is not taken back"),
		reasonUnanswered:  lang.Msg("no answer came in the run"),
		reasonGone:        lang.Msg("the service does not exist any more"),
		reasonMovedOn:     lang.Msg("it has changed since the run"),
		reasonDeleted:     lang.Msg("a deletion is not taken back"),
		reasonAgain:       lang.Msg("it was registered again since the run"),
		reasonOther:       lang.Msg("it has a service that the run did not create"),
		reasonEdited:      lang.Msg("its fields were changed since the run"),
		reasonUnscheduled: lang.Msg("what was scheduled and then cancelled is not scheduled again"),
	}
})

// ReasonMessage returns why an action is not carried out: the reason of the plan, or the refusal
// of the server. It is empty for other actions.
func (a *Action) ReasonMessage() lang.Message {
	switch a.ReasonCode {
	case reasonNoSubscriber:
		return a.lacking(lang.Msg("the file lacks the subscriber"))
	case reasonNoProduct:
		return a.lacking(lang.Msg("the file lacks the product"))
	case reasonStatus:
		return lang.Msg("it is %s, which cannot become %s now", lang.StatusName(a.Status), lang.StatusName(a.AskedStatus))
	case reasonNoService:
		return lang.Msg("the subscriber does not have it, so it cannot become %s", lang.StatusName(a.AskedStatus))
	case reasonEndStays:
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

// lacking returns the reason for a service that the file lacks; for a refusal it includes the
// remedy.
func (a *Action) lacking(what lang.Message) lang.Message {
	if a.Kind == ActionRefused {
		return lang.Msg("%s; %s", what, lang.Msg("--allow-deactivate cancels it"))
	}
	return what
}
