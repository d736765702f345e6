package operator

import (
	"context"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/render"
	"ativa/internal/service/domain"
)

// deliveryRow is a delivery in the shape of decisions.md 10.
type deliveryRow struct {
	ID        string `json:"id"`
	Kind      string `json:"kind" column:"word"`
	State     string `json:"state" column:"word"`
	Attempts  int    `json:"attempts" column:"priority=-2"`
	Next      string `json:"next_attempt_at" column:"time,title=next"`
	LastError string `json:"last_error" column:"cause"`
	Provider  string `json:"provider" column:"priority=-1"`
	Document  string `json:"document" column:"document,priority=1"`
}

func toDeliveryRow(d domain.Delivery) deliveryRow {
	row := deliveryRow{d.ID.String(), d.Kind.String(), d.State.String(), d.Attempts, cli.FormatTime(d.NextAt), d.LastError, d.ProviderName, d.Document}
	if d.State == domain.OutboxDone || d.State == domain.OutboxDead {
		row.Next = "" // no next attempt
	}
	return row
}

func deliveries() render.Schema[deliveryRow] {
	return cli.SchemaOf[deliveryRow]("delivery", "deliveries", "no deliveries")
}

func newAdminDeliveries(e *cli.Env, o *adminOptions) *cobra.Command {
	return e.Group(&cobra.Command{Use: "deliveries", Short: "E-mails, callbacks and partner requests that are owed or were given up"},
		newDeliveriesList(e, o), newDeliveriesRetry(e, o))
}

func newDeliveriesList(e *cli.Env, o *adminOptions) *cobra.Command {
	var dead, all bool
	filter := domain.DeliveryFilter{States: []domain.OutboxState{domain.OutboxDue, domain.OutboxLeased, domain.OutboxDead}}
	c := &cobra.Command{
		Use: "list", Short: "List the deliveries that are not done", Args: cli.Args(cobra.NoArgs),
		Example: "  ativa admin deliveries list\n  ativa admin deliveries list --dead -o json",
		PreRunE: func(*cobra.Command, []string) error {
			switch {
			case dead:
				filter.States = []domain.OutboxState{domain.OutboxDead}
			case all:
				filter.States = nil
			}
			return nil
		},
	}
	c.Flags().BoolVar(&dead, "dead", false, "only those that were given up")
	c.Flags().BoolVar(&all, "all", false, "also those that are done, of the last 30 days")
	c.MarkFlagsMutuallyExclusive("dead", "all")
	return adminList(e, o, deliveries, cli.AddLimit(e, c), func(ctx context.Context, service *Parts, _ []string) ([]deliveryRow, error) {
		found, err := service.Store.Deliveries(ctx, filter)
		return cli.Map(found, toDeliveryRow), err
	})
}

func newDeliveriesRetry(e *cli.Env, o *adminOptions) *cobra.Command {
	var ids []domain.DeliveryID
	return adminList(e, o, deliveries, &cobra.Command{
		Use: "retry ID...", Short: "Deliver now what was given up or waits for another attempt", Args: cli.Args(cobra.MinimumNArgs(1)),
		Long: `Make deliveries due now, with a fresh schedule: those that were given up, and those
that wait for another attempt. When one of them cannot be, nothing is changed. What
has nothing to deliver any more (a newer e-mail, a service that moved on) ends
without being sent. An activation e-mail that was refused for good has failed its
activation: resend it instead (ativa subscribers resend).`,
		Example: "  ativa admin deliveries retry job_1y2p0ij32e8e7\n  ativa admin deliveries retry $(ativa admin deliveries list --dead -o name)",
		PreRunE: func(_ *cobra.Command, args []string) (err error) {
			ids, err = cli.ParseAll(args, parseDeliveryID)
			return err
		},
	}, func(ctx context.Context, service *Parts, _ []string) ([]deliveryRow, error) {
		revived, err := service.Queue.Retry(ctx, ids)
		return cli.Map(revived, toDeliveryRow), err
	})
}

func parseDeliveryID(s string) (domain.DeliveryID, error) {
	id, err := domain.ParseDeliveryID(s)
	if err != nil {
		return id, cli.Usage("%q is not the id of a delivery", s).WithHint("`ativa admin deliveries list` shows those that wait or were given up")
	}
	return id, nil
}
