package operator

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/render"
	"ativa/internal/service/domain"
	"ativa/internal/service/server"
	"ativa/internal/service/store"
)

// tokenRow is an access token as the API writes it, with what only the operator sees.
type tokenRow struct {
	api.Token
	Provider             string   `json:"provider"`
	PreviousSecretEndsAt api.Time `json:"previous_secret_ends_at"` // null if the secret was never replaced
}

func toTokenRow(t domain.AccessToken, provider string) tokenRow {
	return tokenRow{server.TokenOf(t), provider, api.At(t.SecretEndsAt)}
}

func tokenRows() render.Schema[tokenRow] {
	all := cli.TokenColumns(func(r tokenRow) api.Token { return r.Token })
	all = slices.Insert(all, 5, render.Column[tokenRow]{Name: "previous_secret_ends_at", Title: "old secret ends", Kind: render.Time,
		Value: func(r tokenRow) string { return r.PreviousSecretEndsAt.String() }})
	all = slices.Insert(all, 1, render.Column[tokenRow]{Name: "provider", Value: func(r tokenRow) string { return r.Provider }})
	return render.Schema[tokenRow]{One: "token", Many: "tokens", Empty: "no tokens", Columns: all, JSON: cli.ToJSON[tokenRow]}
}

func newAdminTokens(e *cli.Env, o *adminOptions) *cobra.Command {
	return e.Group(&cobra.Command{Use: "tokens", Short: "The access tokens of providers: what each may do, and until when"},
		newTokensCreate(e, o), newTokensList(e, o), newTokensRevoke(e, o), newTokensRotate(e, o))
}

func newTokensCreate(e *cli.Env, o *adminOptions) *cobra.Command {
	var flags cli.TokenFlags
	token := domain.AccessToken{Scopes: domain.AllScopes}
	c := &cobra.Command{
		Use: "create PROVIDER --name N", Short: "Create an access token; its secret is printed once", Args: cli.Args(cobra.ExactArgs(1)),
		Long: `Create an access token of a provider, with a name that tells who uses it: the history
shows the name with everything done with it. Give it the scopes that its user
needs and no more:

  read       every GET but /tokens, and every dry run; in every token
  manage     create and update subscribers, send activation e-mails again
  provision  activate, change, suspend, overdue, settle
  import     import subscribers with their services
  cancel     deactivate services, delete subscribers
  tokens     list, create, rotate and revoke the provider's tokens (ativa tokens)

Name, scopes and expiry of a token never change, and no other token of the provider
will have its name: for other scopes create another one and revoke this.`,
		Example: "  ativa admin tokens create Azul --name desk --scope manage,provision\n  ativa admin tokens create \"Provedor Azul\" --name ci --scope read \\\n      --expires 90d -o json",
		PreRunE: func(*cobra.Command, []string) error {
			scopes, err := flags.Scopes()
			if scopes != nil {
				token.Scopes, _ = domain.ParseScopes(cli.Map(scopes, func(s api.Scope) string { return string(s) })) // checked by Scopes
			}
			return err
		},

		ValidArgsFunction: completeTokens(e, o, false),
	}
	c.Flags().StringVar(&token.Name, "name", "", "who uses it, 1 to 60 characters")
	cli.Require(c, "name")
	flags.Add(e, c, "all of them", "never")
	return adminSecret(e, o, tokenRows, "access_token", c, func(ctx context.Context, service *Parts, args []string) (tokenRow, string, error) {
		expires, err := flags.End(service.Rules.Now())
		if err != nil {
			return tokenRow{}, "", err
		}
		by, err := service.Tokens.Operator(ctx, args[0])
		if err != nil {
			return tokenRow{}, "", err
		}
		token.ExpiresAt = expires
		made, secret, err := service.Tokens.CreateToken(ctx, by, token)
		return toTokenRow(made, args[0]), secret, err
	})
}

func newTokensList(e *cli.Env, o *adminOptions) *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use: "list [PROVIDER]", Short: "List the live access tokens, of one provider or of all", Args: cli.Args(cobra.MaximumNArgs(1)),
		Long: `List the access tokens that are neither revoked nor expired, in the order in which
they were made. When one was last used is known to the hour.`,
		Example: "  ativa admin tokens list\n  ativa admin tokens list Azul --all -o json",

		ValidArgsFunction: completeTokens(e, o, false),
	}
	c.Flags().BoolVar(&all, "all", false, "also those that are revoked or expired")
	return adminList(e, o, tokenRows, cli.AddLimit(e, c), func(ctx context.Context, service *Parts, provider []string) ([]tokenRow, error) {
		return listTokens(ctx, service, provider, all)
	})
}

