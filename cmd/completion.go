package cmd

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ativa/internal/api"
	"ativa/internal/bulk"
	"ativa/internal/cli"
	"ativa/internal/render"
	"ativa/internal/settings"
)

// completions are the words that a shell is offered, from the settings and from
// what the server said last.
type completions struct{ *cli.Env }

// isCompletion tells whether a shell asks for completions. Only then they are
// set up: other commands start without.
func isCompletion(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// add gives the flags and arguments of the command on the line their words, in
// the person's language. Whatever goes wrong gives none: a shell that completes
// must neither wait, ask nor complain.
func (e completions) add(root *cobra.Command, line []string) {
	c, _, err := root.Find(line)
	if err != nil {
		return
	}
	flags := map[string]cobra.CompletionFunc{
		"context": e.completeContextFlag, "output": wordsOfKey("output"), "color": wordsOfKey("color"), "storage": wordsOfKey("storage"),
		"columns": listOf(func() []string { return e.Columns(c) }), "sort": e.completeSort, "scope": listOf(scopeWords), "status": listOf(e.statusWords),
		"product": fixedWords(e.productWords), "from": fixedWords(e.productWords), "to": fixedWords(e.productWords), "speed": fixedWords(e.speedWords),
	}
	arguments := map[string]cobra.CompletionFunc{
		"context use": first(fixedWords(e.contextNames)), "context remove": first(fixedWords(e.contextNames)), "status": fixedWords(e.statusWords),
		"imports show": e.completeImports, "imports resume": e.completeImports, "imports undo": e.completeImports, "imports purge": e.completeImports,
		"config get": first(fixedWords(keyWords)), "config unset": first(fixedWords(keyWords)), "config set": e.completeSetting,
		"api": completeRequest, "subscribers import": nil, "sync": nil, "admin backup": nil,
	}
	if c.Flags().Lookup("month") != nil { // --from and --to are days, not products
		flags["from"], flags["to"] = cobra.NoFileCompletions, cobra.NoFileCompletions
	}
	for name, complete := range flags {
		if c.Flags().Lookup(name) != nil {
			_ = c.RegisterFlagCompletionFunc(name, withPrefix(complete)) // it exists, and has none yet
		} else if root.PersistentFlags().Lookup(name) != nil {
			_ = root.RegisterFlagCompletionFunc(name, withPrefix(complete))
		}
	}
	complete, files := arguments[strings.TrimPrefix(c.CommandPath(), "ativa ")]
	switch {
	case complete != nil:
		c.ValidArgsFunction = withPrefix(complete)
	case !files && !c.HasSubCommands() && c.ValidArgsFunction == nil:
		c.ValidArgsFunction = cobra.NoFileCompletions
	}
	cli.TranslateCommand(c, e.Lang)
}

// withPrefix keeps the words that go on from what is typed.
func withPrefix(complete cobra.CompletionFunc) cobra.CompletionFunc {
	return func(c *cobra.Command, given []string, typed string) ([]string, cobra.ShellCompDirective) {
		all, directive := complete(c, given, typed)
		return slices.DeleteFunc(all, func(word string) bool { return !strings.HasPrefix(word, typed) }), directive
	}
}

// fixedWords is a completer of words that are always the same.
func fixedWords(all func() []string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return all(), cobra.ShellCompDirectiveNoFileComp
	}
}

// first completes the first argument alone.
func first(complete cobra.CompletionFunc) cobra.CompletionFunc {
	return func(c *cobra.Command, given []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(given) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return complete(c, given, typed)
	}
}

// wordsOfKey completes what a key of the configuration can be.
func wordsOfKey(name string) cobra.CompletionFunc {
	return fixedWords(func() []string {
		k, _ := settings.Named(cli.Keys(), name) // one that does not exist has no words
		return k.Words
	})
}

func (e completions) contextNames() []string {
	s, err := e.LoadSettings()
	if err != nil {
		return nil
	}
	return cli.Map(s.Contexts, func(c settings.Context) string { return c.Name + "\t" + render.Sanitise(c.Server) })
}

