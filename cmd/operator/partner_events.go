package operator

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/provision"
	"ativa/internal/render"
)

// partnerEventRow is what a partner reported about an operation.
type partnerEventRow struct {
	Partner   string `json:"partner"`
	ID        string `json:"id"`
	Type      string `json:"type"`
	Operation string `json:"operation_id"`
	Reason    string `json:"reason"`
	Received  string `json:"received_at"`
	State     string `json:"state"`
}

func partnerEvents() render.Schema[partnerEventRow] {
	return render.Schema[partnerEventRow]{One: "event", Many: "events", Empty: "no partner events", Columns: []render.Column[partnerEventRow]{
		{Name: "id", Value: func(r partnerEventRow) string { return r.ID }},
		{Name: "partner", Value: func(r partnerEventRow) string { return r.Partner }},
		{Name: "type", Value: func(r partnerEventRow) string { return r.Type }},
		{Name: "operation_id", Title: "operation", Value: func(r partnerEventRow) string { return r.Operation }},
		{Name: "reason", Value: func(r partnerEventRow) string { return r.Reason }},
		{Name: "received_at", Kind: render.Time, Value: func(r partnerEventRow) string { return r.Received }},
		{Name: "state", Kind: render.Word, Value: func(r partnerEventRow) string { return r.State }},
	}, JSON: cli.ToJSON[partnerEventRow]}
}

func toPartnerEventRow(r provision.PartnerEvent, partner string) partnerEventRow {
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
	}), func(ctx context.Context, m *provision.Manager, _ []string) ([]partnerEventRow, error) {
		return listPartnerEvents(ctx, m)
	})
}

func listPartnerEvents(ctx context.Context, m *provision.Manager) ([]partnerEventRow, error) {
	names, err := partnerNames(ctx, m)
	if err != nil {
		return nil, err
	}
	parked, err := m.PartnerEvents(ctx, []provision.PartnerEventState{provision.PartnerEventUnmatched})
	return cli.Map(parked, func(r provision.PartnerEvent) partnerEventRow { return toPartnerEventRow(r, names[r.Partner]) }), err
}

// replayRow says how many parked events found their operation.
type replayRow struct {
	Matched int `json:"matched"`
	Parked  int `json:"parked"`
}

func replays() render.Schema[replayRow] {
	return render.Schema[replayRow]{One: "replay", Columns: []render.Column[replayRow]{
		{Name: "matched", Kind: render.Number, Value: func(r replayRow) string { return strconv.Itoa(r.Matched) }},
		{Name: "parked", Kind: render.Number, Value: func(r replayRow) string { return strconv.Itoa(r.Parked) }},
	}, JSON: cli.ToJSON[replayRow]}
}

func newPartnersReplay(e *cli.Env, o *adminOptions) *cobra.Command {
	return adminOne(e, o, replays, &cobra.Command{
		Use: "replay", Short: "Apply again the events that matched no operation; what matches none stays parked", Args: cli.Args(cobra.NoArgs),
		Example: "  ativa admin partners replay\n  ativa admin partners replay --quiet",
	}, func(ctx context.Context, m *provision.Manager, _ []string) (replayRow, error) {
		matched, err := m.ReplayPartnerEvents(ctx)
		if err != nil {
			return replayRow{}, err
		}
		parked, err := listPartnerEvents(ctx, m)
		return replayRow{matched, len(parked)}, err
	})
}
