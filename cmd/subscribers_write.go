package cmd

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/lifecycle"
	"ativa/internal/render"
	"ativa/internal/sheet"
	"ativa/internal/support"
)

// subscriberFlags holds the fields of a subscriber as flags.
type subscriberFlags struct {
	name, email, document, phone, plan, speed string
}

func (o *subscriberFlags) add(e *cli.Env, c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.name, "name", "", "full name")
	f.StringVar(&o.email, "email", "", "e-mail address")
	f.StringVar(&o.document, "document", "", "CPF, in any format")
	f.StringVar(&o.phone, "phone", "", "telephone with area code")
	f.StringVar(&o.plan, "plan", "", "name of the plan")
	f.StringVar(&o.speed, "speed", "", "internet speed: id, or a text such as \"500 Mega\", of those that ativa subscribers speeds lists")
	e.CompleteFlag(c, "speed", completeSpeeds(e))
	cli.AllowEmpty(c, "plan")
}

func newSubscribersCreate(e *cli.Env) *cobra.Command {
	var o subscriberFlags
	c := &cobra.Command{
		Use: "create", Short: "Register one subscriber", GroupID: "change", Args: cli.Args(cobra.NoArgs),
		SuggestFor:  []string{"add", "new", "register", "criar", "cadastrar", "cadastro", "novo", "nova"},
		Annotations: map[string]string{cli.ExitCodes: cli.ConnectedExits + " 5"},
		Example: `  ativa subscribers create --name "Ana Souza" --email ana@example.com.br \
      --document 529.982.247-25 --phone "(11) 98765-4321"
  ativa subscribers create --name "João Silva" --email joao@example.com.br \
      --document 11144477735 --phone 11987654322 --speed 10 --plan "Fibra 100" \
      -o json`,
	}
	o.add(e, c)
	cli.Require(c, "name", "email", "document", "phone")
	return cli.Prints(e, subscribers, c, func(ctx context.Context, p *render.Printer[subscriberItem], _ []string) error {
		u, err := o.parse(c.Flags())
		if err != nil {
			return err
		}
		return runSubscribersCreate(ctx, e, p, u, o.speed)
	})
}

func runSubscribersCreate(ctx context.Context, e *cli.Env, p *render.Printer[subscriberItem], u api.SubscriberUpdate, speed string) error {
	doc := u.Document.Value
	s := api.SubscriberCreate{Name: u.Name.Value, Email: u.Email.Value, Document: doc, Phone: u.Phone.Value, CustomerPlan: u.CustomerPlan.Value,
		InternetSpeedID: api.Some(api.Int(api.DefaultInternetSpeed))}
	return e.WithWritableClient(ctx, func(ctx context.Context, c *client.Client) error {
		if err := e.Confirm(cli.Confirmation{Title: cli.Msg("register %s (%s)", s.Name, cli.MaskDocument(doc))}); err != nil {
			return err
		}
		if speed != "" {
			id, err := speedID(ctx, c, speed)
			if err != nil {
				return err
			}
			s.InternetSpeedID.Value = id
		}
		a, err := c.CreateSubscriber(ctx, s, client.NewIdempotencyKey())
		if err != nil {
			return err
		}
		if _, err = printSubscriber(ctx, c, p, a, doc); err == nil {
			suggestActivation(ctx, e, c, doc)
		}
		return err
	})
}

// suggestActivation suggests the commands that activate a product for a new subscriber. If the
// products cannot be read, it suggests nothing.
func suggestActivation(ctx context.Context, e *cli.Env, c *client.Client, document string) {
	if !e.Suggests() {
		return
	}
	products, err := c.Products(ctx)
	if err == nil {
		all := support.Catalog{Products: client.Values(products)}
		e.Next(document, (&support.Overview{Catalog: &all, Document: document}).ActivationCommands()...)
	}
}

// parse returns the given fields, except the speed, which is looked up in the server's list. It
// reads them like cells of an import: another server may store them unchanged.
func (o *subscriberFlags) parse(f *pflag.FlagSet) (u api.SubscriberUpdate, err error) {
	if f.Changed("document") {
		document, err := cli.ParseDocument(o.document)
		if err != nil {
			return u, err
		}
		u.Document = api.Some(document)
	}
	for _, x := range []struct {
		flag, value string
		read        func(string) (string, error)
		field       *api.Optional[string]
	}{{"name", o.name, sheet.Name, &u.Name}, {"email", o.email, sheet.Email, &u.Email}, {"phone", o.phone, sheet.Phone, &u.Phone}, {"plan", o.plan, sheet.Plan, &u.CustomerPlan}} {
		if !f.Changed(x.flag) {
			continue
		}
		value, err := x.read(x.value)
		if err != nil {
			return u, cli.Usage("--%s: %s", x.flag, err)
		}
		*x.field = api.Some(value)
	}
	return u, nil
}

// speedID returns the id of an internet speed of the server's list, given as an id or, as in a
// spreadsheet, as a text.
func speedID(ctx context.Context, c *client.Client, s string) (api.Int, error) {
	list, err := c.InternetSpeeds(ctx)
	if err != nil {
		return 0, err
	}
	id, err := sheet.SpeedID(client.Values(list), s)
	if err != nil {
		return 0, cli.Usage("there is no internet speed %q", s).WithHint("see `ativa subscribers speeds`")
	}
	return id, nil
}

