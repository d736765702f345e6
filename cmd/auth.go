package cmd

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/credentials"
	"ativa/internal/render"
)

func newAuth(e *cli.Env) *cobra.Command {
	return e.Group("auth", "How the command line authenticates", func() []*cobra.Command {
		return []*cobra.Command{newAuthStatus(e), newAuthToken(e)}
	})
}

// sourceRow is one place where an access token is looked for.
type sourceRow struct {
	Source string `json:"source"`
	Result string `json:"result"`
	Place  string `json:"place"`
}

func sourceRows() render.Schema[sourceRow] {
	return render.Schema[sourceRow]{One: "source", Many: "sources", Columns: []render.Column[sourceRow]{
		{Name: "source", Value: func(r sourceRow) string { return r.Source }},
		{Name: "result", Value: func(r sourceRow) string { return r.Result }},
		{Name: "place", Value: func(r sourceRow) string { return r.Place }},
	}, JSON: cli.ToJSON[sourceRow]}
}

func newAuthStatus(e *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Show where the access token comes from, and why", Args: cli.Args(cobra.NoArgs),
		Example: "  ativa auth status\n  ativa auth status --context work -o json",
		RunE:    func(c *cobra.Command, _ []string) error { return runAuthStatus(c.Context(), e) },
	}
}

func runAuthStatus(ctx context.Context, e *cli.Env) error {
	p, err := cli.NewPrinter(e, sourceRows())
	if err != nil {
		return err
	}
	chosen, err := e.ChosenContext()
	if err != nil {
		return err
	}
	e.Notice("context %s, server %s", cmp.Or(chosen.Name, "(none)"), chosen.Server)
	_, attempts, missing := credentials.Resolve(ctx, e.Sources(chosen))
	err = p.List(ctx, func(yield func(sourceRow, error) bool) {
		for _, a := range attempts {
			if !yield(sourceRow{string(a.Source), string(a.Reason), a.Place}, nil) {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	return missing
}

func newAuthToken(e *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "token", Short: "Print a bearer token, for other programs", Args: cli.Args(cobra.NoArgs),
		Example: `  curl -H "Authorization: Bearer $(ativa auth token)" https://provisioning.example.com/products
  ativa auth token --context work`,
		RunE: func(c *cobra.Command, _ []string) error { return runAuthToken(c.Context(), e) },
	}
}

func runAuthToken(ctx context.Context, e *cli.Env) error {
	chosen, err := e.ChosenContext()
	if err != nil {
		return err
	}
	b, err := e.BearerSource(chosen).Bearer(ctx)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(e.Out, b.Token)
	return err
}
