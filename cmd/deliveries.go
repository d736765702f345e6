package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/render"
)

type deliveryItem = client.Item[api.Delivery]

func deliveries(names productNames) render.Schema[deliveryItem] {
	return render.Schema[deliveryItem]{One: "delivery", Many: "deliveries", Empty: "no deliveries", Columns: []render.Column[deliveryItem]{
		{Name: "requested_at", Title: "requested", Kind: render.Time, Value: func(r deliveryItem) string { return r.Value.RequestedAt.String() }},
		{Name: "kind", Kind: render.Word, Value: func(r deliveryItem) string { return r.Value.Kind }},
		{Name: "content_supplier_product_id", Title: "product", Value: func(r deliveryItem) string { return names.cell(r.Value.ProductID) }},
		{Name: "state", Kind: render.Word, Value: func(r deliveryItem) string { return r.Value.State }},
		{Name: "attempts", Kind: render.Number, Value: func(r deliveryItem) string { return number(r.Value.Attempts) }},
		{Name: "last_attempt_at", Title: "last attempt", Kind: render.Time, Value: func(r deliveryItem) string { return r.Value.LastAttemptAt.String() }},
		{Name: "next_attempt_at", Title: "next attempt", Kind: render.Time, Value: func(r deliveryItem) string { return r.Value.NextAttemptAt.String() }},
		{Name: "opened_at", Title: "link opened", Kind: render.Time, Value: func(r deliveryItem) string { return r.Value.OpenedAt.String() }},
		{Name: "error", Kind: render.Cause, Value: func(r deliveryItem) string { return string(r.Value.Error) }},
		{Name: "operation_id", Extra: true, Value: func(r deliveryItem) string { return string(r.Value.OperationID) }},
		{Name: "id", Extra: true, Value: func(r deliveryItem) string { return r.Value.ID }},
	}, JSON: cli.RawJSON[api.Delivery]}
}

func newSubscribersDeliveries(e *cli.Env) *cobra.Command {
	names := productNames{}
	return cli.Prints(e, func() render.Schema[deliveryItem] { return deliveries(names) }, cli.AddLimit(e, &cobra.Command{
		Use: "deliveries DOC", Short: "Show the outcome of each e-mail, callback and request to the partner", GroupID: "find", Args: cli.Args(cobra.ExactArgs(1)),
		Annotations: map[string]string{cli.ExitCodes: cli.ConnectedExits + " 5"},
		Long: `Show the outcome of each activation e-mail, callback and request to the partner
of a subscriber, newest first. One is sent when the mail server, the callback or
the partner has accepted it; failed when it was given up; superseded when a
newer e-mail replaced it, or the service ended, before it was sent. An opened
link does not mean that a person read the e-mail: mail scanners open links, too.`,
		Example: "  ativa subscribers deliveries 529.982.247-25\n  ativa subscribers deliveries 52998224725 --sort opened_at:desc -o json",
	}), func(ctx context.Context, p *render.Printer[deliveryItem], args []string) error {
		return printListOf(ctx, e, p, names, args[0], func(ctx context.Context, c *client.Client, document string) ([]deliveryItem, error) {
			if err := needsExtension(ctx, c, api.ExtDeliveries, cli.Msg("this server does not report what happened to its e-mails")); err != nil {
				return nil, err
			}
			return c.Deliveries(ctx, document)
		})
	})
}
