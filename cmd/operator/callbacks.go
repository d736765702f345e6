package operator

import (
	"context"
	"crypto/rand"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/delivery"
	"ativa/internal/provision"
	"ativa/internal/render"
)

// callbackRow is a callback as decisions.md 10 shapes it.
type callbackRow struct {
	Provider string `json:"provider"`
	URL      string `json:"url"`
	Enabled  bool   `json:"enabled"`
	Failures int    `json:"failures"`
}

func callbacks() render.Schema[callbackRow] {
	return render.Schema[callbackRow]{One: "callback", Many: "callbacks", Empty: "no callbacks", Columns: []render.Column[callbackRow]{
		{Name: "provider", Value: func(r callbackRow) string { return r.Provider }},
		{Name: "url", Kind: render.Path, Value: func(r callbackRow) string { return r.URL }},
		{Name: "enabled", Kind: render.Word, Value: func(r callbackRow) string { return cli.YesNo(r.Enabled) }},
		{Name: "failures", Kind: render.Number, Value: func(r callbackRow) string { return strconv.Itoa(r.Failures) }},
	}, JSON: cli.ToJSON[callbackRow]}
}

func toCallbackRow(c provision.Callback, provider string) callbackRow {
	return callbackRow{provider, c.URL, c.Enabled, c.Failures}
}

func newAdminCallbacks(e *cli.Env, o *adminOptions) *cobra.Command {
	return e.Group("callbacks", "Where providers hear of resent activations", func() []*cobra.Command {
		return []*cobra.Command{newCallbacksSet(e, o), newCallbacksList(e, o), newCallbacksTest(e, o), newCallbacksReplay(e, o),
			newCallbacksEnable(e, o, true), newCallbacksEnable(e, o, false)}
	})
}

func newCallbacksSet(e *cli.Env, o *adminOptions) *cobra.Command {
	var private bool
	c := &cobra.Command{
		Use: "set PROVIDER URL", Short: "Register a provider's callback; its signing secret is printed once", Args: cli.Args(cobra.ExactArgs(2)),
		Long: `Register where a provider hears of resent activations, or replace what is
registered; its signing secret is new each time and printed once.

Only https and public addresses are called, unless --allow-private. The provider
checks the signature as Standard Webhooks describes; see docs/operating.md.`,
		Example: "  ativa admin callbacks set Azul https://azul.example.com/ativa\n  ativa admin callbacks set Azul http://10.0.0.7:8000/ativa --allow-private -o json",
		RunE: func(c *cobra.Command, args []string) error {
			return runCallbacksSet(c.Context(), e, o, args[0], args[1], private)
		},
	}
	c.Flags().BoolVar(&private, "allow-private", false, "permit private addresses and plain http")
	return c
}

func runCallbacksSet(ctx context.Context, e *cli.Env, o *adminOptions, provider, url string, private bool) error {
	p, err := newSecretPrinter(e, callbacks(), "secret")
	if err != nil {
		return err
	}
	return withManager(ctx, e, o, func(ctx context.Context, m *provision.Manager) error {
		set, err := m.SetCallback(ctx, provider, url, private)
		if err != nil {
			return err
		}
		return p.print(ctx, toCallbackRow(set, provider), provision.Secret(set.Secret))
	})
}

func newCallbacksList(e *cli.Env, o *adminOptions) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the callbacks, with how often each failed in a row", Args: cli.Args(cobra.NoArgs),
		Example: "  ativa admin callbacks list\n  ativa admin callbacks list -o json",
		RunE:    func(c *cobra.Command, _ []string) error { return runCallbacksList(c.Context(), e, o) },
	}
}

func runCallbacksList(ctx context.Context, e *cli.Env, o *adminOptions) error {
	return adminList(ctx, e, o, callbacks(), func(ctx context.Context, m *provision.Manager) ([]callbackRow, error) {
		providers, err := m.Providers(ctx)
		if err != nil {
			return nil, err
		}
		names := map[provision.ProviderID]string{}
		for _, p := range providers {
			names[p.ID] = p.Name
		}
		all, err := m.Callbacks(ctx)
		return cli.Map(all, func(c provision.Callback) callbackRow { return toCallbackRow(c, names[c.Provider]) }), err
	})
}

