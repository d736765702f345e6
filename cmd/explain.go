package cmd

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/render"
	"ativa/internal/support"
)

func explanations(e *cli.Env) render.Schema[support.Explanation] {
	l := e.CellLanguage()
	scheduled := func(s api.Schedule) cli.Message { return support.ScheduleMessage(s, e.Location()) }
	delivery := func(d api.Delivery) cli.Message { return support.DeliveryMessage(d, e.Now()) }
	return render.Schema[support.Explanation]{One: "service", Many: "services", Columns: []render.Column[support.Explanation]{
		{Name: "product", Value: func(x support.Explanation) string { return cmp.Or(x.ProductCode, number(x.ProductID)) }},
		{Name: "status", Kind: render.Status, Value: func(x support.Explanation) string { return x.Status }},
		{Name: "since", Kind: render.Time, Value: func(x support.Explanation) string { return x.Since }},
		{Name: "explanation", Value: func(x support.Explanation) string { return x.Explanation.Text(l) }},
		{Name: "waits_for", Title: "waits for", Value: func(x support.Explanation) string { return l.Text(x.WaitsFor) }},
		{Name: "queue_position", Title: "queue", Kind: render.Number, Value: func(x support.Explanation) string { return numberOrEmpty(api.Int(x.QueuePosition)) }},
		{Name: "last_mail", Title: "last e-mail", Kind: render.Time, Value: func(x support.Explanation) string { return x.LastMail }},
		{Name: "last_partner_event", Title: "last word of partner", Kind: render.Time, Value: func(x support.Explanation) string { return x.LastPartner }},
		{Name: "last_event", Title: "last event", Value: func(x support.Explanation) string { return x.LastEvent.Text(l) }},
		{Name: "next", Title: "next", Value: func(x support.Explanation) string { return strings.Join(x.Next, "; ") }},
		{Name: "scheduled", Kind: render.Prose, Value: func(x support.Explanation) string { return joinMessages(l, cli.Map(x.Scheduled, scheduled)) }},
		{Name: "deliveries", Kind: render.Prose, Value: func(x support.Explanation) string { return joinMessages(l, cli.Map(x.Deliveries, delivery)) }},
	}, JSON: cli.ToJSON[support.Explanation]}
}

func newSubscribersExplain(e *cli.Env) *cobra.Command {
	var message bool
	c := &cobra.Command{
		Use: "explain DOC", Short: "Explain each service in plain words, with the commands to type next", GroupID: "find", Args: cli.Args(cobra.ExactArgs(1)),
		SuggestFor: []string{"why", "explicar"},
		Long: `Explain each service of a subscriber in plain words: its state, what it waits
for and since when, its place in the queue, what is scheduled, and the commands
to type next. If the server keeps a history, also the last event and the last
message of the partner; if it reports deliveries, also when the last e-mail was
sent and its link opened, or why it waits.

--message prints a text to send to the subscriber by WhatsApp or SMS, in
Portuguese.`,
		Example: "  ativa subscribers explain 529.982.247-25\n  ativa subscribers explain 529.982.247-25 --message\n  ativa subscribers explain 52998224725 --jq '.services[].next[]'",
		RunE: func(c *cobra.Command, args []string) error {
			if message {
				return runMessage(c.Context(), e, args[0])
			}
			return runExplain(c.Context(), e, args[0])
		},
	}
	c.Flags().BoolVar(&message, "message", false, "print a message for the subscriber, in Portuguese")
	return cli.WithColumns(e, func() render.Schema[support.Explanation] { return explanations(e) }, c)
}

// messageRow is the message for a subscriber in JSON.
type messageRow struct {
	Document string `json:"document" column:"document"`
	Message  string `json:"message" column:"prose"`
}

// runMessage prints a text to send to the subscriber: plain, for copying or piping, unless an
// output option is set.
func runMessage(ctx context.Context, e *cli.Env, which string) error {
	p, err := cli.NewPrinter(e, cli.SchemaOf[messageRow]("message", "messages", ""))
	if err != nil {
		return err
	}
	return withSubscriber(ctx, e, e.WithClient, which, func(ctx context.Context, c *client.Client, a *subscriberArg) error {
		doc := a.document
		o, err := readOverview(ctx, e, c, doc)
		if err != nil {
			return err
		}
		message := o.SubscriberMessage()
		if e.Global.Output.IsSet() {
			return p.One(ctx, nil, messageRow{doc, message})
		}
		return printLines(e, message)
	})
}

// printLines prints a text of the server, safe for a terminal.
func printLines(e *cli.Env, text string) error {
	for line := range strings.SplitSeq(text, "\n") {
		if _, err := fmt.Fprintln(e.Out, render.Sanitise(line)); err != nil {
			return err
		}
	}
	return nil
}

func readOverview(ctx context.Context, e *cli.Env, c *client.Client, document string) (*support.Overview, error) {
	catalog, err := support.ReadCatalog(ctx, c)
	if err != nil {
		return nil, err
	}
	return support.ReadOverview(ctx, c, catalog, document, e.Now())
}

func runExplain(ctx context.Context, e *cli.Env, which string) error {
	p, err := cli.NewPrinter(e, explanations(e))
	if err != nil {
		return err
	}
	return withSubscriber(ctx, e, e.WithClient, which, func(ctx context.Context, c *client.Client, a *subscriberArg) error {
		doc := a.document
		o, err := readOverview(ctx, e, c, doc)
		if err != nil {
			return err
		}
		if err := o.CheckChanges(ctx, c); err != nil {
			return err
		}
		rows := o.Explain()
		typed, _ := cli.ParseDocument(which)
		if p.Format() == render.FormatTable && o.Subscriber.Name != "" && typed == doc { // find has printed the name for a term
			e.Notice("%s (%s)", o.Subscriber.Name, cli.MaskDocument(doc))
		}
		if len(rows) == 0 {
			e.Notice("%s has no services; to activate one: %s", cli.MaskDocument(doc), e.HintCommand(doc, strings.Join(o.ActivationCommands(), "; ")))
		}
		if !o.History {
			e.Notice("the server keeps no history, so what happened before is not known")
		}
		if !o.Catalog.Deliveries {
			e.Notice("the server does not report what happened to its e-mails")
		}
		whole := cli.ToJSON(map[string]any{"document": doc, "name": o.Subscriber.Name, "services": rows, "history": o.History, "deliveries": o.Catalog.Deliveries, "response": api.ResponseSuccess})
		if p.Format() == render.FormatTable {
			for i := range rows {
				rows[i].Next = cli.Map(rows[i].Next, func(command string) string { return e.HintCommand(doc, command) })
			}
		}
		return p.Cards(ctx, whole, rows)
	})
}
