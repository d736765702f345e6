package operator

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/render"
	"ativa/internal/service/domain"
)

// callbackRow is a callback in the shape of decisions.md 10.
type callbackRow struct {
	Provider string `json:"provider"`
	Kind     string `json:"kind" column:"word"` // activation or feed
	URL      string `json:"url" column:"path"`
	Enabled  bool   `json:"enabled"`
	Failures int    `json:"failures"`
	*feedRow        // nil unless the kind is feed
}

// feedRow holds the fields that only a feed callback has.
type feedRow struct {
	Cursor    string `json:"cursor"`
	Next      string `json:"next_attempt_at" column:"time,title=next"`
	LastError string `json:"last_error" column:"cause"`
}

func callbacks() render.Schema[callbackRow] {
	return cli.SchemaOf[callbackRow]("callback", "callbacks", "no callbacks")
}

func toCallbackRow(c domain.Callback, provider string) callbackRow {
	return callbackRow{provider, "activation", c.URL, c.Enabled, c.Failures, nil}
}

func toFeedCallbackRow(c domain.FeedCallback, provider string) callbackRow {
	row := toCallbackRow(c.Callback, provider)
	row.Kind, row.feedRow = "feed", &feedRow{c.Cursor.String(), cli.FormatTime(c.NextAttempt), c.LastError}
	return row
}

func newAdminCallbacks(e *cli.Env, o *adminOptions) *cobra.Command {
	return e.Group(&cobra.Command{Use: "callbacks", Short: "Callbacks of providers, for resent activations and for event feeds"},
		newCallbacksEnable(e, o, false), newCallbacksEnable(e, o, true), newCallbacksList(e, o), newCallbacksReplay(e, o), newCallbacksSet(e, o), newCallbacksTest(e, o))
}

func addFeedFlag(c *cobra.Command, feed *bool) *cobra.Command {
	c.Flags().BoolVar(feed, "feed", false, "the callback to which the event feed is pushed, instead of that for resent activations")
	return c
}

func newCallbacksSet(e *cli.Env, o *adminOptions) *cobra.Command {
	var feed, fromBeginning, private bool
	c := &cobra.Command{
		Use: "set PROVIDER URL", Short: "Register a provider's callback; its signing secret is printed once", Args: cli.Args(cobra.ExactArgs(2)),
		Long: `Register where a provider hears of resent activations, or replace what is
registered; its signing secret is new each time and printed once.

With --feed it is where the provider's event feed is pushed to, in order and
without gaps. A new one begins with the next event, a replaced one continues where
it stopped; --from-beginning starts with the oldest event that is kept.

Only https and public addresses are called, unless --allow-private. The provider
checks the signature as Standard Webhooks describes; see docs/api-guide.md.`,
		Example: "  ativa admin callbacks set Azul https://azul.example.com/ativa\n  ativa admin callbacks set Azul https://azul.example.com/events --feed \\\n      --from-beginning\n  ativa admin callbacks set Azul http://10.0.0.7:8000/ativa --allow-private \\\n      -o json",
		PreRunE: func(*cobra.Command, []string) error {
			if fromBeginning && !feed {
				return cli.Usage("--from-beginning is about the event feed: add --feed")
			}
			return nil
		},
	}
	c.Flags().BoolVar(&private, "allow-private", false, "permit private addresses and plain http")
	c.Flags().BoolVar(&fromBeginning, "from-beginning", false, "with --feed: begin with the oldest event that is kept")
	return adminSecret(e, o, callbacks, "secret", addFeedFlag(c, &feed), func(ctx context.Context, service *Parts, args []string) (callbackRow, string, error) {
		provider, url := args[0], args[1]
		if feed {
			set, err := service.Registry.SetFeedCallback(ctx, provider, url, private, fromBeginning)
			return toFeedCallbackRow(set, provider), domain.Secret(set.Secret), err
		}
		set, err := service.Registry.SetCallback(ctx, provider, url, private)
		return toCallbackRow(set, provider), domain.Secret(set.Secret), err
	})
}

func newCallbacksList(e *cli.Env, o *adminOptions) *cobra.Command {
	return adminList(e, o, callbacks, cli.AddLimit(e, &cobra.Command{
		Use: "list", Short: "List the callbacks, with how often each failed in a row", Args: cli.Args(cobra.NoArgs),
		Example: "  ativa admin callbacks list\n  ativa admin callbacks list -o json",
	}), func(ctx context.Context, service *Parts, _ []string) ([]callbackRow, error) {
		names, err := providerNames(ctx, service)
		if err != nil {
			return nil, err
		}
		activation, err := service.Store.Callbacks(ctx)
		if err != nil {
			return nil, err
		}
		feed, err := service.Store.FeedCallbacks(ctx)
		all := slices.Concat(cli.Map(activation, func(c domain.Callback) callbackRow { return toCallbackRow(c, names[c.Provider]) }),
			cli.Map(feed, func(c domain.FeedCallback) callbackRow { return toFeedCallbackRow(c, names[c.Provider]) }))
		slices.SortStableFunc(all, func(a, b callbackRow) int { return strings.Compare(a.Provider, b.Provider) })
		return all, err
	})
}

func newCallbacksEnable(e *cli.Env, o *adminOptions, enabled bool) *cobra.Command {
	name, short, long := "enable", "Call a provider's callback again", "Call a provider's callback again. That of its feed goes on where it stopped."
	if !enabled {
		name, short = "disable", "Stop calling a provider's callback; what is due meanwhile is given up"
		long = `Stop calling a provider's callback. What is due meanwhile is given up; but the
callback of its feed keeps its cursor, and misses nothing when it is enabled again.`
	}
	var feed bool
	return adminOne(e, o, callbacks, addFeedFlag(&cobra.Command{
		Use: name + " PROVIDER", Short: short, Long: long, Args: cli.Args(cobra.ExactArgs(1)),
		Example: "  ativa admin callbacks " + name + " Azul\n  ativa admin callbacks " + name + " \"Provedor Azul\" --feed --quiet",
	}, &feed), func(ctx context.Context, service *Parts, args []string) (callbackRow, error) {
		if feed {
			set, err := service.Registry.EnableFeedCallback(ctx, args[0], enabled)
			return toFeedCallbackRow(set, args[0]), err
		}
		set, err := service.Registry.EnableCallback(ctx, args[0], enabled)
		return toCallbackRow(set, args[0]), err
	})
}