// printSubscriber prints the subscriber of a response, or reads it from the server, and
// returns it.
func printSubscriber(ctx context.Context, c *client.Client, p *render.Printer[subscriberItem], a client.WriteResult[api.SubscriberResponse], doc string) (api.Subscriber, error) {
	if !a.Detailed {
		s, err := c.Subscriber(ctx, doc)
		if err != nil {
			return api.Subscriber{}, client.Accepted(err)
		}
		return s.Value, p.One(ctx, nil, s)
	}
	var whole struct {
		Subscriber json.RawMessage `json:"subscriber"`
	}
	if err := json.Unmarshal(a.Raw, &whole); err != nil {
		return api.Subscriber{}, err
	}
	return a.Value.Subscriber, p.One(ctx, a.Raw, subscriberItem{Value: a.Value.Subscriber, Raw: whole.Subscriber})
}

func newSubscribersUpdate(e *cli.Env) *cobra.Command {
	var o subscriberFlags
	c := &cobra.Command{
		Use: "update DOC", Short: "Change fields of a subscriber; what is not given stays", GroupID: "change", Args: cli.Args(cobra.ExactArgs(1)),
		SuggestFor:  []string{"edit", "modify", "atualizar", "alterar", "editar", "corrigir"},
		Annotations: map[string]string{cli.ExitCodes: cli.ConnectedExits + " 5"},
		Example:     "  ativa subscribers update 529.982.247-25 --email ana.nova@example.com.br\n  ativa subscribers update 52998224725 --plan \"Fibra 500\" --speed \"500 Mega\"",
	}
	o.add(e, c)
	return cli.Prints(e, subscribers, c, func(ctx context.Context, p *render.Printer[subscriberItem], args []string) error {
		u, err := o.parse(c.Flags())
		if err != nil {
			return err
		}
		if u == (api.SubscriberUpdate{}) && o.speed == "" {
			return cli.Usage("nothing to change").WithHint("give the fields to change, for example --email")
		}
		return runSubscribersUpdate(ctx, e, p, args[0], u, o.speed)
	})
}

func runSubscribersUpdate(ctx context.Context, e *cli.Env, p *render.Printer[subscriberItem], which string, u api.SubscriberUpdate, speed string) error {
	return withSubscriber(ctx, e, e.WithWritableClient, which, func(ctx context.Context, c *client.Client, target *subscriberArg) error {
		asks, err := e.AsksToConfirm(false)
		if err != nil {
			return err
		}
		if asks {
			who, err := target.who(ctx, c)
			if err != nil {
				return err
			}
			if err := e.Confirm(cli.Confirmation{Title: cli.Msg("change fields of %s", who)}); err != nil {
				return err
			}
		}
		doc := target.document
		if speed != "" {
			id, err := speedID(ctx, c, speed)
			if err != nil {
				return err
			}
			u.InternetSpeedID = api.Some(id)
		}
		a, err := c.UpdateSubscriber(ctx, doc, u, client.NewIdempotencyKey())
		if err != nil {
			return err
		}
		if u.Document.Set {
			doc = u.Document.Value
		}
		updated, err := printSubscriber(ctx, c, p, a, doc)
		if err != nil {
			return err
		}
		if u.Name.Set || u.Email.Set || u.Phone.Set {
			e.SetTerm(doc, "") // what was typed may find nobody now
		}
		next := "ativa subscribers explain "
		if u.Email.Set && slices.ContainsFunc(updated.Services, func(s api.Service) bool { return lifecycle.Of(s.StatusID).WaitsFor == lifecycle.WaitsForSubscriber }) {
			next = "ativa subscribers resend " // the activation e-mail went to the old address
		}
		e.Next(doc, next+doc)
		return nil
	})
}

func newSubscribersDelete(e *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "delete DOC", Short: "Erase a subscriber whose services are all cancelled", GroupID: "change", Args: cli.Args(cobra.ExactArgs(1)),
		SuggestFor:  []string{"remove", "rm", "erase", "excluir", "apagar", "remover"},
		Annotations: map[string]string{cli.ExitCodes: cli.ConnectedExits + " 5"},
		Example:     "  ativa subscribers delete 529.982.247-25\n  ativa subscribers delete 52998224725 --yes",
		RunE:        func(c *cobra.Command, args []string) error { return runSubscribersDelete(c.Context(), e, args[0]) },
	}
}

func runSubscribersDelete(ctx context.Context, e *cli.Env, which string) error {
	return withSubscriber(ctx, e, e.WithWritableClient, which, func(ctx context.Context, c *client.Client, target *subscriberArg) error {
		doc := target.document
		s, err := c.Subscriber(ctx, doc)
		if err != nil {
			return err
		}
		what := []cli.Message{cli.Msg("%s", services(e.Lang, s.Value.Services))}
		title := cli.Msg("Erase %s (%s) for good", s.Value.Name, cli.MaskDocument(doc))
		if err := e.Confirm(cli.Confirmation{Title: title, What: what, Always: true}); err != nil {
			return err
		}
		if _, err := c.DeleteSubscriber(ctx, doc, client.NewIdempotencyKey()); err != nil {
			return err
		}
		e.Notice("erased %s", cli.MaskDocument(doc))
		e.Next("", "ativa subscribers list")
		return e.PrintSuccess(ctx)
	})
}
