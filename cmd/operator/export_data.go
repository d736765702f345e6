package operator

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/cpf"
	"ativa/internal/render"
	"ativa/internal/service/domain"
	"ativa/internal/service/server"
)

// personalDocument is the output of `admin export-data`: one subscriber's data in the API's format.
type personalDocument struct {
	Provider   string             `json:"provider"`
	ExportedAt api.Time           `json:"exported_at"`
	Subscriber api.Subscriber     `json:"subscriber"`
	Enabled    []personalInterval `json:"enabled"`
	Schedules  []api.Schedule     `json:"schedules"`
	History    []api.Event        `json:"history"`
	Deliveries []api.Delivery     `json:"deliveries"`
}

// personalInterval is when a service was enabled.
type personalInterval struct {
	ProductID int      `json:"content_supplier_product_id"`
	From      api.Time `json:"from"`
	To        api.Time `json:"to"` // zero: still enabled
}

func newAdminExport(e *cli.Env, o *adminOptions) *cobra.Command {
	return &cobra.Command{
		Use: "export-data PROVIDER DOC", Short: "Print all that is kept about one subscriber, as JSON", Args: cli.Args(cobra.ExactArgs(2)),
		Long: `Print all that is kept about one subscriber, as JSON: the data itself, the
services, when they were enabled, what was scheduled for them, their history and the
deliveries. It is what to hand out when the subscriber asks for it (LGPD, article 18).
` + "`ativa subscribers delete`" + ` erases it.`,
		Example: "  ativa admin export-data \"Provedor Azul\" 529.982.247-25 >data.json\n  ativa admin export-data Azul 52998224725 --jq .subscriber",
		RunE: func(c *cobra.Command, args []string) error {
			d, err := cli.ParseDocument(args[1])
			if err != nil {
				return err
			}
			return withDatabase(c.Context(), e, o, func(ctx context.Context, service *Parts) error {
				return exportData(ctx, e, service, args[0], cpf.Document(d))
			})
		},
	}
}

func exportData(ctx context.Context, e *cli.Env, service *Parts, provider string, d cpf.Document) error {
	data, err := service.Reports.PersonalData(ctx, provider, d)
	if err != nil {
		return err
	}
	return printDocument(ctx, e, personalDocument{
		Provider: provider, ExportedAt: api.At(service.Rules.Now()), Subscriber: server.SubscriberOf(&data.SubscriberServices, data.Products),
		Enabled: cli.Map(data.Enabled, func(i domain.EnabledInterval) personalInterval {
			return personalInterval{i.ProductID, api.At(i.Begin), api.At(i.End)}
		}),
		Schedules: cli.Map(data.Schedules, func(s domain.Schedule) api.Schedule { return server.ScheduleOf(&s) }),
		History:   server.EventsOf(data.History), Deliveries: server.DeliveriesOf(data.Deliveries, service.Rules.Now()),
	})
}

// printDocument prints a document in the requested output format, by default as indented JSON.
func printDocument(ctx context.Context, e *cli.Env, document personalDocument) error {
	show, err := e.RenderOptions()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	if err := out.Encode(document); err != nil {
		return err
	}
	if e.Global.Output.IsSet() || show.Screen.Terminal {
		return render.Raw(ctx, e.Out, show, b.Bytes())
	}
	_, err = b.WriteTo(e.Out)
	return err
}