// completeContextFlag completes --context, which is all contexts for some commands.
func (e completions) completeContextFlag(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	words := e.contextNames()
	if c.Annotations[cli.AllContexts] != "" {
		words = append(words, settings.AllContexts)
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

func keyWords() []string {
	return cli.Map(cli.Keys(), func(k settings.Key) string { return k.Name + "\t" + k.Meaning })
}

// completeSetting completes a key, and then its values where they are known.
func (e completions) completeSetting(c *cobra.Command, given []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(given) == 0 {
		return fixedWords(keyWords)(c, given, typed)
	}
	k, _ := settings.Named(cli.Keys(), given[0])
	switch {
	case k.IsFile:
		return nil, cobra.ShellCompDirectiveDefault
	case k.Name == "context":
		return fixedWords(e.contextNames)(c, given, typed)
	}
	return k.Words, cobra.ShellCompDirectiveNoFileComp
}

func completeRequest(_ *cobra.Command, given []string, _ string) ([]string, cobra.ShellCompDirective) {
	switch len(given) {
	case 0:
		return []string{"GET", "POST", "PUT", "DELETE"}, cobra.ShellCompDirectiveNoFileComp
	case 1:
		return []string{api.PathSubscribers, api.PathInternetSpeeds, api.PathImport, api.PathResend, api.PathProducts, api.PathStatuses,
			api.PathActivate, api.PathSuspend, api.PathDeactivate, api.PathChange, api.PathOverdue, api.PathSettle, api.PathEvents}, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// completeSort completes the column to sort by.
func (e completions) completeSort(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	all := e.Columns(c)
	for _, name := range all {
		all = append(all, name+":desc")
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}

// listOf completes the last of several words with commas between them, of those
// that are not named yet.
func listOf(words func() []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		before := typed[:strings.LastIndex(typed, ",")+1]
		chosen := strings.Split(before, ",")
		all := slices.DeleteFunc(words(), func(line string) bool {
			word, _, _ := strings.Cut(line, "\t")
			return slices.Contains(chosen, word)
		})
		return cli.Map(all, func(line string) string { return before + line }), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// scopeWords are what an access token may do.
func scopeWords() []string {
	return cli.Map(api.Scopes(), func(s api.Scope) string { return string(s) })
}

// completeImports completes the runs that the command takes, the latest first.
func (e completions) completeImports(c *cobra.Command, given []string, _ string) ([]string, cobra.ShellCompDirective) {
	all, err := journals(e.Env)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	runs, _ := all.List() // what can be read is offered
	var words []string
	for _, run := range runs {
		if !slices.Contains(given, run.ID) && takesRun(c.Name(), run) {
			words = append(words, run.ID+"\t"+render.Sanitise(run.Kind+" "+cmp.Or(run.Selection, filepath.Base(run.File))+", "+e.Lang.Word(run.State)))
		}
	}
	return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// takesRun reports whether a command below `ativa imports` can do something with a run.
func takesRun(command string, run bulk.RunInfo) bool {
	switch command {
	case "resume":
		return run.State == bulk.StateInterrupted && run.File != fromCommand && (run.File == "" || run.File == "-" || isFile(run.File))
	case "undo":
		return checkUndoable(run) == nil && isFile(run.Report.Path)
	case "purge":
		return run.State != bulk.StateRunning
	}
	return true
}

func isFile(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// describeCompletion completes cobra's own completion commands: their help, and
// that without a known shell they are a usage error as any group.
func (e completions) describeCompletion(root *cobra.Command) {
	all := root.Commands()
	i := slices.IndexFunc(all, func(c *cobra.Command) bool { return c.Name() == "completion" })
	if i < 0 {
		return
	}
	e.Group(all[i])
	all[i].Annotations = map[string]string{cli.ExitCodes: ""}
	for _, c := range all[i].Commands() {
		c.Args = cli.Args(c.Args)
		c.Example = map[string]string{
			"bash":       "  source <(ativa completion bash)\n  ativa completion bash > ativa.bash",
			"zsh":        "  source <(ativa completion zsh)\n  ativa completion zsh > \"${fpath[1]}/_ativa\"",
			"fish":       "  ativa completion fish | source\n  ativa completion fish > ativa.fish",
			"powershell": "  ativa completion powershell | Out-String | Invoke-Expression\n  ativa completion powershell > ativa.ps1",
		}[c.Name()]
	}
}
