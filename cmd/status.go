package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/lang"
	"ativa/internal/lifecycle"
	"ativa/internal/render"
)

type statusItem = client.Item[api.Status]

func statuses(l lang.Language) render.Schema[statusItem] {
	name := render.Status
	if l == lang.Portuguese { // the API's name is next to its translation
		name = render.Text
	}
	return render.Schema[statusItem]{One: "status", Many: "status", Empty: "no statuses", Columns: []render.Column[statusItem]{
		{Name: "id", Kind: render.Number, Value: func(r statusItem) string { return number(r.Value.ID) }},
		{Name: "name", Kind: name, Min: 29, Priority: 1, Value: func(r statusItem) string { return r.Value.Name }},
		{Name: "word", Title: "in tables", Priority: -1, Kind: render.Status, Extra: l != lang.Portuguese, Value: func(r statusItem) string { return r.Value.Name }},
		{Name: "category", Min: 13, Priority: -2, Value: func(r statusItem) string { return l.Text(string(api.CategoryOf(r.Value.ID))) }},
		{Name: "meaning", Kind: render.Prose, Priority: 1, Usual: 47, Value: func(r statusItem) string { return l.Text(lifecycle.Meaning(r.Value.Name)) }},
	}, JSON: cli.RawJSON[api.Status]}
}

func newStatus(e *cli.Env) *cobra.Command {
	return cli.Lists(e, func() render.Schema[statusItem] { return statuses(e.CellLanguage()) }, &cobra.Command{
		Use: "status", Short: "List the possible service statuses, with category and meaning", GroupID: "find", Args: cli.Args(cobra.NoArgs),
		SuggestFor:  []string{"statuses", "situacao", "situação"},
		Annotations: map[string]string{cli.ExitCodes: cli.ConnectedExits},
		Example:     "  ativa status\n  ativa status -o json",
	}, func(ctx context.Context, c *client.Client, _ []string) ([]statusItem, error) { return c.Statuses(ctx) })
}
