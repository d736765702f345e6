package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/render"
)

type scheduleItem = client.Item[api.Schedule]

func schedules(e *cli.Env, names productNames) render.Schema[scheduleItem] {
	l := e.CellLanguage()
	return render.Schema[scheduleItem]{One: "schedule", Many: "schedules", Empty: "nothing is scheduled", Columns: []render.Column[scheduleItem]{
		{Name: "schedule_id", Title: "id", Value: func(r scheduleItem) string { return r.Value.ID }},
		{Name: "at", Kind: render.Time, Priority: 2, Value: func(r scheduleItem) string { return r.Value.At.String() },
			Short: func(r scheduleItem) string { return e.Minute(r.Value.At.Time) }}, // the hour matters even on a distant day
		{Name: "operation", Kind: render.Word, Priority: 1, Min: 12, Value: func(r scheduleItem) string { return string(r.Value.Operation) }},
		{Name: "document", Kind: render.Document, Value: func(r scheduleItem) string { return r.Value.Document }},
		{Name: "content_supplier_product_id", Title: "product", Priority: 1, Min: 8, Value: func(r scheduleItem) string { return names.cell(r.Value.ProductID) }},
		{Name: "state", Kind: render.Word, Priority: 1, Value: func(r scheduleItem) string { return r.Value.State }},
		{Name: "actor_name", Title: "by", Value: func(r scheduleItem) string { return string(r.Value.ActorName) }},
		{Name: "code", Title: "reason", Value: func(r scheduleItem) string { return reasonCell(l, string(r.Value.Code)) }},
	}, JSON: cli.RawJSON[api.Schedule]}
}

func newSchedule(e *cli.Env) *cobra.Command {
	return e.Group(&cobra.Command{
		Use: "schedule", Short: "List and cancel scheduled operations",
		SuggestFor:  []string{"scheduled", "later", "agenda", "agendar", "agendamento", "agendamentos"},
		Annotations: map[string]string{cli.ExitCodes: cli.ConnectedExits + " 5"},
	}, newScheduleList(e), newScheduleCancel(e))
}

func newScheduleList(e *cli.Env) *cobra.Command {
	names := productNames{}
	return cli.Prints(e, func() render.Schema[scheduleItem] { return schedules(e, names) }, cli.AddLimit(e, &cobra.Command{
		Use: "list [DOC]", Short: "List scheduled operations, of all subscribers or of one", Args: cli.Args(cobra.MaximumNArgs(1)),
		Long: `List scheduled operations in order of creation: waiting, done, cancelled and
refused ones. A refused operation has its reason.`,
		Example: "  ativa provision schedule list 529.982.247-25\n  ativa provision schedule list --sort at\n  ativa provision schedule list \\\n      --jq '.schedules[] | select(.state == \"waiting\")'",
	}), func(ctx context.Context, p *render.Printer[scheduleItem], args []string) error {
		if len(args) == 1 {
			return printListOf(ctx, e, p, names, args[0], func(ctx context.Context, c *client.Client, document string) ([]scheduleItem, error) {
				if err := needsSchedules(ctx, c); err != nil {
					return nil, err
				}
				return client.Collect(c.Schedules(ctx, document))
			})
		}
		return e.WithClient(ctx, func(ctx context.Context, c *client.Client) error {
			if err := needsSchedules(ctx, c); err != nil {
				return err
			}
			if err := names.read(ctx, c, p.Format()); err != nil {
				return err
			}
			return p.List(ctx, c.Schedules(ctx, ""))
		})
	})
}

func newScheduleCancel(e *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "cancel ID", Short: "Cancel a scheduled operation", Args: cli.Args(cobra.ExactArgs(1)),
		Long:    "Cancel a scheduled operation by its id. Exit 3 when no operation has the id, 5 when it was done, refused or cancelled already.",
		Example: "  ativa provision schedule cancel sch_1y2p0ij32e8e7\n  ativa provision schedule cancel sch_1y2p0ij32e8e7 --quiet",
		RunE:    func(c *cobra.Command, args []string) error { return cancelSchedule(c.Context(), e, args[0]) },
	}
}

func cancelSchedule(ctx context.Context, e *cli.Env, id string) error {
	return e.WithWritableClient(ctx, func(ctx context.Context, c *client.Client) error {
		if err := needsSchedules(ctx, c); err != nil {
			return err
		}
		if err := e.Confirm(cli.Confirmation{Title: cli.Msg("cancel what is scheduled as %s", id)}); err != nil {
			return err
		}
		if _, err := c.CancelSchedule(ctx, id, client.NewIdempotencyKey()); err != nil {
			return err
		}
		e.Notice("cancelled: %s", id)
		return e.PrintSuccess(ctx)
	})
}
