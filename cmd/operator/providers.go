package operator

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/provision"
	"ativa/internal/render"
)

// providerRow is a provider as the operator sees it.
type providerRow struct {
	ID       int64  `json:"id"`
	Name     string `json:"name"`
	Limit    int    `json:"limit"`
	Active   int    `json:"active_services"`
	Queued   int    `json:"queued_services"`
	Disabled bool   `json:"disabled"`
	Created  string `json:"created_at"`

	Tokens []accessTokenRow `json:"access_tokens"` // those that are valid, oldest first
}

// toProviderRows are providers with their valid access tokens.
func toProviderRows(ctx context.Context, m *provision.Manager, all ...provision.Provider) ([]providerRow, error) {
	tokens, err := m.AccessTokens(ctx, all...)
	return cli.Map(all, func(p provision.Provider) providerRow {
		return providerRow{int64(p.ID), p.Name, p.Limit, p.ActiveTokens, p.Queued, p.Disabled, cli.FormatTime(p.CreatedAt), cli.Map(tokens[p.ID], toAccessTokenRow)}
	}), err
}

func (r providerRow) tokenIDs() string {
	return strings.Join(cli.Map(r.Tokens, func(t accessTokenRow) string { return strconv.FormatInt(t.ID, 10) }), " ")
}

func providers() render.Schema[providerRow] {
	return render.Schema[providerRow]{One: "provider", Many: "providers", Empty: "no providers", Columns: []render.Column[providerRow]{
		{Name: "id", Kind: render.Number, Value: func(r providerRow) string { return strconv.FormatInt(r.ID, 10) }},
		{Name: "name", Kind: render.Prose, Value: func(r providerRow) string { return r.Name }},
		{Name: "limit", Kind: render.Number, Value: func(r providerRow) string { return strconv.Itoa(r.Limit) }},
		{Name: "active_services", Title: "active", Kind: render.Number, Value: func(r providerRow) string { return strconv.Itoa(r.Active) }},
		{Name: "queued_services", Title: "queued", Kind: render.Number, Value: func(r providerRow) string { return strconv.Itoa(r.Queued) }},
		{Name: "disabled", Kind: render.Word, Value: func(r providerRow) string { return cli.YesNo(r.Disabled) }},
		{Name: "access_tokens", Title: "access tokens", Kind: render.Prose, Value: providerRow.tokenIDs},
		{Name: "created_at", Kind: render.Time, Extra: true, Value: func(r providerRow) string { return r.Created }},
	}, JSON: cli.ToJSON[providerRow]}
}

func newAdminProviders(e *cli.Env, o *adminOptions) *cobra.Command {
	return e.Group("providers", "Internet providers, their limits and tokens", func() []*cobra.Command {
		return []*cobra.Command{newProvidersCreate(e, o), newProvidersList(e, o), newProvidersSetLimit(e, o), newProvidersBrand(e, o),
			newProvidersRotate(e, o), newProvidersRevoke(e, o), newProvidersEnable(e, o, true), newProvidersEnable(e, o, false)}
	})
}

func newProvidersCreate(e *cli.Env, o *adminOptions) *cobra.Command {
	p := provision.Provider{Limit: -1}
	var products []int
	c := &cobra.Command{
		Use: "create NAME --limit N", Short: "Set up a provider; its access token is printed once", Args: cli.Args(cobra.ExactArgs(1)),
		Example: "  ativa admin providers create \"Provedor Azul\" --limit 5000\n  ativa admin providers create Azul --limit 5000 --products 1,2 -o json",
		RunE: func(c *cobra.Command, args []string) error {
			p.Name, p.AllProducts = args[0], !c.Flags().Changed("products")
			return runProvidersCreate(c.Context(), e, o, p, products)
		},
	}
	c.Flags().IntVar(&p.Limit, "limit", -1, "active services at once")
	c.Flags().IntSliceVar(&products, "products", nil, "ids of the products it may sell (default: every product)")
	return c
}

func runProvidersCreate(ctx context.Context, e *cli.Env, o *adminOptions, p provision.Provider, products []int) error {
	if p.Limit < 0 {
		return cli.Usage("--limit is needed: 0 or more active services")
	}
	printer, err := newSecretPrinter(e, providers(), "access_token")
	if err != nil {
		return err
	}
	return withManager(ctx, e, o, func(ctx context.Context, m *provision.Manager) error {
		created, token, err := m.CreateProvider(ctx, p, products...)
		if err != nil {
			return err
		}
		rows, err := toProviderRows(ctx, m, created)
		if err != nil {
			return err
		}
		return printer.print(ctx, rows[0], token)
	})
}

func newProvidersList(e *cli.Env, o *adminOptions) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the providers", Args: cli.Args(cobra.NoArgs), Example: "  ativa admin providers list\n  ativa admin providers list --sort active_services:desc --columns name,active_services,limit",
		RunE: func(c *cobra.Command, _ []string) error {
			return adminList(c.Context(), e, o, providers(), func(ctx context.Context, m *provision.Manager) ([]providerRow, error) {
				all, err := m.Providers(ctx)
				if err != nil {
					return nil, err
				}
				return toProviderRows(ctx, m, all...)
			})
		},
	}
}

// adminList prints rows that the operator's side reads.
func adminList[T any](ctx context.Context, e *cli.Env, o *adminOptions, s render.Schema[T], read func(context.Context, *provision.Manager) ([]T, error)) error {
	p, err := cli.NewPrinter(e, s)
	if err != nil {
		return err
	}
	return withManager(ctx, e, o, func(ctx context.Context, m *provision.Manager) error {
		rows, err := read(ctx, m)
		if err != nil {
			return err
		}
		return p.List(ctx, cli.Rows(rows))
	})
}

