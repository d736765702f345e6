package cmd

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/lang"
	"ativa/internal/render"
	"ativa/internal/support"
)

func newSubscribers(e *cli.Env) *cobra.Command {
	c := e.Group(&cobra.Command{
		Use: "subscribers", Short: "Register, find and change subscribers", GroupID: "find",
		Annotations: map[string]string{cli.ExitCodes: cli.ConnectedExits},
	},
		newSubscribersSearch(e),
		newSubscribersGet(e),
		newSubscribersExplain(e),
		newSubscribersHistory(e),
		newSubscribersDeliveries(e),
		newSubscribersList(e),
		newSubscribersSpeeds(e),
		newSubscribersCreate(e),
		newSubscribersUpdate(e),
		newSubscribersResend(e),
		newSubscribersDelete(e),
		newImport(e),
		newSubscribersExport(e),
	)
	c.AddGroup(
		&cobra.Group{ID: "find", Title: "Find and look:"},
		&cobra.Group{ID: "change", Title: "Change:"},
		&cobra.Group{ID: "many", Title: "Thousands at once:"},
	)
	return c
}

type subscriberItem = client.Item[api.Subscriber]

func subscribers() render.Schema[subscriberItem] {
	return render.Schema[subscriberItem]{One: "subscriber", Many: "subscribers", Empty: "no subscribers", Columns: []render.Column[subscriberItem]{
		{Name: "document", Kind: render.Document, Value: func(r subscriberItem) string { return r.Value.Document }},
		{Name: "name", Priority: 1, Min: 16, Usual: 24, Value: func(r subscriberItem) string { return r.Value.Name }},
		{Name: "email", Title: "e-mail", Priority: -1, Min: 16, Value: func(r subscriberItem) string { return r.Value.Email }},
		{Name: "phone", Kind: render.Phone, Value: func(r subscriberItem) string { return r.Value.Phone }},
		{Name: "internet_speed_id", Title: "speed", Kind: render.Number, Extra: true, Value: func(r subscriberItem) string { return number(r.Value.InternetSpeedID) }},
		{Name: "customer_plan", Title: "plan", Priority: -2, Value: func(r subscriberItem) string { return r.Value.CustomerPlan }},
		{Name: "services", Kind: render.Statuses, Priority: 2, Usual: 48, Value: func(r subscriberItem) string { return services(lang.English, r.Value.Services) }},
		{Name: "created_at", Title: "since", Kind: render.Time, Extra: true, Value: func(r subscriberItem) string { return r.Value.CreatedAt.String() }},
	}, JSON: cli.RawJSON[api.Subscriber]}
}

// services lists all services in one cell, such as "play-basic: active".
func services(l lang.Language, all []api.Service) string {
	return strings.Join(cli.Map(all, func(s api.Service) string {
		return cmp.Or(s.ProductCode, number(s.ProductID)) + ": " + l.Status(s.Status)
	}), ", ")
}

func newSubscribersList(e *cli.Env) *cobra.Command {
	return subscribersCommand(e, subscribers, &cobra.Command{
		Use: "list", Short: "List all subscribers with their services, or those with certain services", GroupID: "find", Args: cli.Args(cobra.NoArgs),
		SuggestFor: []string{"ls", "listar", "lista", "assinantes", "assinante", "customers", "clients", "users", "clientes"},
		Long: `List all subscribers with their services. With --status, --product or --older-than
only those with a service that meets all of them.`,
		Example: "  ativa subscribers list\n  ativa subscribers list --status inProgress --older-than 3d\n  ativa subscribers list -o csv > subscribers.csv",
	}, func(ctx context.Context, _ []string, o selectOptions) error {
		s := subscribers()
		if o.filters() {
			s.Empty = e.Text("no subscribers have such a service")
		}
		p, err := cli.NewPrinter(e, s)
		if err != nil {
			return err
		}
		defer e.NoticeMasked(p.Masked)
		return printSelected(ctx, e, p, o)
	})
}

func newSubscribersSearch(e *cli.Env) *cobra.Command {
	return subscribersCommand(e, subscribers, &cobra.Command{
		Use: "search TERM…", Short: "Find subscribers by name, e-mail, document or telephone", GroupID: "find", Args: cli.Args(cobra.MinimumNArgs(1)),
		SuggestFor:  []string{"find", "buscar", "busca", "procurar", "pesquisar", "localizar"},
		Annotations: map[string]string{cli.ExitCodes: cli.ConnectedExits + " 7", cli.AllContexts: "yes"},
		Long: `Find subscribers by name, e-mail, document or telephone. With --status, --product or
--older-than only those with a service that meets all of them.

With --context all every context is asked at once, each with its own stored
credential and for no longer than --timeout. Exit 7 when some did not answer, 9 when
none did.`,
		Example: "  ativa subscribers search joão silva\n  ativa subscribers search 98765-4321\n  ativa subscribers search silva --status error\n  ativa subscribers search silva --context all",
	}, func(ctx context.Context, args []string, o selectOptions) error {
		return runSubscribersSearch(ctx, e, strings.Join(args, " "), o)
	})
}

