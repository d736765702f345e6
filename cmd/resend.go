package cmd

import (
	"cmp"
	"context"
	"errors"

	"github.com/spf13/cobra"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/render"
	"ativa/internal/support"
)

type resendRow = api.ResendResult

func resendResults() render.Schema[resendRow] {
	return render.Schema[resendRow]{One: "result", Many: "results", Columns: []render.Column[resendRow]{
		{Name: "content_supplier_product_code", Title: "product", Value: func(r resendRow) string { return cmp.Or(r.ProductCode, number(r.ProductID)) }},
		{Name: "status", Kind: render.Status, Value: func(r resendRow) string { return r.Status }},
		{Name: "result", Kind: render.Word, Value: func(r resendRow) string { return r.Result }},
		{Name: "reason", Value: func(r resendRow) string { return r.Reason }},
	}, JSON: cli.ToJSON[resendRow]}
}

// resendOperation is the operation of a run that resends e-mails.
const resendOperation = api.Operation(support.Resend)

func newSubscribersResend(e *cli.Env) *cobra.Command {
	var o provisionOptions
	c := &cobra.Command{
		Use: "resend [DOC]", Short: "Send the activation e-mails again; earlier links stop working", GroupID: "change", Args: cli.Args(cobra.MaximumNArgs(1)),
		SuggestFor:  []string{"reenviar", "reenvio", "email", "e-mail", "link"},
		Annotations: map[string]string{cli.ExitCodes: cli.ConnectedExits + " 5"},
		Long: `Send a new activation e-mail for every service of the subscriber that waits for the
click (none does: exit 5, nothing is sent); earlier links stop working. Services that
work get one with --all alone. With --product only that service is mailed. A server
that can mail but all services of a subscriber refuses --product (exit 5, nothing is
sent), unless the subscriber has no other that would be mailed; where it would mail
one that works, too, that is asked for, and without a terminal needs --all.

--status and --older-than take the place of DOC: the e-mails of all who have such a
service are sent again, with --product only that of the service that is meant. Whose
service does not wait is skipped, without --all. They are listed and asked for;
without a terminal that needs --yes and --max-changes. The report is
ativa-COMMAND-DATE.report.csv, here or in --report-dir.`,
		Example: "  ativa subscribers resend 529.982.247-25\n  ativa subscribers resend 52998224725 --product play-basic -o json\n  ativa subscribers resend --status inProgress --older-than 3d --product play-basic --yes --max-changes 10%",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 && !o.pick.isSet() && o.pick.maxChanges == "" {
				return runSubscribersResend(c.Context(), e, args[0], o)
			}
			if len(args) == 0 && !o.pick.isSet() {
				return cli.Usage("no document is given").WithHint("give one, or select with --status or --older-than")
			}
			o.args = commandLine(c)
			if err := o.send.complete(c.Flags()); err != nil {
				return err
			}
			return runBatch(c.Context(), e, resendOperation, o, args)
		},
	}
	f := c.Flags()
	addProductFlag(e, c, &o.product, "send only for this product: id, code or name")
	f.BoolVar(&o.all, "all", false, "services that work, too, whose subscribers have nothing to confirm")
	f.StringVar(&o.reportDir, "report-dir", "", "directory of the report of a selection (default: the working directory)")
	o.pick.addForRun(f)
	o.send.addPaceFlags(f)
	e.CompleteFlag(c, "status", completeStatuses(e))
	return cli.WithColumns(e, resendResults, c)
}

func runSubscribersResend(ctx context.Context, e *cli.Env, which string, o provisionOptions) error {
	p, err := cli.NewPrinter(e, resendResults())
	if err != nil {
		return err
	}
	what := func(who string) cli.Message {
		if o.product != "" {
			return cli.Msg("send the activation e-mail of %s for %s again; its earlier link stops working", who, o.product)
		}
		return cli.Msg("send the activation e-mails of %s again; earlier links stop working", who)
	}
	return changeSubscriber(ctx, e, which, what, func(ctx context.Context, c *client.Client, target *subscriberArg) error {
		sent, err := o.resend(ctx, e, c, target)
		if err != nil && len(sent.Value.Results) == 0 {
			return err
		}
		if err == nil && !sent.Detailed {
			e.Notice("the server has accepted it and does not say which e-mails it sends")
		}
		p.Respond(cli.Response(err, true))
		err = cmp.Or(err, p.Results(ctx, sent.Raw, sent.Value.Results))
		e.Next(target.document, "ativa subscribers explain "+target.document)
		return err
	})
}

// resend sends the e-mails of one subscriber that the flags select. If that includes active
// services without --all, it asks.
func (o provisionOptions) resend(ctx context.Context, e *cli.Env, c *client.Client, target *subscriberArg) (sent client.WriteResult[api.ResendResponse], err error) {
	if o.product != "" {
		p, err := findProduct(ctx, c, o.product)
		if err != nil {
			return sent, err
		}
		sent, err = c.ResendActivationEmailOf(ctx, target.document, p.ID, "")
		if errors.Is(err, client.ErrResendsAll) {
			err = notSupported(
				cli.Msg("this server cannot send the e-mail of one service alone, and %s is not the only one that it would send for; nothing was sent", o.product),
				cli.Msg("`ativa subscribers explain %s` shows the services; --all without --product sends the e-mails of all of them", e.InHint(target.document)))
		}
		return sent, err
	}
	if !o.all {
		sent, err = c.ResendToWaiting(ctx, target.document, 0, "")
		switch {
		case errors.Is(err, client.ErrNoneWaits):
			return sent, &cli.Failure{Exit: cli.ExitRefused, Code: api.CodeNothingToResend, Message: cli.Msg("no service waits for the subscriber to confirm it; nothing was sent"),
				Hint: cli.Msg("`ativa subscribers explain %s` says how each service stands; --all mails those that work, too", e.InHint(target.document))}
		case !errors.Is(err, client.ErrResendsAll):
			return sent, err
		case !e.Interactive():
			return sent, cli.Usage("this server would also send the e-mails of services that work; nothing was sent").WithHint("give --all if they are meant, too")
		}
		if err := e.Confirm(cli.Msg("This server can only send the e-mails of all services, those that work included. Send them?"), nil); err != nil {
			return sent, err
		}
	}
	return c.ResendActivationEmail(ctx, target.document, "")
}
