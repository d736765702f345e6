package cmd

import (
	"context"
	"maps"

	"github.com/spf13/cobra"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/render"
	"ativa/internal/support"
)

func newSubscribersHistory(e *cli.Env) *cobra.Command {
	deliveries, names := map[string][]cli.Message{}, productNames{}
	return cli.Prints(e, func() render.Schema[eventItem] { return historyEvents(e, deliveries, names) }, cli.AddLimit(e, &cobra.Command{
		Use: "history DOC", Short: "Show what happened to a subscriber and its services", GroupID: "find", Args: cli.Args(cobra.ExactArgs(1)),
		SuggestFor:  []string{"log", "historico", "histórico"},
		Annotations: map[string]string{cli.ExitCodes: cli.ConnectedExits + " 5"},
		Long: `Show what happened to a subscriber and its services, oldest first, with the name
of the access token that was used and, if the server reports them, the outcomes
of the e-mails and requests that each event caused.`,
		Example: "  ativa subscribers history 529.982.247-25\n  ativa subscribers history 52998224725 \\\n      --columns occurred_at,previous_status,status",
	}), func(ctx context.Context, p *render.Printer[eventItem], args []string) error {
		return printListOf(ctx, e, p, names, args[0], func(ctx context.Context, c *client.Client, doc string) ([]eventItem, error) {
			return readHistory(ctx, e, c, doc, deliveries)
		})
	})
}

// historyEvents returns the schema of a history. deliveries maps the id of an event to its
// deliveries.
func historyEvents(e *cli.Env, deliveries map[string][]cli.Message, names productNames) render.Schema[eventItem] {
	l := e.CellLanguage()
	s := events("history", l, names)
	s.Columns = append(s.Columns, render.Column[eventItem]{Name: "deliveries", Min: 22,
		Value: func(r eventItem) string { return joinMessages(l, deliveries[r.Value.ID]) }})
	return s
}

// readHistory reads the events of a subscriber and, where the server supports it, fills deliveries
// with the outcomes of each event's deliveries.
func readHistory(ctx context.Context, e *cli.Env, c *client.Client, doc string, deliveries map[string][]cli.Message) ([]eventItem, error) {
	if err := needsExtension(ctx, c, api.ExtHistory, cli.Msg("this server keeps no history")); err != nil {
		return nil, err
	}
	all, err := c.History(ctx, doc)
	if err != nil {
		return nil, err
	}
	reported, err := c.HasExtension(ctx, api.ExtDeliveries)
	if err != nil {
		return nil, err
	}
	if !reported {
		e.Notice("the server does not report what happened to its e-mails")
		return all, nil
	}
	sent, err := c.Deliveries(ctx, doc)
	maps.Copy(deliveries, support.EventDeliveries(client.Values(all), client.Values(sent), e.Now()))
	return all, err
}
