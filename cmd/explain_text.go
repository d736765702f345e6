package cmd

import (
	"cmp"
	"slices"
	"strings"

	"ativa/internal/api"
	"ativa/internal/cli"
)

// message says how a service stands.
func (x *explainer) message(row explanation, happened []api.Event) cli.Message {
	what := cli.StatusMeaning(row.Status)
	switch {
	case what == "" && row.WaitsFor == waitsForSubscriber:
		return cli.Msg("the server calls it %q, which this program does not know; it has been so since the activation was requested, so the activation is not complete as far as can be told: the subscriber completes it by following the activation e-mail", row.Status)
	case what == "":
		return cli.Msg("the status %q is not one that this program knows, so what it waits for is not known; ask whoever runs the server", row.Status)
	case row.StatusID == api.StatusError:
		return failureMessage(cli.Msg(what), happened)
	case row.QueuePosition > 0:
		return cli.Msg("%s; number %d in the queue", cli.Msg(what), row.QueuePosition)
	}
	return cli.Msg(what)
}

// failureMessage adds the operation that led to the status error, and its reason,
// as far as the history tells.
func failureMessage(what cli.Message, happened []api.Event) cli.Message {
	if len(happened) == 0 {
		return what
	}
	last := happened[len(happened)-1]
	if operation := failedOperation(last); operation != "" {
		what = cli.Msg("%s, the %s", what, cli.Msg(operation))
	}
	if last.Reason != "" {
		what = cli.Msg("%s: %s", what, last.Reason)
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

// eventMessage is an event in one line: what, by whom, why.
func eventMessage(event api.Event) cli.Message {
	text := cli.Msg("%s", cli.StatusName(event.Status))
	if event.PreviousStatus != nil {
		text = cli.Msg("%s to %s", cli.StatusName(*event.PreviousStatus), cli.StatusName(event.Status))
	}
	if event.Trigger != "" {
		text = cli.Msg("%s by %s", text, triggerMessage(event.Trigger))
	}
	if event.Actor != "" {
		text = cli.Msg("%s of the %s", text, cli.Msg(event.Actor))
	}
	if event.Reason != "" {
		text = cli.Msg("%s: %s", text, event.Reason)
	}
	return text
}

// triggerMessage is what let something happen, as a noun. A trigger that is not
// known, as of another server, comes as it is.
func triggerMessage(trigger string) cli.Message {
	switch trigger {
	case "create":
		return cli.Msg("registration")
	case "import":
		return cli.Msg("import")
	case "update":
		return cli.Msg("correction")
	case "delete":
		return cli.Msg("erasure")
	case "activate":
		return cli.Msg("activation")
	case "suspend":
		return cli.Msg("suspension")
	case "deactivate":
		return cli.Msg("cancellation")
	case "change":
		return cli.Msg("change of product")
	case "resend":
		return cli.Msg("another e-mail")
	case "link_completed":
		return cli.Msg("click on the link")
	case "confirmed":
		return cli.Msg("confirmation")
	case "failed":
		return cli.Msg("failure")
	case "timeout":
		return cli.Msg("time-out")
	case "overdue":
		return cli.Msg("lack of payment")
	case "settle":
		return cli.Msg("end of the lack of payment")
	case "slot_available":
		return cli.Msg("free place")
	}
	return cli.Msg("%s", trigger)
}

// nextCommands is the commands that make sense for a service now, as they are typed.
func (x *explainer) nextCommands(i int, happened []api.Event) []string {
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
		words := append([]string{"provision", operation, "--product", cli.ShellQuote(product)}, flags...)
		add(can, append(words, x.document)...)
	}
	switch s.StatusID {
	case api.StatusInProgress:
		add("", "subscribers resend", x.document)
		provision(api.CanDeactivate, "deactivate")
	case api.StatusActive:
		provision(api.CanSuspend, "suspend")
		add(api.CanChangeFrom, "provision change", x.document, "--from", cli.ShellQuote(product), "--to P")
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
		add("", "status", cli.ShellQuote(s.Status))
		if x.activationIncomplete(i, happened) {
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
