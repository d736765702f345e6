package support

import (
	"slices"
	"strings"

	"ativa/internal/api"
	"ativa/internal/lang"
)

// nextCommands is the commands that make sense for a service now, as they are typed.
func (o *Overview) nextCommands(i int, happened []api.Event) []string {
	s := o.Subscriber.Services[i]
	out := []string{}
	add := func(can string, words ...string) {
		if p, known := o.Product(s.ProductID); can != "" && known && !slices.Contains(p.Can, can) {
			return
		}
		out = append(out, "ativa "+strings.Join(words, " "))
	}
	product := productWord(s.ProductCode, s.ProductID)
	provision := func(can, operation string, flags ...string) {
		words := append([]string{"provision", operation, "--product", lang.ShellQuote(product)}, flags...)
		add(can, append(words, o.Document)...)
	}
	switch s.StatusID {
	case api.StatusInProgress:
		add("", "subscribers resend", o.Document)
		provision(api.CanDeactivate, "deactivate")
	case api.StatusActive:
		provision(api.CanSuspend, "suspend")
		add(api.CanChangeFrom, "provision change", o.Document, "--from", lang.ShellQuote(product), "--to P")
		provision(api.CanDeactivate, "deactivate")
	case api.StatusSuspend:
		provision(api.CanReactivate, "activate")
		provision(api.CanDeactivate, "deactivate")
	case api.StatusOverdue:
		if o.Catalog.Overdue {
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
		o.retry(happened, provision, add)
	case api.StatusCanceled, api.StatusCanceledWithoutActivation:
		if !o.hasLater(i) {
			provision(api.CanActivate, "activate")
		}
	default: // a status of the server's own
		add("", "status", lang.ShellQuote(s.Status))
		if o.activationIncomplete(i, happened) {
			add("", "subscribers resend", o.Document)
		}
		provision(api.CanDeactivate, "deactivate")
	}
	return out
}

// retry is what to try after a failure: the same again.
func (o *Overview) retry(happened []api.Event, provision func(can, operation string, flags ...string), add func(string, ...string)) {
	failed := failedOperation(happened)
	switch failed {
	case cancellation:
		provision("", "deactivate")
		return
	case suspension:
		provision("", "suspend")
	case activation:
		add("", "subscribers resend", o.Document)
	}
	provision("", "activate")
	provision(api.CanDeactivate, "deactivate")
}
