package cmd

import (
	"cmp"
	"context"
	"errors"

	"github.com/spf13/cobra"

	"ativa/internal/api"
	"ativa/internal/bulk"
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

// resendOperation is a resend as a run over many subscribers knows it.
const resendOperation = api.Operation(support.Resend)

func newSubscribersResend(e *cli.Env) *cobra.Command {
	var o provisionOptions
	c := &cobra.Command{
		Use: "resend [DOC]", Short: "Send the activation e-mails again; earlier links stop working", Args: cli.Args(cobra.MaximumNArgs(1)),
		Long: `Send a new activation e-mail for every service of the subscriber that is active or
in activation; earlier links stop working. With --product only for that service. A
server that cannot send for one service refuses that (exit 5, nothing is sent),
unless the subscriber has no other service that would be mailed.

--status and --older-than take the place of DOC: the e-mails of all who have such a
service are sent again, with --product only that of the service that is meant. They
are listed and asked for; without a terminal that needs --yes and --max-changes. The
report is ativa-COMMAND-DATE.report.csv, here or in --report-dir.`,
		Example: "  ativa subscribers resend 529.982.247-25\n  ativa subscribers resend 52998224725 --product play-basic -o json\n  ativa subscribers resend --status inProgress --older-than 3d --product play-basic --yes --max-changes 10%",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 && !o.pick.isSet() && o.pick.maxChanges == "" {
				return runSubscribersResend(c.Context(), e, args[0], o.product)
			}
			if len(args) == 0 && !o.pick.isSet() {
				return cli.Usage("no document is given").WithHint("give one, or select with --status or --older-than")
			}
			o.args = commandLine(c)
			o.send = bulk.Options{Rows: 1, InFlight: 8}
			return runBatch(c.Context(), e, resendOperation, o, args)
		},
	}
	f := c.Flags()
	f.StringVarP(&o.product, "product", "p", "", "send only for this product: id, code or name")
	f.StringVar(&o.reportDir, "report-dir", "", "directory of the report of a selection (default: the working directory)")
	if e.Names("resend") {
		o.pick.addForRun(f)
	}
	return cli.WithColumns(e, resendResults, c)
}

func runSubscribersResend(ctx context.Context, e *cli.Env, which, product string) error {
	p, err := cli.NewPrinter(e, resendResults())
	if err != nil {
		return err
	}
	what := func(who string) cli.Message {
		if product != "" {
			return cli.Msg("send the activation e-mail of %s for %s again; its earlier link stops working", who, product)
		}
		return cli.Msg("send the activation e-mails of %s again; earlier links stop working", who)
	}
	return changeSubscriber(ctx, e, which, what, func(ctx context.Context, c *client.Client, target *subscriberArg) error {
		step := support.Step{Action: support.Resend, Document: target.document}
		if product != "" {
			if step.Product, err = findProduct(ctx, c, product); err != nil {
				return err
			}
		}
		done, err := support.Perform(ctx, c, step)
		if errors.Is(err, client.ErrResendsAll) {
			return notSupported(
				cli.Msg("this server cannot send the e-mail of one service alone, and %s is not the only one that it would send for; nothing was sent", product),
				cli.Msg("`ativa subscribers explain %s` shows the services; without --product the e-mails of all of them are sent", target.document))
		}
		if err != nil {
			return err
		}
		if !done.Resent.Detailed {
			e.Notice("the server has accepted it and does not say which e-mails it sends")
		}
		err = p.Results(ctx, done.Resent.Raw, done.Resent.Value.Results)
		e.Next("ativa subscribers explain " + target.document)
		return err
	})
}
