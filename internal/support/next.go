package support

import (
	"cmp"
	"strconv"
	"strings"

	"ativa/internal/api"
	"ativa/internal/lifecycle"
	"ativa/internal/system"
)

// mostSuggested is the maximum number of suggested products.
const mostSuggested = 5

// ActivationCommands returns the commands that activate a product for the subscriber; if there are
// none, or too many to choose from, `ativa products`.
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

// typedProduct returns a product as typed: its code, else its id.
func typedProduct(p api.Product) string {
	return system.ShellQuote(cmp.Or(p.Code, strconv.FormatInt(int64(p.ID), 10)))
}

// nextCommands returns the sensible next commands for a service.
func (o *Overview) nextCommands(i int, happened []api.Event) []string {
	s := o.Subscriber.Services[i]
	product := typedProduct(api.Product{ID: s.ProductID, Code: s.ProductCode})
	out := []string{}
	add := func(words ...string) { out = append(out, "ativa "+strings.Join(words, " ")) }
	resend := func() {
		if o.ResendProduct || o.onlyResendable(i) {
			add("subscribers resend", o.Document, "--product", product)
		} else {
			add("subscribers resend", o.Document)
		}
	}
	if repeated := lifecycle.Repeats(s.StatusID); repeated != "" {
		add("provision", string(repeated), "--product", product, "--wait", o.Document)
	}
	if lifecycle.Meaning(s.Status) == "" { // unknown status
		add("status")
		if o.activationIncomplete(i, happened) {
			resend()
		}
	}
	failed := failedStatus(happened)
	for _, op := range lifecycle.Suggested(s.StatusID, failed) {
		switch {
		case op == lifecycle.Resend:
			resend()
		case !o.allows(i, op, failed):
		case op == api.Change:
			if targets := o.ChangeTargets(i); len(targets) <= mostSuggested {
				for _, to := range targets {
					add("provision change", o.Document, "--from", product, "--to", typedProduct(to))
				}
			}
		default:
			add("provision", string(op), "--product", product, o.Document)
		}
	}
	return out
}