func newCallbacksEnable(e *cli.Env, o *adminOptions, enabled bool) *cobra.Command {
	name, short := "enable", "Call a provider's callback again"
	if !enabled {
		name, short = "disable", "Stop calling a provider's callback; what is due meanwhile is given up"
	}
	return &cobra.Command{
		Use: name + " PROVIDER", Short: short, Args: cli.Args(cobra.ExactArgs(1)), Example: "  ativa admin callbacks " + name + " Azul\n  ativa admin callbacks " + name + " \"Provedor Azul\" --quiet",
		RunE: func(c *cobra.Command, args []string) error {
			return runCallbacksEnable(c.Context(), e, o, args[0], enabled)
		},
	}
}

func runCallbacksEnable(ctx context.Context, e *cli.Env, o *adminOptions, provider string, enabled bool) error {
	p, err := cli.NewPrinter(e, callbacks())
	if err != nil {
		return err
	}
	return withManager(ctx, e, o, func(ctx context.Context, m *provision.Manager) error {
		set, err := m.EnableCallback(ctx, provider, enabled)
		if err != nil {
			return err
		}
		return p.One(ctx, nil, toCallbackRow(set, provider))
	})
}

// callbackTestRow is the outcome of a test.
type callbackTestRow struct {
	Provider  string `json:"provider"`
	URL       string `json:"url"`
	ID        string `json:"id"`
	Delivered bool   `json:"delivered"`
	Took      string `json:"took"`
	Error     string `json:"error"`
}

func callbackTests() render.Schema[callbackTestRow] {
	return render.Schema[callbackTestRow]{One: "test", Columns: []render.Column[callbackTestRow]{
		{Name: "provider", Value: func(r callbackTestRow) string { return r.Provider }},
		{Name: "url", Kind: render.Path, Value: func(r callbackTestRow) string { return r.URL }},
		{Name: "id", Value: func(r callbackTestRow) string { return r.ID }},
		{Name: "delivered", Kind: render.Word, Value: func(r callbackTestRow) string { return cli.YesNo(r.Delivered) }},
		{Name: "took", Value: func(r callbackTestRow) string { return r.Took }},
		{Name: "error", Kind: render.Prose, Value: func(r callbackTestRow) string { return r.Error }},
	}, JSON: cli.ToJSON[callbackTestRow]}
}

func newCallbacksTest(e *cli.Env, o *adminOptions) *cobra.Command {
	return &cobra.Command{
		Use: "test PROVIDER", Short: "Post a signed message of the type callback.test and show what came back", Args: cli.Args(cobra.ExactArgs(1)),
		Long: `Post a signed message of the type callback.test to the provider's callback, once,
from this machine, and show what came back. It carries no subscriber. Anything but
a 2xx answer exits 9.`,
		Example: "  ativa admin callbacks test Azul\n  ativa admin callbacks test \"Provedor Azul\" -o json",
		RunE:    func(c *cobra.Command, args []string) error { return runCallbacksTest(c.Context(), e, o, args[0]) },
	}
}

func runCallbacksTest(ctx context.Context, e *cli.Env, o *adminOptions, provider string) error {
	p, err := cli.NewPrinter(e, callbackTests())
	if err != nil {
		return err
	}
	return withManager(ctx, e, o, func(ctx context.Context, m *provision.Manager) error {
		callback, err := m.Callback(ctx, provider)
		if err != nil {
			return err
		}
		row := callbackTestRow{Provider: provider, URL: callback.URL, ID: "test_" + rand.Text()}
		took, failed := delivery.SendTestCallback(ctx, callback, row.ID, m.Now())
		row.Delivered, row.Took = failed == nil, took.Round(time.Millisecond).String()
		if failed != nil {
			row.Error = failed.Error()
		}
		if err := p.One(ctx, nil, row); err != nil || failed == nil {
			return err
		}
		return &cli.SilentExit{Code: cli.ExitUnavailable}
	})
}

func newCallbacksReplay(e *cli.Env, o *adminOptions) *cobra.Command {
	return &cobra.Command{
		Use: "replay PROVIDER", Short: "Make a provider's dead callbacks due again", Args: cli.Args(cobra.ExactArgs(1)),
		Long: `Make due again, with a fresh schedule, the provider's callbacks that were given up,
and list them. Those whose service has moved on since are left dead.`,
		Example: "  ativa admin callbacks replay Azul\n  ativa admin callbacks replay \"Provedor Azul\" --quiet",
		RunE: func(c *cobra.Command, args []string) error {
			return adminList(c.Context(), e, o, deliveries(), func(ctx context.Context, m *provision.Manager) ([]deliveryRow, error) {
				revived, err := m.ReplayCallbacks(ctx, args[0])
				return cli.Map(revived, toDeliveryRow), err
			})
		},
	}
}
