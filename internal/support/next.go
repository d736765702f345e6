package support

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"ativa/internal/api"
	"ativa/internal/system"
)

// mostSuggested is how many products are suggested to choose from.
const mostSuggested = 5

// ActivationCommands are the commands that activate a product for the subscriber; where
// there are none, or too many to choose from, the one that lists the products.
func (o *Overview) ActivationCommands() []string {
	var out []string
	for _, s := range o.Activations() {
		out = append(out, strings.Join([]string{"ativa provision activate --product", typedProduct(s.Product), o.Document}, " "))
	}
	if len(out) == 0 || len(out) > mostSuggested {
		return []string{"ativa products"}
	}
	return out
}

// typedProduct is a product as it is typed: its code, else its id.
func typedProduct(p api.Product) string {
	return system.ShellQuote(cmp.Or(p.Code, strconv.FormatInt(int64(p.ID), 10)))
}

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
	product := typedProduct(api.Product{ID: s.ProductID, Code: s.ProductCode})
	provision := func(can, operation string, flags ...string) {
		words := append([]string{"provision", operation, "--product", product}, flags...)
		add(can, append(words, o.Document)...)
	}
	resend := func() {
		if o.ResendProduct || o.onlyResendable(i) {
			add("", "subscribers resend", o.Document, "--product", product)
		} else {
			add("", "subscribers resend", o.Document)
		}
	}
	switch s.StatusID {
	case api.StatusInProgress:
		resend()
		provision(api.CanDeactivate, "deactivate")
	case api.StatusActive:
		provision(api.CanSuspend, "suspend")
		if targets := o.ChangeTargets(i); len(targets) <= mostSuggested {
			for _, to := range targets {
				add(api.CanChangeFrom, "provision change", o.Document, "--from", product, "--to", typedProduct(to))
			}
		}
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
	case api.StatusReactivated, api.StatusChanged, api.StatusWaitingSuspension, api.StatusWaitingSuspensionDueToOverdue, api.StatusWaitingCancellation:
		provision("", repeated(s.StatusID), "--wait")
	case api.StatusError:
		retry(failedOperation(happened), provision, resend)
	case api.StatusCanceled, api.StatusCanceledWithoutActivation:
		if !o.hasLater(i) {
			provision(api.CanActivate, "activate")
		}
	default: // a status of the server's own
		add("", "status", system.ShellQuote(s.Status))
		if o.activationIncomplete(i, happened) {
			resend()
		}
		provision(api.CanDeactivate, "deactivate")
	}
	return out
}

// repeated is the operation whose repetition follows one that the partner has not
// confirmed, and changes nothing.
func repeated(underWay api.Int) string {
	switch underWay {
	case api.StatusWaitingSuspension:
		return "suspend"
	case api.StatusWaitingSuspensionDueToOverdue:
		return "overdue"
	case api.StatusWaitingCancellation:
		return "deactivate"
	}
	return "activate"
}

// retry is what to try after a failure: the same again.
func retry(failed string, provision func(can, operation string, flags ...string), resend func()) {
	switch failed {
	case cancellation:
		provision("", "deactivate")
		return
	case suspension:
		provision("", "suspend")
	case activation:
		resend()
	}
	provision("", "activate")
	provision(api.CanDeactivate, "deactivate")
}
