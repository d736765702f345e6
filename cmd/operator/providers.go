package operator

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/render"
	"ativa/internal/service/domain"
)

type providerRow struct {
	ID       int64  `json:"id"`
	Name     string `json:"name" column:"priority=1"`
	Limit    int    `json:"limit"`
	Active   int    `json:"active_services" column:"title=active services"`
	Queued   int    `json:"queued_services" column:"title=queued"`
	Disabled bool   `json:"disabled"`
	Created  string `json:"created_at" column:"time,extra"`
}

func toProviderRow(p domain.Provider) providerRow {
	return providerRow{int64(p.ID), p.Name, p.Limit, p.ActiveTokens, p.Queued, p.Disabled, cli.FormatTime(p.CreatedAt)}
}

func providers() render.Schema[providerRow] {
	return cli.SchemaOf[providerRow]("provider", "providers", "no providers")
}

func newAdminProviders(e *cli.Env, o *adminOptions) *cobra.Command {
	return e.Group(&cobra.Command{Use: "providers", Short: "Internet providers and their limits"},
		newProvidersBrand(e, o), newProvidersCreate(e, o), newProvidersEnable(e, o, false), newProvidersEnable(e, o, true), newProvidersList(e, o), newProvidersSetLimit(e, o))
}

func newProvidersCreate(e *cli.Env, o *adminOptions) *cobra.Command {
	var p domain.Provider
	var products []int
	c := &cobra.Command{
		Use: "create NAME --limit N", Short: "Set up a provider; its access token is printed once", Args: cli.Args(cobra.ExactArgs(1)),
		Long: `Set up a provider with an access token named default that may do everything.
` + "`ativa admin tokens create`" + ` makes others with fewer rights.

It creates the database of a new installation, if --db or ATIVA_DB names a SQLite
file that does not exist.`,
		Example: "  ativa admin providers create \"Provedor Azul\" --limit 5000\n  ativa admin providers create Azul --limit 5000 --products 1,2 -o json",
		PreRunE: func(c *cobra.Command, args []string) error {
			p.Name, p.AllProducts, o.creates = args[0], !c.Flags().Changed("products"), true
			return nil
		},
	}
	c.Flags().IntVar(&p.Limit, "limit", 0, "active services at once")
	cli.Require(c, "limit")
	c.Flags().IntSliceVar(&products, "products", nil, "ids of the products it may sell (default: every product)")
	return adminSecret(e, o, providers, "access_token", c, func(ctx context.Context, service *Parts, _ []string) (providerRow, string, error) {
		created, token, err := service.Registry.CreateProvider(ctx, p, products...)
		return toProviderRow(created), token, err
	})
}

func newProvidersList(e *cli.Env, o *adminOptions) *cobra.Command {
	return adminList(e, o, providers, cli.AddLimit(e, &cobra.Command{
		Use: "list", Short: "List the providers", Args: cli.Args(cobra.NoArgs),
		SuggestFor: []string{"provedores", "provedor"},
		Example:    "  ativa admin providers list\n  ativa admin providers list --sort active_services:desc \\\n      --columns name,active_services,limit",
	}), func(ctx context.Context, service *Parts, _ []string) ([]providerRow, error) {
		all, err := service.Store.Providers(ctx)
		return cli.Map(all, toProviderRow), err
	})
}

func newProvidersSetLimit(e *cli.Env, o *adminOptions) *cobra.Command {
	var limit int
	return changeProvider(e, o, &cobra.Command{
		Use: "set-limit NAME N", Short: "Change the limit of active services; raising it starts queued activations", Args: cli.Args(cobra.ExactArgs(2)),
		SuggestFor: []string{"limit", "limite"},
		Example:    "  ativa admin providers set-limit Azul 10000\n  ativa admin providers set-limit \"Provedor Azul\" 0",
		PreRunE: func(_ *cobra.Command, args []string) (err error) {
			if limit, err = strconv.Atoi(args[1]); err != nil {
				return cli.Usage("%q is not a number of services", args[1])
			}
			return nil
		},
	}, func(ctx context.Context, service *Parts, name string) (domain.Provider, error) {
		return service.Rules.SetLimit(ctx, name, limit)
	})
}

func newProvidersEnable(e *cli.Env, o *adminOptions, enabled bool) *cobra.Command {
	name, short := "enable", "Enable a provider: its tokens are accepted again"
	if !enabled {
		name, short = "disable", "Disable a provider: none of its tokens is accepted"
	}
	return changeProvider(e, o, &cobra.Command{
		Use: name + " NAME", Short: short, Args: cli.Args(cobra.ExactArgs(1)),
		Example: "  ativa admin providers " + name + " Azul\n  ativa admin providers " + name + " \"Provedor Azul\" -o json",
	}, func(ctx context.Context, service *Parts, name string) (domain.Provider, error) {
		return service.Tokens.Enable(ctx, name, enabled)
	})
}

func changeProvider(e *cli.Env, o *adminOptions, c *cobra.Command, change func(ctx context.Context, service *Parts, name string) (domain.Provider, error)) *cobra.Command {
	return adminOne(e, o, providers, c, func(ctx context.Context, service *Parts, args []string) (providerRow, error) {
		changed, err := change(ctx, service, args[0])
		return toProviderRow(changed), err
	})
}
