package operator

import (
	"cmp"
	"context"
	"crypto/rand"
	"time"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/render"
	"ativa/internal/service/domain"
	"ativa/internal/service/outbox"
)

type callbackTestRow struct {
	Provider  string `json:"provider"`
	URL       string `json:"url" column:"path"`
	ID        string `json:"id"`
	Delivered bool   `json:"delivered"`
	Took      string `json:"took"`
	Error     string `json:"error" column:"cause"`
}

func callbackTests() render.Schema[callbackTestRow] {
	return cli.SchemaOf[callbackTestRow]("test", "", "")
}

func newCallbacksTest(e *cli.Env, o *adminOptions) *cobra.Command {
	var feed bool
	return cli.Prints(e, callbackTests, addFeedFlag(&cobra.Command{
		Use: "test PROVIDER", Short: "Post a signed message of the type callback.test and show what came back", Args: cli.Args(cobra.ExactArgs(1)),
		Long: `Post a signed message of the type callback.test to the provider's callback, once,
from this machine, and show what came back. It carries no subscriber and no event,
and moves no cursor. Anything but a 2xx answer exits 9.`,
		Example: "  ativa admin callbacks test Azul\n  ativa admin callbacks test \"Provedor Azul\" --feed -o json",
	}, &feed), func(ctx context.Context, p *render.Printer[callbackTestRow], args []string) error {
		return runCallbacksTest(ctx, e, o, p, args[0], feed)
	})
}

func runCallbacksTest(ctx context.Context, e *cli.Env, o *adminOptions, p *render.Printer[callbackTestRow], provider string, feed bool) error {
	return withDatabase(ctx, e, o, func(ctx context.Context, service *Parts) error {
		callback, err := findCallback(ctx, service, provider, feed)
		if err != nil {
			return err
		}
		row := callbackTestRow{Provider: provider, URL: callback.URL, ID: "test_" + rand.Text()}
		took, failed := outbox.SendTestCallback(ctx, callback, row.ID, service.Rules.Now())
		row.Delivered, row.Took = failed == nil, took.Round(time.Millisecond).String()
		var exit error
		if failed != nil {
			row.Error = failed.Error()
			exit = &cli.Failure{Exit: cli.ExitUnavailable, Code: "unavailable", Message: cli.Msg("the callback did not take the message"), Err: failed}
		}
		p.Respond(cli.Response(exit, false))
		return cmp.Or(p.One(ctx, nil, row), exit)
	})
}

func findCallback(ctx context.Context, service *Parts, provider string, feed bool) (domain.Callback, error) {
	if feed {
		c, err := service.Registry.FeedCallback(ctx, provider)
		return c.Callback, err
	}
	return service.Registry.Callback(ctx, provider)
}

func newCallbacksReplay(e *cli.Env, o *adminOptions) *cobra.Command {
	var feed bool
	var after string
	var cursor domain.EventID
	c := &cobra.Command{
		Use: "replay PROVIDER", Short: "Make a provider's dead callbacks due again, or push its feed again", Args: cli.Args(cobra.ExactArgs(1)),
		Long: `Make due again, with a fresh schedule, the provider's callbacks that were given up,
and list them. Those with nothing to deliver any more end without being sent.

With --feed --after CURSOR, push the events after the cursor again, each batch under
a new webhook-id. A cursor is the next_cursor of a message or of GET /events, or the
id of an event.`,
		Example: "  ativa admin callbacks replay Azul\n  ativa admin callbacks replay \"Provedor Azul\" --feed --after ev_2gosa7pa2gw",
		PreRunE: func(*cobra.Command, []string) (err error) {
			if cursor, err = domain.ParseEventID(after); err != nil {
				err = cli.Usage("--after: %s", err)
			}
			return err
		},
	}
	c.Flags().StringVar(&after, "after", "", "with --feed: the cursor after which to push again")
	ofFeed := adminOne(e, o, callbacks, &cobra.Command{}, func(ctx context.Context, service *Parts, args []string) (callbackRow, error) {
		set, err := service.Registry.FeedCallback(ctx, args[0])
		if err == nil {
			set, err = service.Feeds.ReplayFeed(ctx, set, cursor)
		}
		return toFeedCallbackRow(set, args[0]), err
	}).RunE
	addFeedFlag(c, &feed)
	c.MarkFlagsRequiredTogether("feed", "after")
	ofActivations := adminList(e, o, deliveries, c, func(ctx context.Context, service *Parts, args []string) ([]deliveryRow, error) {
		callback, err := service.Registry.Callback(ctx, args[0])
		if err != nil {
			return nil, err
		}
		revived, err := service.Queue.ReplayCallbacks(ctx, callback.Provider)
		return cli.Map(revived, toDeliveryRow), err
	}).RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if feed {
			return ofFeed(c, args)
		}
		return ofActivations(c, args)
	}
	return c
}
