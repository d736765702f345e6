package cmd

import (
	"cmp"
	"context"
	"iter"
	"time"

	"github.com/spf13/cobra"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/lang"
	"ativa/internal/render"
	"ativa/internal/support"
	"ativa/internal/system"
)

type eventsOptions struct {
	follow bool
	after  string
	limit  int

	forwardTo, secretFile string
}

type eventItem = client.Item[api.Event]

// events returns the schema of the feed or of a history; many is its name.
func events(many string, l lang.Language, names productNames) render.Schema[eventItem] {
	kind := render.Number
	if names != nil {
		kind = render.Text
	}
	change := func(of func(api.StatusChange) string) func(eventItem) string {
		return func(r eventItem) string { return cli.OrEmpty(r.Value.StatusChange, of) }
	}
	previousProduct := func(r eventItem) string {
		return cli.OrEmpty(r.Value.PreviousProductID, func(id api.NullableInt) string { return names.cell(api.Int(id)) })
	}
	return render.Schema[eventItem]{One: "event", Many: many, Empty: "no events", Name: "id", Columns: []render.Column[eventItem]{
		{Name: "occurred_at", Kind: render.Time, Usual: 15, Value: func(r eventItem) string { return r.Value.OccurredAt.String() }},
		{Name: "type", Priority: -3, Min: 11, Usual: 14, Value: func(r eventItem) string { return codeCell(l, r.Value.Type, support.EventTypeMessage) }},
		{Name: "document", Kind: render.Document, Usual: 14, Extra: many == "history", Value: func(r eventItem) string { return string(r.Value.Document) }},
		{Name: "content_supplier_product_id", Title: "product", Kind: kind, Usual: 7, Value: func(r eventItem) string { return names.cell(r.Value.ProductID) }},
		{Name: "previous_status", Title: "before", Kind: render.Status, Usual: 29, Extra: true, Value: change(func(s api.StatusChange) string { return textOrEmpty(s.PreviousStatus) })},
		{Name: "status", Kind: render.Status, Usual: 29, Value: change(func(s api.StatusChange) string { return s.Status })},
		{Name: "trigger", Min: 12, Usual: 16, Value: func(r eventItem) string { return codeCell(l, r.Value.Trigger, support.TriggerMessage) }},
		{Name: "actor", Priority: -1, Usual: 10, Value: func(r eventItem) string { return l.Text(r.Value.Actor) }},
		{Name: "reason", Min: 14, Usual: 20, Value: func(r eventItem) string { return reasonCell(l, r.Value.Reason) }},
		{Name: "actor_name", Title: "token", Priority: -2, Usual: 10, Value: func(r eventItem) string { return string(r.Value.ActorName) }},
		{Name: "token_name", Title: "about token", Priority: -4, Usual: 11, Extra: many == "history", Value: func(r eventItem) string {
			return cli.OrEmpty(r.Value.TokenChange, func(t api.TokenChange) string { return t.TokenName })
		}},
		{Name: "previous_content_supplier_product_id", Title: "product before", Kind: kind, Extra: many != "history", Value: previousProduct},
		{Name: "operation_id", Usual: 20, Extra: true, Value: func(r eventItem) string { return r.Value.OperationID }},
		{Name: "subscriber_id", Usual: 20, Extra: true, Value: func(r eventItem) string { return r.Value.SubscriberID }},
		{Name: "id", Usual: 20, Extra: true, Value: func(r eventItem) string { return r.Value.ID }},
	}, JSON: cli.RawJSON[api.Event]}
}

func newEvents(e *cli.Env) *cobra.Command {
	var o eventsOptions
	c := &cobra.Command{
		Use: "events", Short: "Show what happens to subscribers and services, as it happens", GroupID: "programs", Args: cli.Args(cobra.NoArgs),
		SuggestFor:  []string{"watch", "tail", "follow", "eventos"},
		Annotations: map[string]string{cli.ExitCodes: cli.ConnectedExits + " 5"},
		Long: `Show what happened to subscribers and services, oldest first, from the server's
event feed. --follow continues until it is interrupted (exit 130), through
restarts of the server. At the end the cursor is printed, on stderr or as
next_cursor in -o json: --after continues from there without a gap. Use -o jsonl
to read the events with a program.

--forward-to posts the events to a receiver instead, like the service's own
callbacks: up to 500 in a message, one message after the other, signed (Standard
Webhooks), and the same message again after 5 seconds, 30 seconds, 2, 10 and 30
minutes, then every hour, until the receiver accepts it. The secret comes from
--secret-file or ATIVA_WEBHOOK_SECRET; without both, one is generated and
printed.`,
		Example: "  ativa events --limit 20\n  ativa events --follow -o jsonl >> events.jsonl\n  ativa events --follow --forward-to http://localhost:8080/events",
		RunE:    func(c *cobra.Command, _ []string) error { return runEvents(c.Context(), e, o) },
	}
	f := c.Flags()
	f.BoolVar(&o.follow, "follow", false, "continue with new events as they happen")
	f.StringVar(&o.after, "after", "", "begin after this cursor (default: the oldest event that is kept)")
	f.IntVar(&o.limit, "limit", 0, "stop after this number of events")
	f.StringVar(&o.forwardTo, "forward-to", "", "URL of a receiver to post the events to, signed and in order")
	f.StringVar(&o.secretFile, "secret-file", "", "file with the receiver's secret, whsec_…, readable by its owner only")
	return cli.WithColumns(e, func() render.Schema[eventItem] { return events("events", e.CellLanguage(), nil) }, c)
}

