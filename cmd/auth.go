package cmd

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/credentials"
	"ativa/internal/render"
	"ativa/internal/settings"
)

func newAuth(e *cli.Env) *cobra.Command {
	return e.Group(&cobra.Command{
		Use: "auth", Short: "How the command line authenticates", GroupID: "setup",
		Annotations: map[string]string{cli.ExitCodes: cli.ConnectedExits},
	}, newAuthStatus(e), newAuthToken(e))
}

// sourceRow is one possible source of an access token.
type sourceRow struct {
	Source string `json:"source"`
	Result string `json:"result"`
	Place  string `json:"place"`
	// The server's data about the token in use.
	api.AccessToken
}

func sourceRows() render.Schema[sourceRow] {
	return render.Schema[sourceRow]{One: "source", Many: "sources", Columns: []render.Column[sourceRow]{
		{Name: "source", Kind: render.Word, Value: func(r sourceRow) string { return r.Source }},
		{Name: "result", Kind: render.Word, Priority: 1, Value: func(r sourceRow) string { return r.Result }},
		{Name: "place", Kind: render.Path, Priority: -1, Value: func(r sourceRow) string { return r.Place }},
		{Name: "name", Priority: -1, Value: func(r sourceRow) string { return r.Name }},
		{Name: "scopes", Kind: render.Prose, Priority: 1, Usual: 40, Value: func(r sourceRow) string { return r.AccessToken.ScopeList() }},
		{Name: "expires_at", Title: "expires", Kind: render.Time, Value: func(r sourceRow) string { return r.ExpiresAt.String() }},
	}, JSON: cli.ToJSON[sourceRow]}
}

func newAuthStatus(e *cli.Env) *cobra.Command {
	return cli.Prints(e, sourceRows, &cobra.Command{
		Use: "status", Short: "Show where the access token comes from, and why", Args: cli.Args(cobra.NoArgs),
		SuggestFor:  []string{"whoami"},
		Annotations: map[string]string{cli.ExitCodes: "3 4"},
		Long: `Show where the access token comes from, and why. If the server reports them,
also its name, its scopes (what it may do) and its expiry, with a warning 14
days before. If the server cannot be asked, a notice says so and the rest is
shown.`,
		Example: "  ativa auth status\n  ativa auth status --context work -o json",
	}, func(ctx context.Context, p *render.Printer[sourceRow], _ []string) error {
		return runAuthStatus(ctx, e, p)
	})
}

func runAuthStatus(ctx context.Context, e *cli.Env, p *render.Printer[sourceRow]) error {
	chosen, err := e.ChosenContext()
	if err != nil {
		return err
	}
	e.Notice("context %s, server %s", cli.ContextName(chosen), chosen.Server)
	token, attempts, failed := credentials.Resolve(ctx, e.Sources(chosen))
	var reported api.AccessToken
	if failed == nil {
		var unknown error
		reported, unknown = askAccessToken(ctx, e, chosen, token)
		if client.HasCode(unknown, api.CodeInvalidAccessToken) || ctx.Err() != nil {
			failed = unknown
		} else if unknown != nil {
			e.Notice("the server could not be asked what the access token may do: %s", unknown)
		}
	}
	p.Respond(cli.Response(failed, false))
	err = p.Results(ctx, nil, cli.Map(attempts, func(a credentials.Attempt) sourceRow {
		row := sourceRow{Source: string(a.Source), Result: string(a.Reason), Place: a.Place}
		if a.Reason == credentials.Used {
			row.AccessToken = reported
		}
		return row
	}))
	if err != nil {
		return err
	}
	if cli.TokenExpiresSoon(reported, e.Now()) {
		e.Notice("the access token expires on %s: %s", e.DateTime(reported.ExpiresAt.Time), cli.TokenRemedy())
	}
	return failed
}

// askAccessToken returns the server's data about token, from the cache if possible. It does not
// resolve the token again, tries once, and waits at most --timeout, by default 10 s.
func askAccessToken(ctx context.Context, e *cli.Env, chosen settings.Context, token credentials.Token) (api.AccessToken, error) {
	limit := cmp.Or(e.Global.Timeout, 10*time.Second)
	o := e.ClientOptions(chosen)
	o.Timeout, o.Retry = limit, client.RetryPolicy{MaxAttempts: 1}
	source := e.BearerSource(chosen)
	source.Known = token
	c, err := cli.NewClient(ctx, o, source)
	if err != nil {
		return api.AccessToken{}, err
	}
	defer c.Close()
	return c.AccessToken(ctx)
}

func newAuthToken(e *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "token", Short: "Print a bearer token, for other programs", Args: cli.Args(cobra.NoArgs),
		SuggestFor: []string{"token"},
		Example: `  curl -H "Authorization: Bearer $(ativa auth token)" \
      https://provisioning.example.com/products
  ativa auth token --context work
  ativa auth token -o json`,
		RunE: func(c *cobra.Command, _ []string) error { return runAuthToken(c.Context(), e) },
	}
}

func runAuthToken(ctx context.Context, e *cli.Env) error {
	chosen, err := e.ChosenContext()
	if err != nil {
		return err
	}
	source := e.BearerSource(chosen)
	c, err := cli.NewClient(ctx, e.ClientOptions(chosen), source)
	if err != nil {
		return err
	}
	defer c.Close()
	b, err := source.Bearer(ctx)
	if err != nil {
		return err
	}
	if e.Global.Output.IsUsual {
		e.Global.Output.Format = ""
	}
	asked, err := e.PrintDocument(ctx, cli.ToJSON(struct {
		Token     string `json:"token"`
		ExpiresAt string `json:"expires_at"`
	}{b.Token, cli.FormatTime(b.ExpiresAt)}))
	if asked || err != nil {
		return err
	}
	_, err = fmt.Fprintln(e.Out, b.Token)
	return err
}
