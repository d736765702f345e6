package operator

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/provision"
	"ativa/internal/store"
)

func completeScopes(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	before := typed[:strings.LastIndex(typed, ",")+1]
	chosen := strings.Split(before, ",")
	left := slices.DeleteFunc(provision.ScopeNames(), func(name string) bool { return slices.Contains(chosen, name) })
	words := cli.Map(left, func(name string) string { return before + name })
	words = slices.DeleteFunc(words, func(word string) bool { return !strings.HasPrefix(word, typed) })
	return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completionTime is how long a shell may wait for the database.
const completionTime = time.Second

// completeTokens completes a provider and, if tokens is true, one of its live tokens.
func completeTokens(e *cli.Env, o *adminOptions, tokens bool) cobra.CompletionFunc {
	return func(c *cobra.Command, given []string, typed string) ([]string, cobra.ShellCompDirective) {
		var words []string
		_ = withExistingManager(c.Context(), e, o, func(ctx context.Context, m *provision.Manager) error { // a shell is told nothing
			providers, err := m.Providers(ctx)
			if len(given) == 0 {
				words = cli.Map(providers, func(p provision.Provider) string { return p.Name })
				return err
			}
			i := slices.IndexFunc(providers, func(p provision.Provider) bool { return p.Name == given[0] })
			if len(given) > 1 || !tokens || i < 0 {
				return err
			}
			all, err := m.AccessTokens(ctx, providers[i].ID)
			for _, t := range all {
				if t.IsLive(m.Now()) {
					words = append(words, t.Name+"\t"+strings.Join(t.Scopes.Names(), " "))
				}
			}
			return err
		})
		return slices.DeleteFunc(words, func(word string) bool { return !strings.HasPrefix(word, typed) }), cobra.ShellCompDirectiveNoFileComp
	}
}

// withExistingManager is withManager on a database that has this program's schema
// already: it neither makes nor migrates one.
func withExistingManager(ctx context.Context, e *cli.Env, o *adminOptions, do func(context.Context, *provision.Manager) error) error {
	ctx, cancel := context.WithTimeout(ctx, completionTime)
	defer cancel()
	dsn, err := adminDatabase(e, o)
	if err != nil {
		return err
	}
	if current, target, err := store.Version(ctx, dsn); err != nil || current != target {
		return err
	}
	db, err := store.Open(ctx, dsn, store.Options{})
	if err != nil {
		return err
	}
	return errors.Join(do(ctx, provision.NewManager(db, provision.Options{})), db.Close())
}