// adminOne prints the one row that the operator's side changes.
func adminOne[T any](ctx context.Context, e *cli.Env, o *adminOptions, s render.Schema[T], change func(context.Context, *provision.Manager) (T, error)) error {
	p, err := cli.NewPrinter(e, s)
	if err != nil {
		return err
	}
	return withManager(ctx, e, o, func(ctx context.Context, m *provision.Manager) error {
		row, err := change(ctx, m)
		if err != nil {
			return err
		}
		return p.One(ctx, nil, row)
	})
}

func newProvidersSetLimit(e *cli.Env, o *adminOptions) *cobra.Command {
	return &cobra.Command{
		Use: "set-limit NAME N", Short: "Change the limit of active services; raising it starts queued activations", Args: cli.Args(cobra.ExactArgs(2)),
		Example: "  ativa admin providers set-limit Azul 10000\n  ativa admin providers set-limit \"Provedor Azul\" 0",
		RunE: func(c *cobra.Command, args []string) error {
			limit, err := strconv.Atoi(args[1])
			if err != nil {
				return cli.Usage("%q is not a number of services", args[1])
			}
			return changeProvider(c.Context(), e, o, func(ctx context.Context, m *provision.Manager) (provision.Provider, error) {
				return m.SetLimit(ctx, args[0], limit)
			})
		},
	}
}

func newProvidersEnable(e *cli.Env, o *adminOptions, enabled bool) *cobra.Command {
	name, short, do := "enable", "Accept a provider's tokens again", (*provision.Manager).Enable
	if !enabled {
		name, short, do = "disable", "Accept none of a provider's tokens any more", (*provision.Manager).Disable
	}
	return &cobra.Command{
		Use: name + " NAME", Short: short, Args: cli.Args(cobra.ExactArgs(1)),
		Example: "  ativa admin providers " + name + " Azul\n  ativa admin providers " + name + " \"Provedor Azul\" -o json",
		RunE: func(c *cobra.Command, args []string) error {
			return changeProvider(c.Context(), e, o, func(ctx context.Context, m *provision.Manager) (provision.Provider, error) {
				return do(m, ctx, args[0])
			})
		},
	}
}

func changeProvider(ctx context.Context, e *cli.Env, o *adminOptions, do func(context.Context, *provision.Manager) (provision.Provider, error)) error {
	p, err := cli.NewPrinter(e, providers())
	if err != nil {
		return err
	}
	return withManager(ctx, e, o, func(ctx context.Context, m *provision.Manager) error {
		changed, err := do(ctx, m)
		if err != nil {
			return err
		}
		rows, err := toProviderRows(ctx, m, changed)
		if err != nil {
			return err
		}
		return p.One(ctx, nil, rows[0])
	})
}

func newProvidersRotate(e *cli.Env, o *adminOptions) *cobra.Command {
	return &cobra.Command{
		Use: "rotate-token NAME", Short: "Give a provider a new access token; the one before stays valid, older ones end", Args: cli.Args(cobra.ExactArgs(1)),
		Example: "  ativa admin providers rotate-token Azul\n  ativa admin providers rotate-token Azul -o json --jq .access_token",
		RunE:    func(c *cobra.Command, args []string) error { return runProvidersRotate(c.Context(), e, o, args[0]) },
	}
}

func runProvidersRotate(ctx context.Context, e *cli.Env, o *adminOptions, provider string) error {
	p, err := newSecretPrinter(e, accessTokens(), "access_token")
	if err != nil {
		return err
	}
	return withManager(ctx, e, o, func(ctx context.Context, m *provision.Manager) error {
		t, secret, err := m.RotateToken(ctx, provider)
		if err != nil {
			return err
		}
		return p.print(ctx, toAccessTokenRow(t), secret)
	})
}

type accessTokenRow struct {
	ID      int64  `json:"id"`
	Created string `json:"created_at"`
}

func toAccessTokenRow(t provision.AccessToken) accessTokenRow {
	return accessTokenRow{int64(t.ID), cli.FormatTime(t.CreatedAt)}
}

func accessTokens() render.Schema[accessTokenRow] {
	return render.Schema[accessTokenRow]{One: "token", Many: "tokens", Empty: "no access tokens", Columns: []render.Column[accessTokenRow]{
		{Name: "id", Kind: render.Number, Value: func(r accessTokenRow) string { return strconv.FormatInt(r.ID, 10) }},
		{Name: "created_at", Kind: render.Time, Value: func(r accessTokenRow) string { return r.Created }},
	}, JSON: cli.ToJSON[accessTokenRow]}
}

func newProvidersRevoke(e *cli.Env, o *adminOptions) *cobra.Command {
	return &cobra.Command{
		Use: "revoke-token NAME ID", Short: "End an access token and the bearer tokens made from it",
		Long: "ID is one of the access tokens that `ativa admin providers list` shows.", Args: cli.Args(cobra.ExactArgs(2)),
		Example: "  ativa admin providers revoke-token Azul 3\n  ativa admin providers revoke-token \"Provedor Azul\" 1",
		RunE: func(c *cobra.Command, args []string) error {
			id, err := strconv.ParseInt(args[1], 10, 64)
			if err != nil {
				return cli.Usage("%q is not the id of a token", args[1])
			}
			return withManager(c.Context(), e, o, func(ctx context.Context, m *provision.Manager) error {
				return m.RevokeToken(ctx, args[0], provision.TokenID(id))
			})
		},
	}
}
