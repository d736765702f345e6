package cmd

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/failure"
	"ativa/internal/render"
)

type tokenItem = client.Item[api.Token]

func tokens() render.Schema[tokenItem] {
	return render.Schema[tokenItem]{One: "token", Many: "tokens", Empty: "no tokens",
		Columns: cli.TokenColumns(func(r tokenItem) api.Token { return r.Value }), JSON: cli.RawJSON[api.Token]}
}

func newTokens(e *cli.Env) *cobra.Command {
	return e.Group(&cobra.Command{
		Use: "tokens", Short: "Your provider's access tokens: one for each person and program", GroupID: "setup",
		SuggestFor:  []string{"permissoes", "atendentes"},
		Annotations: map[string]string{cli.ExitCodes: cli.ConnectedExits + " 5"},
	}, newTokensCreate(e), newTokensList(e), newTokensRevoke(e), newTokensRotate(e))
}

// withTokens runs do with a client of a server that has access tokens of providers.
func withTokens(ctx context.Context, with connect, do func(context.Context, *client.Client) error) error {
	return with(ctx, func(ctx context.Context, c *client.Client) error {
		has, err := c.HasExtension(ctx, api.ExtTokens)
		switch {
		case err != nil:
			return err
		case !has:
			return notSupported(cli.Msg("on this server a provider cannot make access tokens itself"), cli.Msg("ask whoever runs the server for one"))
		}
		return do(ctx, c)
	})
}

func newTokensList(e *cli.Env) *cobra.Command {
	var all bool
	c := cli.AddLimit(e, &cobra.Command{
		Use: "list", Short: "List the live access tokens", Args: cli.Args(cobra.NoArgs),
		Example: "  ativa tokens list\n  ativa tokens list --all -o json",
	})
	c.Flags().BoolVar(&all, "all", false, "also those that are revoked or expired")
	return cli.Prints(e, tokens, c, func(ctx context.Context, p *render.Printer[tokenItem], _ []string) error {
		return withTokens(ctx, e.WithClient, func(ctx context.Context, c *client.Client) error {
			listed, err := c.ListTokens(ctx, all)
			if err != nil {
				return err
			}
			return p.Results(ctx, nil, listed)
		})
	})
}

// tokensCreateOptions holds the flags.
type tokensCreateOptions struct {
	cli.TokenFlags
	file string
}

func newTokensCreate(e *cli.Env) *cobra.Command {
	var o tokensCreateOptions
	c := &cobra.Command{
		Use: "create [NAME]", Short: "Create an access token, or one for each row of a file", Args: cli.Args(cobra.MaximumNArgs(1)),
		Annotations: map[string]string{cli.ExitCodes: cli.ConnectedExits + " 5 6 7"},
		Long: `Create an access token with a name for its user, which the history shows with
everything that it does. Its secret is printed once. It can do no more, and ends
no later, than the token that creates it; without --scope it may do the same
except create tokens, without --expires it ends with it. Name, scopes and end
never change.

--file creates one for each row of a spreadsheet with the columns name, scopes
(separated by blanks) and expires; only the name is required. The secrets are
written to --output-file, a new file that only you can read. If a row is wrong,
nothing is created and every wrong row is listed. Each secret is in the file
before the next token is created, whatever ends the command.`,
		Example: "  ativa tokens create maria --scope manage,provision --expires 90d\n  ativa tokens create --file atendentes.csv --output-file segredos.csv",
	}
	o.Add(e, c, "those of this token except tokens", "with this token")
	c.Flags().StringVar(&o.file, "file", "", "table (CSV or .xlsx) with a row for each token: name, scopes, expires")
	return cli.PrintsSecret(e, tokens, "access_token", c, func(ctx context.Context, p cli.SecretPrinter[tokenItem], args []string) error {
		switch {
		case (o.file == "") == (len(args) == 0):
			return cli.Usage("either a NAME or --file is needed")
		case o.file != "" && o.AreSet():
			return cli.Usage("with --file, scopes and end of each token are in the file")
		case o.file != "" && e.Global.Output.File == "":
			return cli.Usage("--file needs --output-file: the secrets are written there and nowhere else")
		case o.file != "" && !p.Streams():
			return cli.Usage("with --file each secret is written when its token is made, without --sort, --jq, --template and -o yaml")
		case o.file != "":
			return runTokensFile(ctx, e, p, o.file)
		}
		return runTokensCreate(ctx, e, p, args[0], o)
	})
}