func runSubscribersSearch(ctx context.Context, e *cli.Env, term string, o selectOptions) error {
	s := subscribers()
	s.Empty, s.Order = e.Text("no subscribers match %q", term), "name"
	if strings.TrimSpace(term) == "" {
		return cli.Usage("a search term needs two characters or more")
	}
	if e.AllContexts {
		return searchContexts(ctx, e, term, o, s.Empty)
	}
	p, err := cli.NewPrinter(e, s)
	if err != nil {
		return err
	}
	defer e.NoticeMasked(p.Masked)
	return e.WithClient(ctx, func(ctx context.Context, c *client.Client) error {
		all, err := o.selected(ctx, e, c, support.Search(ctx, c, term))
		if err != nil {
			return err
		}
		found, last := 0, ""
		err = p.List(ctx, func(yield func(subscriberItem, error) bool) {
			for s, err := range all {
				found, last = found+1, s.Value.Document
				if !yield(s, err) {
					return
				}
			}
		})
		if found == 1 && err == nil {
			suggestExplain(e, term, o, last)
		}
		return err
	})
}

// suggestExplain suggests to explain the only result of a search. If flags excluded others, the
// term does not identify it.
func suggestExplain(e *cli.Env, term string, o selectOptions, document string, flags ...string) {
	if term != "" && !o.filters() {
		e.SetTerm(document, term)
	}
	e.Next(document, strings.Join(append([]string{"ativa subscribers explain", document}, flags...), " "))
}

func newSubscribersGet(e *cli.Env) *cobra.Command {
	return cli.WithColumns(e, subscribers, &cobra.Command{
		Use: "get DOC", Short: "Show one subscriber", GroupID: "find", Args: cli.Args(cobra.ExactArgs(1)),
		SuggestFor:  []string{"show", "view", "ver", "mostrar", "consultar", "consulta"},
		Annotations: map[string]string{cli.ExitCodes: cli.ConnectedExits + " 7", cli.AllContexts: "yes"},
		Long: `Show one subscriber. If the server has schedules, -o json, jsonl and yaml add
the scheduled operations of its services as "scheduled", and a card lists them
below.

With --context all every context is asked at once, each with its own stored
credential and for no longer than --timeout. Exit 7 when some did not answer, 9 when
none did, 3 when all did and none has the subscriber.`,
		Example: "  ativa subscribers get 529.982.247-25\n  ativa subscribers get 52998224725 -o json\n  ativa subscribers get 52998224725 --context all",
		RunE:    func(c *cobra.Command, args []string) error { return runSubscribersGet(c.Context(), e, args[0]) },
	})
}

func runSubscribersGet(ctx context.Context, e *cli.Env, which string) error {
	if e.AllContexts {
		return getFromContexts(ctx, e, which)
	}
	p, err := cli.NewPrinter(e, subscribers())
	if err != nil {
		return err
	}
	return withSubscriber(ctx, e, e.WithClient, which, func(ctx context.Context, c *client.Client, a *subscriberArg) error {
		doc := a.document
		s, err := c.Subscriber(ctx, doc)
		if err != nil {
			return err
		}
		scheduled, err := addScheduled(ctx, c, &s)
		if err != nil {
			return err
		}
		if err := p.One(ctx, nil, s); err != nil {
			return err
		}
		if p.Format() == render.FormatTable {
			err = noticeScheduled(ctx, e, c, scheduled)
		}
		e.Next(doc, "ativa subscribers explain "+doc)
		return err
	})
}

// addScheduled adds the pending scheduled operations to a subscriber's JSON and returns both.
// Without schedules the JSON stays unchanged.
func addScheduled(ctx context.Context, c *client.Client, s *subscriberItem) ([]api.Schedule, error) {
	if has, err := c.HasExtension(ctx, api.ExtSchedule); err != nil || !has {
		return nil, err
	}
	waiting, err := support.Waiting(ctx, c, s.Value.Document)
	if err != nil {
		return nil, err
	}
	object := bytes.TrimSuffix(bytes.TrimSpace(s.Raw), []byte("}"))
	s.Raw = fmt.Appendf(nil, `%s,"scheduled":%s}`, object, cli.ToJSON(waiting))
	return waiting, nil
}

// noticeScheduled prints the scheduled operations of a subscriber below the card.
func noticeScheduled(ctx context.Context, e *cli.Env, c *client.Client, scheduled []api.Schedule) (err error) {
	names := productNames{}
	if len(scheduled) > 0 {
		err = names.read(ctx, c, render.FormatTable)
	}
	for _, s := range scheduled {
		e.Notice("scheduled: %s: %s", names.cell(s.ProductID), support.ScheduleMessage(s, e.Location()))
	}
	return err
}

type speedRecord = client.Item[api.InternetSpeed]

func speeds() render.Schema[speedRecord] {
	return render.Schema[speedRecord]{One: "internet_speed", Many: "internet_speeds", Empty: "no internet speeds", Columns: []render.Column[speedRecord]{
		{Name: "id", Kind: render.Number, Value: func(r speedRecord) string { return number(r.Value.ID) }},
		{Name: "speed", Value: func(r speedRecord) string { return r.Value.Speed }},
		{Name: "slug", Value: func(r speedRecord) string { return r.Value.Slug }},
	}, JSON: cli.RawJSON[api.InternetSpeed]}
}

func newSubscribersSpeeds(e *cli.Env) *cobra.Command {
	return cli.Lists(e, speeds, &cobra.Command{
		Use: "speeds", Short: "List the internet speeds a subscriber can have", GroupID: "find", Args: cli.Args(cobra.NoArgs),
		SuggestFor: []string{"velocidades", "velocidade"},
		Example:    "  ativa subscribers speeds\n  ativa subscribers speeds -o csv",
	}, func(ctx context.Context, c *client.Client, _ []string) ([]speedRecord, error) {
		return c.InternetSpeeds(ctx)
	})
}
