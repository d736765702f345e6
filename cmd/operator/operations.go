package operator

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/render"
	"ativa/internal/service/domain"
	"ativa/internal/settings"
)

// operationRow is an operation in the shape of decisions.md 10.
type operationRow struct {
	ID        string `json:"operation_id" column:"title=id"`
	Operation string `json:"operation" column:"word"`
	State     string `json:"state" column:"word"`
	Provider  string `json:"provider"`
	Partner   string `json:"partner"`
	Document  string `json:"document" column:"document"`
	ProductID int    `json:"content_supplier_product_id" column:"title=product"`
	Created   string `json:"created_at" column:"time"`
	Attempts  int    `json:"attempts"`
	Reason    string `json:"reason"`
}

func toOperationRow(o domain.OperationEntry) operationRow {
	return operationRow{o.ID.String(), o.Kind.String(), o.State.String(), o.Provider, o.PartnerName, o.Document, o.ProductID,
		cli.FormatTime(o.CreatedAt), o.Attempts, o.Reason}
}

func operations() render.Schema[operationRow] {
	return cli.SchemaOf[operationRow]("operation", "operations", "no operations")
}

func newAdminOperations(e *cli.Env, o *adminOptions) *cobra.Command {
	return e.Group(&cobra.Command{Use: "operations", Short: "Requests to partners, and their state"},
		newOperationsResolve(e, o, true), newOperationsResolve(e, o, false), newOperationsList(e, o))
}

func newOperationsList(e *cli.Env, o *adminOptions) *cobra.Command {
	var stuck time.Duration
	var all, unfinished bool
	c := &cobra.Command{
		Use: "list", Short: "List operations that wait for a confirmation", Args: cli.Args(cobra.NoArgs),
		Example: "  ativa admin operations list\n  ativa admin operations list --stuck 24h -o json\n  ativa admin operations list --unfinished --stuck 168h   # no click for a week",
	}
	cli.AddSpanFlag(c.Flags(), &stuck, "stuck", 0, "only those that have waited at least this long")
	c.Flags().BoolVar(&unfinished, "unfinished", false, "only activations that the subscriber has not completed: each holds an active token")
	c.Flags().BoolVar(&all, "all", false, "also those that have ended")
	return adminList(e, o, operations, cli.AddLimit(e, c), func(ctx context.Context, service *Parts, _ []string) ([]operationRow, error) {
		if why := settings.IsDuration(stuck.String()); !why.IsEmpty() {
			return nil, cli.Usage("%s %s", "--stuck", why)
		}
		filter := domain.OperationFilter{States: []domain.OperationState{domain.OperationWaiting}, HoldingSlot: unfinished}
		if all {
			filter.States = nil
		}
		if stuck > 0 {
			filter.CreatedBefore = e.Now().Add(-stuck)
		}
		found, err := service.Store.ListOperations(ctx, filter)
		return cli.Map(found, toOperationRow), err
	})
}

func newOperationsResolve(e *cli.Env, o *adminOptions, confirmed bool) *cobra.Command {
	var reason string
	use, short, example := "confirm ID", "Confirm an operation in the partner's place", "  ativa admin operations confirm op_1y2p0ij32e8e7\n  ativa admin operations confirm \\\n      $(ativa admin operations list -o name | head -n 1)"
	if !confirmed {
		use, short, example = "fail ID --reason R", "Fail an operation in the partner's place", "  ativa admin operations fail op_1y2p0ij32e8e7 --reason rejected\n  ativa admin operations fail op_1y2p0ij32e8e7 \\\n      --reason \"not this customer\" --quiet"
	}
	c := &cobra.Command{
		Use: use, Short: short, Args: cli.Args(cobra.ExactArgs(1)), Example: example,
		RunE: func(c *cobra.Command, args []string) error {
			return runOperationsResolve(c.Context(), e, o, args[0], confirmed, reason)
		},
	}
	if !confirmed {
		c.Flags().StringVar(&reason, "reason", "", "why it failed; shown in the history")
		cli.Require(c, "reason")
	}
	return c
}

func runOperationsResolve(ctx context.Context, e *cli.Env, o *adminOptions, which string, confirmed bool, reason string) error {
	id, err := domain.ParseOperationID(which)
	if err != nil {
		return cli.Usage("%q is not the id of an operation", which).WithHint("`ativa admin operations list` shows those that wait")
	}
	if err := withDatabase(ctx, e, o, func(ctx context.Context, service *Parts) error {
		return service.Rules.Resolve(ctx, id, confirmed, reason)
	}); err != nil {
		return err
	}
	if confirmed {
		e.Notice("%s is confirmed", which)
	} else {
		e.Notice("%s has failed: %s", which, reason)
	}
	return e.PrintSuccess(ctx)
}
