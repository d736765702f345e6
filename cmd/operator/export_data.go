package operator

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/cpf"
	"ativa/internal/render"
	"ativa/internal/service/domain"
)

// personalDocument is the output of `admin export-data`: one subscriber's data under the API's
// names.
type personalDocument struct {
	Provider   string             `json:"provider"`
	ExportedAt string             `json:"exported_at"`
	Subscriber personalSubscriber `json:"subscriber"`
	Services   []personalService  `json:"services"`
	Schedules  []personalSchedule `json:"schedules"`
	History    []personalEvent    `json:"history"`
	Deliveries []personalDelivery `json:"deliveries"`
}

type personalSubscriber struct {
	Name      string `json:"name"`
	Email     string `json:"email"`
	Document  string `json:"document"`
	Phone     string `json:"phone"`
	SpeedID   int    `json:"internet_speed_id"`
	Plan      string `json:"customer_plan"`
	CreatedAt string `json:"created_at"`
}

type personalService struct {
	ProductID   int    `json:"content_supplier_product_id"`
	ProductName string `json:"content_supplier_product_name"`
	Status      string `json:"status"`
	CreatedAt   string `json:"token_created_at"`
	UpdatedAt   string `json:"status_updated_at"`
	// Enabled lists when the service was enabled, and with which product.
	Enabled []personalInterval `json:"enabled"`
}

type personalInterval struct {
	ProductID int    `json:"content_supplier_product_id"`
	From      string `json:"from"`
	To        string `json:"to,omitempty"`
}

type personalSchedule struct {
	Operation string `json:"operation"`
	ProductID int    `json:"content_supplier_product_id"`
	At        string `json:"at"`
	State     string `json:"state"`
	Code      string `json:"code,omitempty"`
}

type personalEvent struct {
	Type      string `json:"type"`
	At        string `json:"occurred_at"`
	ProductID int    `json:"content_supplier_product_id,omitempty"`
	Status    string `json:"status,omitempty"`
	Trigger   string `json:"trigger"`
	Actor     string `json:"actor"`
	Reason    string `json:"reason,omitempty"`
}

type personalDelivery struct {
	Kind      string `json:"kind"`
	State     string `json:"state"`
	CreatedAt string `json:"created_at"`
	Attempts  int    `json:"attempts"`
	LastError string `json:"last_error,omitempty"`
	AttemptAt string `json:"last_attempt_at,omitempty"`
	OpenedAt  string `json:"opened_at,omitempty"`
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
	products, err := service.Store.Products(ctx)
	if err != nil {
		return err
	}
	names := namesByID(products, func(p domain.Product) (int, string) { return p.ID, p.Name })
	return printDocument(ctx, e, personalDocument{
		Provider: provider, ExportedAt: cli.FormatTime(service.Rules.Now()),
		Subscriber: personalSubscriber{data.Name, data.Email, string(data.Document), data.Phone, data.SpeedID, data.Plan, cli.FormatTime(data.CreatedAt)},
		Services: cli.Map(data.Services, func(s domain.Service) personalService {
			return personalService{s.ProductID, names[s.ProductID], s.Status.String(), cli.FormatTime(s.CreatedAt), cli.FormatTime(s.UpdatedAt), enabledTimes(data.Enabled, s.ID)}
		}),
		Schedules: cli.Map(data.Schedules, func(v domain.Schedule) personalSchedule {
			return personalSchedule{v.Request.String(), v.ProductID, cli.FormatTime(v.At), v.State.String(), string(v.Code)}
		}),
		History: cli.Map(data.History, func(v domain.Event) personalEvent {
			row := personalEvent{Type: v.Type.String(), At: cli.FormatTime(v.At), ProductID: v.ProductID, Trigger: v.Trigger, Actor: string(v.Actor), Reason: v.Reason}
			if v.Type == domain.StatusChanged {
				row.Status = v.Status.String()
			}
			return row
		}),
		Deliveries: cli.Map(data.Deliveries, func(v domain.Delivery) personalDelivery {
			return personalDelivery{v.Kind.String(), v.State.String(), cli.FormatTime(v.CreatedAt), v.Attempts, v.LastError, cli.FormatTime(v.LastAttemptAt), cli.FormatTime(v.OpenedAt)}
		}),
	})
}

func enabledTimes(all []domain.EnabledInterval, of domain.ServiceID) []personalInterval {
	times := []personalInterval{}
	for _, i := range all {
		if i.Service == of {
			times = append(times, personalInterval{i.ProductID, cli.FormatTime(i.Begin), cli.FormatTime(i.End)})
		}
	}
	return times
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
