package support

import (
	"ativa/internal/api"
	"ativa/internal/lang"
)

// EventMessage is an event of a service in one line: what, by whom, why.
func EventMessage(event api.Event) lang.Message {
	var text lang.Message
	switch {
	case event.StatusChange == nil:
		text = lang.Msg("another activation e-mail")
	case event.PreviousStatus != nil:
		text = lang.Msg("%s to %s", lang.StatusName(*event.PreviousStatus), lang.StatusName(event.Status))
	default:
		text = lang.Msg("%s", lang.StatusName(event.Status))
	}
	if event.Trigger != "" && event.StatusChange != nil {
		text = lang.Msg("%s by %s", text, TriggerMessage(event.Trigger))
	}
	if event.Actor != "" {
		text = lang.Msg("%s of the %s", text, lang.Msg(event.Actor))
	}
	if event.ActorName != "" {
		text = lang.Msg("%s (%s)", text, string(event.ActorName))
	}
	if event.Reason != "" {
		text = lang.Msg("%s: %s", text, event.Reason)
	}
	return text
}

// EventTypeMessage is the type of an event in words. One that is not known, as of
// another server, comes as it is.
func EventTypeMessage(kind string) lang.Message {
	switch kind {
	case api.EventStatusChanged:
		return lang.Msg("new status")
	case api.EventSubscriberCreated:
		return lang.Msg("new subscriber")
	case api.EventSubscriberUpdated:
		return lang.Msg("subscriber changed")
	case api.EventSubscriberDeleted:
		return lang.Msg("subscriber erased")
	case api.EventEmailRequested:
		return lang.Msg("e-mail requested")
	}
	return lang.Msg("%s", kind)
}

// TriggerMessage is what let something happen, as a noun. A trigger that is not
// known, as of another server, comes as it is.
func TriggerMessage(trigger string) lang.Message {
	switch trigger {
	case "create":
		return lang.Msg("registration")
	case "import":
		return lang.Msg("import")
	case "update":
		return lang.Msg("correction")
	case "delete":
		return lang.Msg("erasure")
	case "activate":
		return lang.Msg("activation")
	case "suspend":
		return lang.Msg("suspension")
	case "deactivate":
		return lang.Msg("cancellation")
	case "change":
		return lang.Msg("change of product")
	case "resend":
		return lang.Msg("another e-mail")
	case "link_completed":
		return lang.Msg("click on the link")
	case "confirmed":
		return lang.Msg("confirmation")
	case "failed":
		return lang.Msg("failure")
	case "timeout":
		return lang.Msg("time-out")
	case "overdue":
		return lang.Msg("lack of payment")
	case "settle":
		return lang.Msg("end of the lack of payment")
	case "slot_available":
		return lang.Msg("free place")
	}
	return lang.Msg("%s", trigger)
}
