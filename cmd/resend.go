package cmd

import (
	"cmp"
	"context"
	"errors"

	"github.com/spf13/cobra"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/lang"
	"ativa/internal/lifecycle"
	"ativa/internal/render"
)

type resendRow = api.ResendResult

func resendResults(l lang.Language) render.Schema[resendRow] {
	return render.Schema[resendRow]{One: "result", Many: "results", Columns: []render.Column[resendRow]{
		{Name: "content_supplier_product_code", Title: "product", Value: func(r resendRow) string { return cmp.Or(r.ProductCode, number(r.ProductID)) }},
		{Name: "status", Kind: render.Status, Value: func(r resendRow) string { return r.Status }},
		{Name: "result", Kind: render.Word, Value: func(r resendRow) string { return r.Result }},
		{Name: "reason", Value: func(r resendRow) string {
			if status := l.Status(r.Reason); status != r.Reason {
				return status
			}
			return reasonCell(l, r.Reason)
		}},
	}, JSON: cli.ToJSON[resendRow]}
}

func newSubscribersResend(e *cli.Env) *cobra.Command {
	var o provisionOptions
	c := &cobra.Command{
		Use: "resend [DOC]", Short: "Send the activation e-mails again; earlier links stop working", GroupID: "change", Args: cli.Args(cobra.MaximumNArgs(1)),
		SuggestFor:  []string{"reenviar", "reenvio", "email", "e-mail", "link"},
		Annotations: map[string]string{cli.ExitCodes: cli.ConnectedExits + " 5 6 7 8"},
		Long: `Send a new activation e-mail for every service of the subscriber that waits for
the click (if none does, exit 5 and nothing is sent); earlier links stop
working. Only --all mails services that work, too. --product mails only the
service of that product. A server that can only mail all services of a
subscriber refuses --product (exit 5, nothing is sent), unless no other service
would be mailed. Without --product it asks before it mails a service that works,
and without a terminal it needs --all.

--status and --older-than select subscribers instead of DOC: the e-mails of all
who have a matching service are sent again, with --product only that of the
matching service. Without --all, services that do not wait are skipped. The
selection is listed and confirmed; without a terminal that needs --yes and
--max-changes. The report is ativa-COMMAND-DATE.report.csv, here or in
--report-dir.`,
		Example: "  ativa subscribers resend 529.982.247-25\n  ativa subscribers resend 52998224725 --product play-basic -o json\n  ativa subscribers resend --status inProgress --older-than 3d \\\n      --product play-basic --yes --max-changes 10%",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 && !o.pick.isSet() {
				return cli.Usage("no document is given").WithHint("give one, or select with --status or --older-than")
			}
			o.args = commandLine(c)
			if err := o.send.complete(c.Flags()); err != nil {
				return err
			}
			return runBatch(c.Context(), e, lifecycle.Resend, o, args)
		},
	}
	f := c.Flags()
	addProductFlag(e, c, &o.productText, "send only for this product: id, code or name")
	f.BoolVar(&o.all, "all", false, "also mail services that work, whose subscribers have nothing to confirm")
	f.StringVar(&o.reportDir, "report-dir", "", "directory of the report of a selection (default: the working directory)")
	o.pick.addForRun(f)
	o.send.addPaceFlags(f)
	e.CompleteFlag(c, "status", completeStatuses(e))
	return cli.WithColumns(e, func() render.Schema[resendRow] { return resendResults(e.CellLanguage()) }, c)
}

// resentEmails is the outcome of a resend to one subscriber. Its rows are services.
type resentEmails struct {
	printer *render.Printer[resendRow]
	answer  *client.WriteResult[api.ResendResponse] // nil: nothing was sent
}

// resendRefusal returns the error of a resend that mailed nothing. If the server can only mail
// all services, it asks whether to include active ones, and then mails all.
func (r *provisionRun) resendRefusal(ctx context.Context) error {
	which := r.InHint(r.only.document)
	switch refusal := r.outcome.refusal; {
	case errors.Is(refusal, client.ErrNoneWaits):
		return &cli.Failure{Exit: cli.ExitRefused, Code: api.CodeNothingToResend, Message: cli.Msg("no service waits for the subscriber to confirm it; nothing was sent"),
			Hint: cli.Msg("`ativa subscribers explain %s` explains each service; --all also mails services that work", which)}
	case !errors.Is(refusal, client.ErrResendsAll):
		return nil
	case r.product.ID != 0:
		return notSupported(
			cli.Msg("this server cannot send the e-mail of one service alone, and would send others with that of %s; nothing was sent", r.productText),
			cli.Msg("`ativa subscribers explain %s` shows the services; --all without --product sends the e-mails of all of them", which))
	case !r.Interactive():
		return cli.Usage("this server would also send the e-mails of services that work; nothing was sent").WithHint("give --all to send them, too")
	}
	if err := r.Confirm(cli.Msg("This server can only send the e-mails of all services, including those that work. Send them?"), nil); err != nil {
		return err
	}
	r.all = true
	return r.run(ctx)
}

// printResent prints the outcome of each service's e-mail.
func (r *provisionRun) printResent(ctx context.Context, response string) error {
	answer := r.resent.answer
	if answer == nil {
		return nil // the error says why
	}
	if !answer.Detailed && response == api.ResponseSuccess {
		r.Notice("the server accepted the request and does not report which e-mails it sends")
	}
	r.resent.printer.Respond(response)
	err := r.resent.printer.Results(ctx, answer.Raw, answer.Value.Results)
	r.Next(r.only.document, "ativa subscribers explain "+r.only.document)
	return err
}