// listTokens returns the tokens of one provider or of all, only live ones unless all is true.
func listTokens(ctx context.Context, service *Parts, provider []string, all bool) ([]tokenRow, error) {
	names, err := providerNames(ctx, service)
	if err != nil {
		return nil, err
	}
	ids := slices.Sorted(maps.Keys(names))
	if len(provider) > 0 {
		ids = slices.DeleteFunc(ids, func(id domain.ProviderID) bool { return names[id] != provider[0] })
	}
	if len(provider) > 0 && len(ids) == 0 {
		return nil, &domain.Error{Code: domain.NotFound, Message: "no provider has this name", Subject: domain.SubjectProvider}
	}
	tokens, err := service.Store.AccessTokens(ctx, ids)
	var rows []tokenRow
	for _, t := range tokens {
		if all || t.IsLive(service.Rules.Now()) {
			rows = append(rows, toTokenRow(t, names[t.Provider]))
		}
	}
	return rows, err
}

func newTokensRevoke(e *cli.Env, o *adminOptions) *cobra.Command {
	return adminOne(e, o, tokenRows, &cobra.Command{
		Use: "revoke PROVIDER ID|NAME", Short: "End an access token and the bearer tokens made from it, at once", Args: cli.Args(cobra.ExactArgs(2)),
		Example: "  ativa admin tokens revoke Azul ci\n  ativa admin tokens revoke \"Provedor Azul\" tok_3",

		ValidArgsFunction: completeTokens(e, o, true),
	}, func(ctx context.Context, service *Parts, args []string) (tokenRow, error) {
		by, err := service.Tokens.Operator(ctx, args[0])
		if err != nil {
			return tokenRow{}, err
		}
		revoked, err := service.Tokens.RevokeToken(ctx, by, args[1])
		return toTokenRow(revoked, args[0]), err
	})
}

func newTokensRotate(e *cli.Env, o *adminOptions) *cobra.Command {
	var span time.Duration
	c := cli.AddGrace(&cobra.Command{
		Use: "rotate PROVIDER ID|NAME", Short: "Give an access token a new secret, printed once", Args: cli.Args(cobra.ExactArgs(2)),
		Example: "  ativa admin tokens rotate Azul desk\n  ativa admin tokens rotate Azul ci --grace 0 -o json --jq .access_token",

		ValidArgsFunction: completeTokens(e, o, true),
	}, &span)
	return adminSecret(e, o, tokenRows, "access_token", c, func(ctx context.Context, service *Parts, args []string) (tokenRow, string, error) {
		by, err := service.Tokens.Operator(ctx, args[0])
		if err != nil {
			return tokenRow{}, "", err
		}
		rotated, secret, err := service.Tokens.RotateToken(ctx, by, args[1], span)
		return toTokenRow(rotated, args[0]), secret, err
	})
}

// completionTime limits the wait of a shell for a database. A working one answers in
// milliseconds, on a busy machine in a second or two.
const completionTime = 5 * time.Second

// completeTokens completes a provider and, if tokens is true, one of its live tokens.
func completeTokens(e *cli.Env, o *adminOptions, tokens bool) cobra.CompletionFunc {
	return func(c *cobra.Command, given []string, typed string) ([]string, cobra.ShellCompDirective) {
		var words []string
		_ = withExistingDatabase(c.Context(), e, o, func(ctx context.Context, service *Parts) error { // no errors in a shell
			providers, err := service.Store.Providers(ctx)
			if len(given) == 0 {
				words = cli.Map(providers, func(p domain.Provider) string { return p.Name })
				return err
			}
			i := slices.IndexFunc(providers, func(p domain.Provider) bool { return p.Name == given[0] })
			if len(given) > 1 || !tokens || i < 0 {
				return err
			}
			all, err := service.Store.AccessTokens(ctx, []domain.ProviderID{providers[i].ID})
			for _, t := range all {
				if t.IsLive(service.Rules.Now()) {
					words = append(words, t.Name+"\t"+strings.Join(t.Scopes.Names(), " "))
				}
			}
			return err
		})
		return slices.DeleteFunc(words, func(word string) bool { return !strings.HasPrefix(word, typed) }), cobra.ShellCompDirectiveNoFileComp
	}
}

// withExistingDatabase is withDatabase for a database with the current schema: it neither creates
// nor migrates one.
func withExistingDatabase(ctx context.Context, e *cli.Env, o *adminOptions, do func(context.Context, *Parts) error) error {
	ctx, cancel := context.WithTimeout(ctx, completionTime)
	defer cancel()
	return openDatabase(ctx, e, o, store.Options{Schema: store.KeepSchema}, do)
}
