package cmd

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/failure"
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
		Use: "status [STATUS…]", Short: "List the possible service statuses, with category and meaning", GroupID: "find", Args: cli.Args(cobra.ArbitraryArgs),
		ValidArgsFunction: cli.Words(func() []string { return statusWords(e) }),
		SuggestFor:        []string{"statuses", "situacao", "situação"},
		Annotations:       map[string]string{cli.ExitCodes: cli.ConnectedExits},
		Example:           "  ativa status\n  ativa status waitingSuspension -o json",
	}, func(ctx context.Context, c *client.Client, args []string) ([]statusItem, error) {
		all, err := c.Statuses(ctx)
		if err != nil {
			return nil, err
		}
		return selectStatuses(all, args)
	})
}

// selectStatuses picks statuses by name or id; without any it returns all of them.
func selectStatuses(all []statusItem, wanted []string) ([]statusItem, error) {
	if len(wanted) == 0 {
		return all, nil
	}
	return cli.ParseAll(wanted, func(w string) (statusItem, error) {
		i := slices.IndexFunc(all, func(r statusItem) bool { return isCalled(r.Value, w) })
		if i < 0 {
			return statusItem{}, cli.NotFound("there is no status %q", w).WithHint("%s", failure.DidYouMean(w, cli.Map(all, func(r statusItem) string { return r.Value.Name })))
		}
		return all[i], nil
	})
}