func runTokensCreate(ctx context.Context, e *cli.Env, p cli.SecretPrinter[tokenItem], name string, o tokensCreateOptions) error {
	scopes, err := o.Scopes()
	if err != nil {
		return err
	}
	end, err := o.End(e.Now())
	if err != nil {
		return err
	}
	t := api.TokenCreate{Name: name, Scopes: scopes, ExpiresAt: api.At(end)}
	return withTokens(ctx, e.WithWritableClient, func(ctx context.Context, c *client.Client) error {
		if err := e.Confirm(cli.Confirmation{Title: cli.Msg("make the access token %s", name)}); err != nil {
			return err
		}
		made, secret, err := c.CreateToken(client.Finish(ctx), t) // its secret comes only once
		switch {
		case client.MayHaveEffect(err):
			return &cli.Failure{Exit: exitOf(err), Code: failure.OutcomeOf(err).Code, Err: err, Hint: lostSecretHint(name),
				Message: cli.Msg("the access token %s may have been made", name)}
		case err != nil:
			return err
		}
		return p.Show(ctx, made, secret)
	})
}

// lostSecretHint says what to do about a token whose secret may never have arrived.
func lostSecretHint(name string) cli.Message {
	return cli.Msg("if `ativa tokens list` shows %s, `ativa tokens rotate` gives it another secret", name)
}

// findToken returns the token with the id or name. Revoked tokens keep both.
func findToken(ctx context.Context, c *client.Client, idOrName string) (tokenItem, error) {
	all, err := c.ListTokens(ctx, true)
	if err != nil {
		return tokenItem{}, err
	}
	i := slices.IndexFunc(all, func(t tokenItem) bool { return t.Value.ID == idOrName || t.Value.Name == idOrName && idOrName != "" })
	if i < 0 {
		return tokenItem{}, cli.NotFound("no access token has the id or name %q", idOrName).WithHint("`ativa tokens list` shows them")
	}
	return all[i], nil
}

func newTokensRevoke(e *cli.Env) *cobra.Command {
	return cli.Prints(e, tokens, &cobra.Command{
		Use: "revoke ID|NAME", Short: "End an access token, at once", Args: cli.Args(cobra.ExactArgs(1)),
		Example: "  ativa tokens revoke maria\n  ativa tokens revoke tok_5 -o json",
	}, func(ctx context.Context, p *render.Printer[tokenItem], args []string) error {
		return withTokens(ctx, e.WithWritableClient, func(ctx context.Context, c *client.Client) error {
			t, err := findToken(ctx, c, args[0])
			if err != nil {
				return err
			}
			if err := e.Confirm(cli.Confirmation{Title: cli.Msg("revoke the access token %s", t.Value.Name)}); err != nil {
				return err
			}
			revoked, err := c.RevokeToken(ctx, t.Value.ID)
			if err != nil {
				return err
			}
			return p.One(ctx, nil, revoked)
		})
	})
}

func newTokensRotate(e *cli.Env) *cobra.Command {
	var span time.Duration
	c := cli.AddGrace(&cobra.Command{
		Use: "rotate ID|NAME", Short: "Give an access token a new secret, printed once", Args: cli.Args(cobra.ExactArgs(1)),
		Example: "  ativa tokens rotate maria\n  ativa tokens rotate tok_5 --grace 0 -o json --jq .access_token",
	}, &span)
	return cli.PrintsSecret(e, tokens, "access_token", c, func(ctx context.Context, p cli.SecretPrinter[tokenItem], args []string) error {
		return withTokens(ctx, e.WithWritableClient, func(ctx context.Context, c *client.Client) error {
			t, err := findToken(ctx, c, args[0])
			if err != nil {
				return err
			}
			if err := e.Confirm(cli.Confirmation{Title: cli.Msg("give the access token %s a new secret", t.Value.Name)}); err != nil {
				return err
			}
			rotated, secret, err := c.RotateToken(client.Finish(ctx), t.Value.ID, span) // its secret comes only once
			if err != nil {
				return err
			}
			return p.Show(ctx, rotated, secret)
		})
	})
}
