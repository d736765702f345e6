package cmd

import (
	"cmp"
	"slices"
	"strings"

	"ativa/internal/api"
)

// words says how a service stands.
func (x *explainer) words(row explanation, happened []api.Event) phrase {
	what := meaning(row.Status)
	switch {
	case what == "" && row.WaitsFor == waitsForSubscriber:
		return say("the server calls it %q, which this program does not know; it has been so since the activation was requested, so the activation is not complete as far as can be told: the subscriber completes it by following the activation e-mail", row.Status)
	case what == "":
		return say("the status %q is not one that this program knows, so what it waits for is not known; ask whoever runs the server", row.Status)
	case row.StatusID == api.StatusError:
		return whatFailed(say(what), happened)
	case row.QueuePosition > 0:
		return say("%s; number %d in the queue", say(what), row.QueuePosition)
	}
	return say(what)
}

// whatFailed adds the operation that led to the status error, and its reason,
// as far as the history tells.
func whatFailed(what phrase, happened []api.Event) phrase {
	if len(happened) == 0 {
		return what
	}
	last := happened[len(happened)-1]
	if operation := failedOperation(last); operation != "" {
		what = say("%s, the %s", what, say(operation))
	}
	if last.Reason != "" {
		what = say("%s: %s", what, last.Reason)
	}
	return what
}

// failedOperation is what was under way in the status before.
func failedOperation(event api.Event) string {
	if event.PreviousStatus == nil {
		return ""
	}
	return map[string]string{
		"inProgress": "activation", "reactivated": "reactivation", "changed": "change of product",
		"waitingSuspension": "suspension", "waitingSuspensionDueToOverdue": "suspension for lack of payment",
		"waitingCancellation": "cancellation",
	}[*event.PreviousStatus]
}

// inWords is an event in one line: what, by whom, why.
func inWords(event api.Event) phrase {
	text := say("%s", statusName(event.Status))
	if event.PreviousStatus != nil {
		text = say("%s to %s", statusName(*event.PreviousStatus), statusName(event.Status))
	}
	if event.Trigger != "" {
		text = say("%s by %s", text, triggerWords(event.Trigger))
	}
	if event.Actor != "" {
		text = say("%s of the %s", text, say(event.Actor))
	}
	if event.Reason != "" {
		text = say("%s: %s", text, event.Reason)
	}
	return text
}

// triggerWords is what let something happen, as a noun. A trigger that is not
// known, as of another server, comes as it is.
func triggerWords(trigger string) phrase {
	switch trigger {
	case "create":
		return say("registration")
	case "import":
		return say("import")
	case "update":
		return say("correction")
	case "delete":
		return say("erasure")
	case "activate":
		return say("activation")
	case "suspend":
		return say("suspension")
	case "deactivate":
		return say("cancellation")
	case "change":
		return say("change of product")
	case "resend":
		return say("another e-mail")
	case "link_completed":
		return say("click on the link")
	case "confirmed":
		return say("confirmation")
	case "failed":
		return say("failure")
	case "timeout":
		return say("time-out")
	case "overdue":
		return say("lack of payment")
	case "settle":
		return say("end of the lack of payment")
	case "slot_available":
		return say("free place")
	}
	return say("%s", trigger)
}

// next is the commands that make sense for a service now, as they are typed.
func (x *explainer) next(i int, happened []api.Event) []string {
	s := x.services[i]
	out := []string{}
	add := func(can string, words ...string) {
		if p, known := x.products[s.ProductID]; can != "" && known && !slices.Contains(p.Can, can) {
			return
		}
		out = append(out, "ativa "+strings.Join(words, " "))
	}
	product := cmp.Or(s.ProductCode, number(s.ProductID))
	provision := func(can, operation string, flags ...string) {
		words := append([]string{"provision", operation, "--product", shellWord(product)}, flags...)
		add(can, append(words, x.document)...)
	}
	switch s.StatusID {
	case api.StatusInProgress:
		add("", "subscribers resend", x.document)
		provision(api.CanDeactivate, "deactivate")
	case api.StatusActive:
		provision(api.CanSuspend, "suspend")
		add(api.CanChangeFrom, "provision change", x.document, "--from", shellWord(product), "--to P")
		provision(api.CanDeactivate, "deactivate")
	case api.StatusSuspend:
		provision(api.CanReactivate, "activate")
		provision(api.CanDeactivate, "deactivate")
	case api.StatusOverdue:
		if x.overdue {
			provision("", "settle")
		}
		provision(api.CanDeactivate, "deactivate")
	case api.StatusLimitReached:
		provision("", "deactivate")
	case api.StatusReactivated, api.StatusChanged:
		provision("", "activate", "--wait")
	case api.StatusWaitingSuspension:
		provision("", "suspend", "--wait")
	case api.StatusWaitingSuspensionDueToOverdue:
		provision("", "overdue", "--wait")
	case api.StatusWaitingCancellation:
		provision("", "deactivate", "--wait")
	case api.StatusError:
		x.retry(happened, provision, add)
	case api.StatusCanceled, api.StatusCanceledWithoutActivation:
		if !x.hasLater(i) {
			provision(api.CanActivate, "activate")
		}
	default: // a status of the server's own
		add("", "status", shellWord(s.Status))
		if x.unfinished(i, happened) {
			add("", "subscribers resend", x.document)
		}
		provision(api.CanDeactivate, "deactivate")
	}
	return out
}

// retry is what to try after a failure: the same again.
func (x *explainer) retry(happened []api.Event, provision func(can, operation string, flags ...string), add func(string, ...string)) {
	failed := ""
	if len(happened) > 0 {
		failed = failedOperation(happened[len(happened)-1])
	}
	switch failed {
	case "cancellation":
		provision("", "deactivate")
		return
	case "suspension":
		provision("", "suspend")
	case "suspension for lack of payment":
		provision("", "overdue")
	case "activation":
		add("", "subscribers resend", x.document)
	}
	provision("", "activate")
	provision(api.CanDeactivate, "deactivate")
}

// hasLater tells that a newer token of the same product exists.
func (x *explainer) hasLater(i int) bool {
	return slices.ContainsFunc(x.services[i+1:], func(s api.Service) bool { return s.ProductID == x.services[i].ProductID })
}

// shellWord is a word as it is typed into a shell.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.:/@", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
