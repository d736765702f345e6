package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/lang"
	"ativa/internal/render"
)

// explanation is one service in plain words.
type explanation struct {
	ProductID   api.Int     `json:"content_supplier_product_id"`
	ProductCode string      `json:"content_supplier_product_code"`
	ProductName string      `json:"content_supplier_product_name"`
	Status      string      `json:"status"`
	StatusID    api.Int     `json:"status_id"`
	Since       string      `json:"since"`
	Explanation cli.Message `json:"explanation"`
	// WaitsFor is subscriber, partner, queue, you or empty.
	WaitsFor string `json:"waits_for"`
	// QueuePosition is 0 when the service is not queued, or its place is not known.
	QueuePosition int `json:"queue_position"`
	// LastMail is always empty: no server tells when it sent an e-mail, and the
	// time of a status change is not that time.
	LastMail string `json:"last_mail"`
	// The last event of the partner, and event of any kind, as far as the history
	// tells; empty otherwise.
	LastPartner string      `json:"last_partner_event"`
	LastEvent   cli.Message `json:"last_event"`
	Next        []string    `json:"next"`
}

func explanations(l lang.Language) render.Schema[explanation] {
	return render.Schema[explanation]{One: "service", Many: "services", Columns: []render.Column[explanation]{
		{Name: "product", Value: func(x explanation) string { return cmp.Or(x.ProductCode, number(x.ProductID)) }},
		{Name: "status", Kind: render.Status, Value: func(x explanation) string { return x.Status }},
		{Name: "since", Kind: render.Time, Value: func(x explanation) string { return x.Since }},
		{Name: "explanation", Value: func(x explanation) string { return x.Explanation.Text(l) }},
		{Name: "waits_for", Title: "waits for", Value: func(x explanation) string { return l.Text(x.WaitsFor) }},
		{Name: "queue_position", Title: "queue", Kind: render.Number, Value: func(x explanation) string { return positionText(x.QueuePosition) }},
		{Name: "last_mail", Title: "last e-mail", Kind: render.Time, Value: func(x explanation) string { return x.LastMail }},
		{Name: "last_partner_event", Title: "last word of partner", Kind: render.Time, Value: func(x explanation) string { return x.LastPartner }},
		{Name: "last_event", Title: "last event", Value: func(x explanation) string { return x.LastEvent.Text(l) }},
		{Name: "next", Title: "next", Value: func(x explanation) string { return strings.Join(x.Next, "; ") }},
	}, JSON: cli.ToJSON[explanation]}
}

func newSubscribersExplain(e *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "explain DOC", Short: "Say in plain words how each service stands, and what to do next", Args: cli.Args(cobra.ExactArgs(1)),
		Long: `Say in plain words what each service of a subscriber is, what it waits for and
since when, its place in the queue, and the commands to type next. Where the
server keeps a history, also when the partner last said something, and what
happened last. When an e-mail went out is not told: no server says so. Of a status
that only the server knows, it says what follows from when the service got it.`,
		Example: "  ativa subscribers explain 529.982.247-25\n  ativa subscribers explain 52998224725 --jq '.services[].next[]'",
		RunE:    func(c *cobra.Command, args []string) error { return runExplain(c.Context(), e, args[0]) },
	}
}

func runExplain(ctx context.Context, e *cli.Env, which string) error {
	p, err := cli.NewPrinter(e, explanations(e.CellLanguage()))
	if err != nil {
		return err
	}
	doc, err := cli.ParseDocument(which)
	if err != nil {
		return err
	}
	return e.WithClient(ctx, func(ctx context.Context, c *client.Client) error {
		x := explainer{document: doc}
		if err := x.read(ctx, c); err != nil {
			return err
		}
		rows, err := x.explain(ctx, c)
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			e.Notice("%s has no services; to activate one: ativa provision activate --product P %s", cli.MaskDocument(doc), doc)
		}
		if !x.history {
			e.Notice("the server keeps no history, so what happened before is not known")
		}
		whole, err := json.Marshal(map[string]any{"document": doc, "services": rows, "history": x.history, "response": api.ResponseSuccess})
		if err != nil {
			return err
		}
		return p.Cards(ctx, whole, rows)
	})
}

