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
	"ativa/internal/run"
	"ativa/internal/support"
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
			if len(args) == 1 && !o.pick.isSet() {
				return runResend(c.Context(), e, o, args[0])
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

// resendRun is a resend to one subscriber. It prints the subscriber's services.
type resendRun struct {
	rowRun
	provisionOptions
	document string
	product  api.Product
	answer   *client.WriteResult[api.ResendResponse] // nil: nothing was sent
}

// runResend sends the e-mails of one subscriber again.
func runResend(ctx context.Context, e *cli.Env, o provisionOptions, given string) error {
	p, err := cli.NewPrinter(e, resendResults(e.CellLanguage()))
	if err != nil {
		return err
	}
	if _, err := o.pick.limit(); err != nil {
		return err
	}
	return withSubscriber(ctx, e, e.WithWritableClient, given, func(ctx context.Context, c *client.Client, who *subscriberArg) error {
		r := &resendRun{rowRun: rowRun{Env: e, client: c, unit: cli.Msg("documents"), total: 1}, provisionOptions: o, document: who.document}
		err := r.run(ctx)
		if r.answer == nil { // the error says why
			return err
		}
		if !r.answer.Detailed && err == nil {
			e.Notice("the server accepted the request and does not report which e-mails it sends")
		}
		p.Respond(cli.Response(err, true))
		printed := p.Results(ctx, r.answer.Raw, r.answer.Value.Results)
		e.Next(r.document, "ativa subscribers explain "+r.document)
		return errors.Join(err, printed)
	})
}

// run sends the request. If the server can only mail all services, it asks whether to include those
// that work, and then mails all.
func (r *resendRun) run(ctx context.Context) (err error) {
	if r.productText != "" {
		if r.product, err = findProduct(ctx, r.client, r.productText); err != nil {
			return err
		}
	}
	if err := r.confirm(ctx); err != nil {
		return err
	}
	which := r.InHint(r.document)
	switch err := r.resend(ctx); {
	case errors.Is(err, client.ErrNoneWaits):
		return &cli.Failure{Exit: cli.ExitRefused, Code: api.CodeNothingToResend, Message: cli.Msg("no service waits for the subscriber to confirm it; nothing was sent"),
			Hint: cli.Msg("`ativa subscribers explain %s` explains each service; --all also mails services that work", which)}
	case !errors.Is(err, client.ErrResendsAll):
		return err
	case r.product.ID != 0:
		return notSupported(
			cli.Msg("this server cannot send the e-mail of one service alone, and would send others with that of %s; nothing was sent", r.productText),
			cli.Msg("`ativa subscribers explain %s` shows the services; --all without --product sends the e-mails of all of them", which))
	case !r.Interactive():
		return cli.Usage("this server would also send the e-mails of services that work; nothing was sent").WithHint("give --all to send them, too")
	}
	title := cli.Msg("This server can only send the e-mails of all services, including those that work. Send them")
	if err := r.Confirm(cli.Confirmation{Title: title, Always: true}); err != nil {
		return err
	}
	r.all = true
	return r.resend(ctx)
}

// confirm asks in a protected context.
func (r *resendRun) confirm(ctx context.Context) error {
	if asks, err := r.AsksToConfirm(false); err != nil || !asks {
		return err
	}
	s, err := r.client.Subscriber(ctx, r.document)
	if err != nil && client.KindOf(err) != client.KindNotFound {
		return err
	}
	step := support.Step{Operation: lifecycle.Resend, Name: s.Value.Name, Document: r.document, Product: r.product}
	return r.Confirm(cli.Confirmation{Title: step.Title(), What: []cli.Message{describeService(s.Value, r.product.ID, r.document)}})
}

// resend sends the request once. A service that is named is mailed in any status.
func (r *resendRun) resend(ctx context.Context) error {
	job := &run.Resend{Client: r.client, Product: r.product.ID, All: r.all || r.product.ID != 0,
		Answered: func(a client.WriteResult[api.ResendResponse]) { r.answer = &a }}
	return r.execute(ctx, cli.Msg(string(lifecycle.Resend)), "", r.send, func(run.Options) error {
		result, err := run.One(ctx, r.client, job, r.document)
		err = cmp.Or(err, result.Cause)
		if err == nil && result.Kind == api.ResultFailed { // a server that is not ours
			err = &cli.Failure{Exit: cli.ExitRefused, Code: api.CodeBatchFailed, Message: cli.Msg("the server refused it"), Hint: cli.Msg("the results above say why each failed")}
		}
		return err
	})
}
