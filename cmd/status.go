package cmd

import (
	"context"
	"slices"
	"strconv"
	"strings"

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
		Use: "status", Short: "List the possible service statuses, with category and meaning", GroupID: "find", Args: cli.Args(cobra.NoArgs),
		SuggestFor:  []string{"statuses", "situacao", "situação"},
		Annotations: map[string]string{cli.ExitCodes: cli.ConnectedExits},
		Example:     "  ativa status\n  ativa status -o json",
	}, func(ctx context.Context, c *client.Client, _ []string) ([]statusItem, error) { return c.Statuses(ctx) })
}

// unlistedStatus is the id of a status selected by name only.
const unlistedStatus = -1

// findStatuses turns names or ids into statuses of the server, or of api.md. Another
// server's list may lack a status of its services: its name is accepted, unless it looks
// mistyped.
func findStatuses(ctx context.Context, e *cli.Env, c *client.Client, wanted []string) ([]api.Status, error) {
	if len(wanted) == 0 {
		return nil, nil
	}
	items, err := c.Statuses(ctx)
	if err != nil {
		return nil, err
	}
	complete, err := c.HasExtension(ctx, api.ExtIdempotency)
	if err != nil {
		return nil, err
	}
	known := client.Values(items)
	for _, s := range api.Statuses() {
		if !slices.ContainsFunc(known, func(k api.Status) bool { return k.ID == s.ID }) {
			known = append(known, s)
		}
	}
	return cli.ParseAll(wanted, func(w string) (api.Status, error) {
		i := slices.IndexFunc(known, func(s api.Status) bool { return isCalled(s, strings.TrimSpace(w)) })
		if i < 0 {
			names := cli.Map(known, func(s api.Status) string { return s.Name })
			if _, err := strconv.Atoi(w); err != nil && !complete && len(failure.Nearest(w, names)) == 0 {
				e.Notice("the server's list has no status %q; services whose status has that name are selected", w)
				return api.Status{ID: unlistedStatus, Name: strings.TrimSpace(w)}, nil
			}
			return api.Status{}, cli.Usage("there is no status %q", w).WithHint("the statuses are %s", strings.Join(names, ", "))
		}
		return known[i], nil
	})
}

// isCalled reports whether typed is the status's id or, in any case, its name or the word that
// people see for it in English or Portuguese.
func isCalled(s api.Status, typed string) bool {
	return number(s.ID) == typed || slices.ContainsFunc([]string{s.Name, lang.StatusWord(s.Name).Text(lang.English), lang.Portuguese.Status(s.Name)},
		func(name string) bool { return strings.EqualFold(name, typed) })
}