func runEvents(ctx context.Context, e *cli.Env, o eventsOptions) error {
	switch {
	case o.limit < 0:
		return cli.Usage("--limit is a number of events")
	case o.follow && e.Global.Output.File != "":
		return cli.Usage("--output-file is written when a command ends, and --follow has no end").WithHint("append to a file instead: ativa events --follow -o jsonl >> FILE")
	case o.forwardTo != "":
		return runForward(ctx, e, o)
	case o.secretFile != "":
		return cli.Usage("--secret-file needs --forward-to").WithHint("see `ativa events --help`")
	}
	options, err := e.RenderOptions()
	if err != nil {
		return err
	}
	if o.follow {
		options.Live = true
		if options.Format == "" && (options.JQ != "" || options.Template != "") {
			options.Format = render.FormatJSONL
		}
		if options.Format == render.FormatJSON || options.Sort != "" {
			return cli.Usage("a followed list has no end, so it cannot be one JSON document or sorted").WithHint("use -o jsonl")
		}
	}
	p, err := cli.NewPrinterOf(e, options, events("events", e.CellLanguage(), nil))
	if err != nil {
		return err
	}
	return e.WithClient(ctx, func(ctx context.Context, c *client.Client) error {
		if err := checkFeed(ctx, c); err != nil {
			return err
		}
		feed := &feed{Env: e, client: c, eventsOptions: o}
		p.AddTrailingFields(func() any { return map[string]string{"next_cursor": feed.after} })
		err = p.List(ctx, feed.all(ctx))
		if err == nil {
			feed.noticeMore(ctx)
		}
		if feed.after != "" && !system.IsBrokenPipe(err) && !client.HasCode(err, api.CodeInvalidCursor) {
			e.Notice("to continue: ativa events --after %s", feed.after)
		}
		return err
	})
}

// checkFeed returns an error if the server has no event feed.
func checkFeed(ctx context.Context, c *client.Client) error {
	return needsExtension(ctx, c, api.ExtEvents, cli.Msg("this server has no event feed"))
}

// feed reads the event feed page by page; after is the cursor to continue from.
type feed struct {
	*cli.Env
	client *client.Client
	eventsOptions
}

func (f *feed) all(ctx context.Context) iter.Seq2[eventItem, error] {
	return func(yield func(eventItem, error) bool) {
		for page, err := range f.pages(ctx) {
			if err != nil {
				yield(eventItem{}, err)
				return
			}
			for _, event := range page.Events {
				if !yield(event, nil) {
					return
				}
			}
		}
	}
}

// noticeMore prints that there are more events, if the server can be asked.
func (f *feed) noticeMore(ctx context.Context) {
	if f.limit == 0 || f.follow || f.Global.Quiet {
		return
	}
	if next, err := f.client.Events(ctx, f.after, 1, 0); err == nil && len(next.Events) > 0 {
		f.NoticeMore(f.limit)
	}
}

// pages yields the pages of the feed. The cursor moves past a page only when the next one is
// requested.
func (f *feed) pages(ctx context.Context) iter.Seq2[client.EventPage, error] {
	return func(yield func(client.EventPage, error) bool) {
		left, first := f.limit, true
		for {
			page, err := f.page(ctx, left, first)
			if !yield(page, err) || err != nil {
				return
			}
			first, f.after = false, cmp.Or(page.Next, f.after)
			if left > 0 {
				if left -= len(page.Events); left <= 0 {
					return
				}
			}
			if len(page.Events) == 0 && !f.follow {
				return
			}
		}
	}
}

// page returns the next page. With --follow it retries an unavailable server until ctx is done,
// but not for the first page.
func (f *feed) page(ctx context.Context, left int, first bool) (client.EventPage, error) {
	size, events, pollWait := api.MaxEvents, f.client.Events, time.Duration(0)
	if left > 0 {
		size = min(left, size)
	}
	if f.follow {
		events, pollWait = f.client.FollowEvents, f.PollTimeout()
	}
	for {
		page, err := events(ctx, f.after, size, pollWait)
		if err == nil || !f.follow || first || ctx.Err() != nil || client.KindOf(err) != client.KindUnavailable {
			return page, err
		}
		f.Notice("%s; trying again", err)
		if !client.Sleep(ctx, 5*time.Second) {
			return page, ctx.Err()
		}
	}
}
