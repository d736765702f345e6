package operator

import (
	"context"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/render"
	"ativa/internal/service/domain"
)

// partnerEventRow is a partner event of an operation.
type partnerEventRow struct {
	Partner   string `json:"partner"`
	ID        string `json:"id" column:"first"`
	Type      string `json:"type"`
	Operation string `json:"operation_id" column:"title=operation"`
	Reason    string `json:"reason"`
	Received  string `json:"received_at" column:"time"`
	State     string `json:"state" column:"word"`
}

func partnerEvents() render.Schema[partnerEventRow] {
	return cli.SchemaOf[partnerEventRow]("event", "events", "no partner events")
}

func toPartnerEventRow(r domain.PartnerEvent, partner string) partnerEventRow {
	outcome := "failed"
	if r.Confirmed {
		outcome = "confirmed"
	}
	return partnerEventRow{partner, r.ID, "service." + r.Kind + "." + outcome, r.Operation.String(), r.Reason, cli.FormatTime(r.ReceivedAt), r.State.String()}
}

func newPartnersEvents(e *cli.Env, o *adminOptions) *cobra.Command {
	return adminList(e, o, partnerEvents, cli.AddLimit(e, &cobra.Command{
		Use: "events", Short: "List the events of partners that match no operation", Args: cli.Args(cobra.NoArgs),
		Example: "  ativa admin partners events\n  ativa admin partners events -o json",
	}), func(ctx context.Context, service *Parts, _ []string) ([]partnerEventRow, error) {
		return listPartnerEvents(ctx, service)
	})
}

func listPartnerEvents(ctx context.Context, service *Parts) ([]partnerEventRow, error) {
	names, err := partnerNames(ctx, service)
	if err != nil {
		return nil, err
	}
	parked, err := service.Store.PartnerEvents(ctx, []domain.PartnerEventState{domain.PartnerEventUnmatched})
	return cli.Map(parked, func(r domain.PartnerEvent) partnerEventRow { return toPartnerEventRow(r, names[r.Partner]) }), err
}

// replayRow is the number of parked events that now matched an operation, and of those still
// parked.
type replayRow struct {
	Matched int `json:"matched"`
	Parked  int `json:"parked"`
}

func replays() render.Schema[replayRow] {
	return cli.SchemaOf[replayRow]("replay", "", "")
}

func newPartnersReplay(e *cli.Env, o *adminOptions) *cobra.Command {
	return adminOne(e, o, replays, &cobra.Command{
		Use: "replay", Short: "Apply again the events that matched no operation; what matches none stays parked", Args: cli.Args(cobra.NoArgs),
		Example: "  ativa admin partners replay\n  ativa admin partners replay --quiet",
	}, func(ctx context.Context, service *Parts, _ []string) (replayRow, error) {
		matched, err := service.Rules.ReplayPartnerEvents(ctx)
		if err != nil {
			return replayRow{}, err
		}
		parked, err := listPartnerEvents(ctx, service)
		return replayRow{matched, len(parked)}, err
	})
}