// explainer holds what there is to know of a subscriber.
type explainer struct {
	document string
	services []api.Service
	products map[api.Int]api.Product
	history  bool // the server keeps one
	overdue  bool // the server has overdue and settle
	events   []api.Event
	validate bool
}

func (x *explainer) read(ctx context.Context, c *client.Client) error {
	s, err := c.Subscriber(ctx, x.document)
	if err != nil {
		return err
	}
	x.services, x.products = s.Value.Services, map[api.Int]api.Product{}
	products, err := c.Products(ctx)
	if err != nil {
		return err
	}
	for _, p := range products {
		x.products[p.Value.ID] = p.Value
	}
	for extension, has := range map[string]*bool{api.ExtHistory: &x.history, api.ExtOverdue: &x.overdue, api.ExtValidate: &x.validate} {
		if *has, err = c.HasExtension(ctx, extension); err != nil {
			return err
		}
	}
	if !x.history {
		return nil
	}
	events, err := c.History(ctx, x.document)
	for _, r := range events {
		x.events = append(x.events, r.Value)
	}
	return err
}

func (x *explainer) explain(ctx context.Context, c *client.Client) ([]explanation, error) {
	rows := []explanation{}
	for i, s := range x.services {
		row := explanation{ProductID: s.ProductID, ProductCode: s.ProductCode, ProductName: s.ProductName,
			Status: s.Status, StatusID: s.StatusID, Since: s.StatusUpdatedAt.String(),
			WaitsFor: waitsFor(s.StatusID), Next: []string{}}
		happened := x.eventsOf(i)
		for _, event := range happened {
			if event.Actor == api.ActorPartner {
				row.LastPartner = event.OccurredAt.String()
			}
			row.LastEvent = eventMessage(event)
		}
		if s.StatusID == api.StatusLimitReached && x.validate {
			var err error
			if row.QueuePosition, err = x.queuePosition(ctx, c, s.ProductID); err != nil {
				return nil, err
			}
		}
		if x.activationIncomplete(i, happened) {
			row.WaitsFor = waitsForSubscriber
		}
		row.Explanation = x.message(row, happened)
		row.Next = x.nextCommands(i, happened)
		rows = append(rows, row)
	}
	return rows, nil
}

// eventsOf is what happened to a token: the status changes of its product while
// it was the newest of it.
func (x *explainer) eventsOf(i int) []api.Event {
	s := x.services[i]
	var until time.Time
	for _, later := range x.services[i+1:] {
		if later.ProductID == s.ProductID {
			until = later.TokenCreatedAt.Time
			break
		}
	}
	return slices.DeleteFunc(slices.Clone(x.events), func(event api.Event) bool {
		return event.StatusChange == nil || event.ProductID != s.ProductID || event.OccurredAt.Before(s.TokenCreatedAt.Time) ||
			!until.IsZero() && !event.OccurredAt.Before(until)
	})
}

// activationIncomplete tells that a service is in a status of the server's own and has
// been since its activation was requested. Such an activation is not complete, and
// it is the subscriber who completes one (api.md, What the service does). Only a
// history tells the first status; without one, it is that of the token's first minute.
func (x *explainer) activationIncomplete(i int, happened []api.Event) bool {
	s := x.services[i]
	if cli.StatusMeaning(s.Status) != "" {
		return false
	}
	if len(happened) > 0 {
		return len(happened) == 1 && happened[0].PreviousStatus == nil
	}
	return !s.TokenCreatedAt.IsZero() && !s.StatusUpdatedAt.After(s.TokenCreatedAt.Add(time.Minute)) && !s.StatusUpdatedAt.IsZero()
}

// queuePosition asks what another activation would answer: where it is queued.
func (x *explainer) queuePosition(ctx context.Context, c *client.Client, product api.Int) (int, error) {
	a, err := c.ValidateProvision(ctx, api.Activate, product, []string{x.document})
	if client.KindOf(err) == client.KindRefused {
		return 0, nil // the product may not be activated any more
	}
	if err != nil || len(a.Value.Results) == 0 {
		return 0, err
	}
	return a.Value.Results[0].QueuePosition, nil
}

// positionText is a place in the queue, "" for none.
func positionText(n int) string {
	if n == 0 {
		return ""
	}
	return number(api.Int(n))
}
