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

func newSubscribersResend(e *cli.Env) *cobra.Command {
	var product string
	c := &cobra.Command{
		Use: "resend DOC", Short: "Send the activation e-mails again; earlier links stop working", Args: cli.Args(cobra.ExactArgs(1)),
		Long: `Send a new activation e-mail for every service of the subscriber that is active or
in activation; earlier links stop working. With --product only for that service. A
server that cannot send for one service refuses that (exit 5, nothing is sent),
unless the subscriber has no other service that would be mailed.`,
		Example: "  ativa subscribers resend 529.982.247-25\n  ativa subscribers resend 52998224725 --product play-basic -o json",
		RunE: func(c *cobra.Command, args []string) error {
			return runSubscribersResend(c.Context(), e, args[0], product)
		},
	}
	c.Flags().StringVarP(&product, "product", "p", "", "send only for this product: id, code or name")
	return c
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
				cli.Msg("`ativa subscribers explain DOC` shows the services; without --product the e-mails of all of them are sent"))
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
