package support

import (
	"slices"

	"ativa/internal/api"
	"ativa/internal/lang"
)

// EventMessage describes an event of a service in one line: change, actor, reason.
func EventMessage(event api.Event) lang.Message {
	text := changeMessage(event)
	switch {
	case event.StatusChange == nil:
	case event.Trigger == "link_completed" && event.Actor == api.ActorSubscriber && event.Status == "active":
		event.Actor, text = "", lang.Msg("activated: the subscriber followed the link")
	case event.Trigger == "confirmed" && event.Actor == api.ActorPartner:
		event.Actor, text = "", lang.Msg("%s, confirmed by the partner", text)
	case event.Trigger != "" && !namedByStatus(event.Trigger):
		text = lang.Msg("%s: %s", text, TriggerMessage(event.Trigger))
	}
	if event.Actor != "" {
		text = lang.Msg("%s, by the %s", text, lang.Msg(event.Actor))
	}
	if event.ActorName != "" {
		text = lang.Msg("%s (%s)", text, string(event.ActorName))
	}
	if event.Reason != "" {
		text = lang.Msg("%s: %s", text, lang.Refusal{Code: event.Reason, Detail: event.Reason})
	}
	return text
}

// namedByStatus reports whether the status after a trigger already names the trigger.
func namedByStatus(trigger string) bool {
	return slices.Contains([]string{"activate", "suspend", "deactivate", "overdue", "change"}, trigger)
}

// changeMessage describes the status change or e-mail request of an event.
func changeMessage(event api.Event) lang.Message {
	switch {
	case event.Type == api.EventScheduleRefused:
		return lang.Msg("refused, though it was scheduled: %s", TriggerMessage(event.Trigger))
	case event.StatusChange == nil:
		return lang.Msg("another activation e-mail")
	case event.PreviousStatus != nil:
		return lang.Msg("%s to %s", lang.StatusName(*event.PreviousStatus), lang.StatusName(event.Status))
	}
	return lang.Msg("%s", lang.StatusName(event.Status))
}

// EventTypeMessage returns the type of an event in words. An unknown type, as of another server,
// stays unchanged.
func EventTypeMessage(kind string) lang.Message {
	return wordOr(kind, map[string]lang.Message{
		api.EventStatusChanged:     lang.Msg("new status"),
		api.EventSubscriberCreated: lang.Msg("new subscriber"),
		api.EventSubscriberUpdated: lang.Msg("subscriber changed"),
		api.EventSubscriberDeleted: lang.Msg("subscriber erased"),
		api.EventEmailRequested:    lang.Msg("e-mail requested"),
		api.EventTokenCreated:      lang.Msg("new access token"),
		api.EventTokenRotated:      lang.Msg("access token with a new secret"),
		api.EventTokenRevoked:      lang.Msg("access token revoked"),
		api.EventScheduleRefused:   lang.Msg("schedule refused"),
	})
}

// TriggerMessage returns the cause of an event as a noun. An unknown trigger, as of another
// server, stays unchanged.
func TriggerMessage(trigger string) lang.Message {
	return wordOr(trigger, map[string]lang.Message{
		"create":         lang.Msg("registration"),
		"import":         lang.Msg("import"),
		"update":         lang.Msg("correction"),
		"delete":         lang.Msg("erasure"),
		"activate":       lang.Msg("activation"),
		"suspend":        lang.Msg("suspension"),
		"deactivate":     lang.Msg("cancellation"),
		"change":         lang.Msg("change of product"),
		"resend":         lang.Msg("another e-mail"),
		"link_completed": lang.Msg("click on the link"),
		"confirmed":      lang.Msg("confirmation"),
		"failed":         lang.Msg("failure"),
		"timeout":        lang.Msg("time-out"),
		"overdue":        lang.Msg("lack of payment"),
		"settle":         lang.Msg("end of the lack of payment"),
		"slot_available": lang.Msg("free place"),
		"create_token":   lang.Msg("new access token"),
		"rotate_token":   lang.Msg("new secret"),
		"revoke_token":   lang.Msg("revocation"),
	})
}

// wordOr returns the message for a code, or the code if there is none.
func wordOr(code string, words map[string]lang.Message) lang.Message {
	if word, known := words[code]; known {
		return word
	}
	return lang.Msg("%s", code)
}
