package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ativa/internal/render"
	"ativa/internal/settings"
)

// IsCompletion reports whether a shell asks for completions.
func IsCompletion(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// CompleteFlag completes the values of a flag of c. It does nothing unless a shell asks: cobra
// never releases the function.
func (e *Env) CompleteFlag(c *cobra.Command, flag string, complete cobra.CompletionFunc) {
	if !IsCompletion(e.Args) {
		return
	}
	if err := c.RegisterFlagCompletionFunc(flag, complete); err != nil {
		panic(err) // there is no such flag
	}
}

// CompleteFiles completes the files of the working directory.
func CompleteFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

// Words completes to the words with the typed prefix.
func Words(all func() []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return beginningWith(typed, all()), cobra.ShellCompDirectiveNoFileComp
	}
}

func beginningWith(typed string, words []string) []string {
	return slices.DeleteFunc(words, func(word string) bool { return !strings.HasPrefix(word, typed) })
}

// First completes only the first argument.
func First(complete cobra.CompletionFunc) cobra.CompletionFunc {
	return func(c *cobra.Command, given []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(given) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return complete(c, given, typed)
	}
}

// ListOf completes the last of several comma-separated words to one that is not in the list yet.
func ListOf(words func() []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		before := typed[:strings.LastIndex(typed, ",")+1]
		chosen := strings.Split(before, ",")
		all := slices.DeleteFunc(words(), func(line string) bool {
			word, _, _ := strings.Cut(line, "\t")
			return slices.Contains(chosen, word)
		})
		all = Map(all, func(line string) string { return before + line })
		return beginningWith(typed, all), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// KeyValues completes the values of a configuration key.
func KeyValues(name string) cobra.CompletionFunc {
	return Words(func() []string {
		k, _ := settings.Named(Keys(), name) // an unknown key has no words
		return k.Words
	})
}

// ContextNames returns the names of the contexts, each with its server.
func (e *Env) ContextNames() []string {
	s, err := e.LoadSettings()
	if err != nil {
		return nil
	}
	return Map(s.Contexts, func(c settings.Context) string { return c.Name + "\t" + render.Sanitise(c.Server) })
}

// completeContext completes --context; for some commands that includes all contexts.
func (e *Env) completeContext(c *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	words := e.ContextNames()
	if c.Annotations[AllContexts] != "" {
		words = append(words, settings.AllContexts)
	}
	return beginningWith(typed, words), cobra.ShellCompDirectiveNoFileComp
}

// completeColumns completes the columns that a command prints.
func (e *Env) completeColumns(c *cobra.Command, given []string, typed string) ([]string, cobra.ShellCompDirective) {
	return ListOf(func() []string { return e.Columns(c) })(c, given, typed)
}

// completeSort completes the column to sort by.
func (e *Env) completeSort(c *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	all := e.Columns(c)
	for _, name := range all {
		all = append(all, name+":desc")
	}
	return beginningWith(typed, all), cobra.ShellCompDirectiveNoFileComp
}
