package cmd

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/credentials"
	"ativa/internal/lang"
	"ativa/internal/render"
	"ativa/internal/settings"
)

// completer gives the words that may stand at a place of the command line.
type completer = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

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
	flags := map[string]completer{
		"context": e.completeContextFlag, "output": fixedWords(render.Formats),
		"color":   fixedWords(func() []string { return []string{render.ColourAuto, render.ColourAlways, render.ColourNever} }),
		"columns": e.completeColumns(false), "sort": e.completeColumns(true), "scope": completeScopes, "status": e.completeStatusList,
		"product": e.completeProducts, "from": e.completeProducts, "to": e.completeProducts, "speed": e.completeSpeeds,
		"storage": fixedWords(func() []string { return []string{string(credentials.StorageKeyring), string(credentials.StorageFile)} }),
	}
	arguments := map[string]completer{
		"context use": e.completeContext, "context remove": e.completeContext, "status": e.completeStatuses,
		"imports show": e.completeImports, "imports resume": e.completeImports, "imports undo": e.completeImports, "imports purge": e.completeImports,
		"config get": completeKeys, "config unset": completeKeys, "config set": e.completeSetting,
		"api": completeRequest, "subscribers import": nil, "sync": nil, "admin backup": nil,
	}
	c, _, err := root.Find(line)
	if err != nil {
		return
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
func withPrefix(complete completer) completer {
	return func(c *cobra.Command, given []string, typed string) ([]string, cobra.ShellCompDirective) {
		all, directive := complete(c, given, typed)
		return slices.DeleteFunc(all, func(word string) bool { return !strings.HasPrefix(word, typed) }), directive
	}
}

// fixedWords is a completer of words that are always the same.
func fixedWords(all func() []string) completer {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return all(), cobra.ShellCompDirectiveNoFileComp
	}
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
	if asksAllContexts(c.CommandPath()) {
		words = append(words, settings.AllContexts)
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

func (e completions) completeContext(c *cobra.Command, given []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(given) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return fixedWords(e.contextNames)(c, given, typed)
}

func completeKeys(_ *cobra.Command, given []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(given) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return cli.Map(cli.Keys(), func(k settings.Key) string { return k.Name + "\t" + k.Meaning }), cobra.ShellCompDirectiveNoFileComp
}

// completeSetting completes a key, and then its values where they are known.
func (e completions) completeSetting(c *cobra.Command, given []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(given) == 0 {
		return completeKeys(c, given, typed)
	}
	var values []string
	switch given[0] {
	case "context":
		values = e.contextNames()
	case "output":
		values = render.Formats()
	case "lang":
		values = []string{string(lang.Portuguese), string(lang.English)}
	case "color":
		values = []string{render.ColourAuto, render.ColourAlways, render.ColourNever}
	case "storage":
		values = []string{string(credentials.StorageKeyring), string(credentials.StorageFile)}
	case "insecure_http", "read_only", "protected", "show_documents":
		values = []string{"true", "false"}
	case "ca_cert", "client_cert", "client_key", "token_file":
		return nil, cobra.ShellCompDirectiveDefault
	}
	return values, cobra.ShellCompDirectiveNoFileComp
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

// completeColumns completes a list of columns, or the one to sort by.
func (e completions) completeColumns(sort bool) completer {
	return func(c *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		all := e.Columns(c)
		if sort {
			for _, name := range all {
				all = append(all, name+":desc")
			}
			return all, cobra.ShellCompDirectiveNoFileComp
		}
		return listWords(all, typed)
	}
}

// listWords completes the last of several words with commas between them, of those
// that are not named yet.
func listWords(all []string, typed string) ([]string, cobra.ShellCompDirective) {
	before := typed[:strings.LastIndex(typed, ",")+1]
	chosen := strings.Split(before, ",")
	all = slices.DeleteFunc(all, func(line string) bool {
		word, _, _ := strings.Cut(line, "\t")
		return slices.Contains(chosen, word)
	})
	return cli.Map(all, func(line string) string { return before + line }), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeScopes completes a list of what an access token may do.
func completeScopes(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	return listWords(cli.Map(api.Scopes(), func(s api.Scope) string { return string(s) }), typed)
}

// completeStatusList completes a list of statuses.
func (e completions) completeStatusList(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	return listWords(e.statusWords(), typed)
}

// completeImports completes runs over files, the latest first.
func (e completions) completeImports(_ *cobra.Command, given []string, _ string) ([]string, cobra.ShellCompDirective) {
	all, err := journals(e.Env)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	runs, _ := all.List() // what can be read is offered
	var words []string
	for _, run := range runs {
		if !slices.Contains(given, run.ID) {
			words = append(words, run.ID+"\t"+render.Sanitise(run.Kind+" "+cmp.Or(run.Selection, filepath.Base(run.File))+", "+e.Lang.Word(run.State)))
		}
	}
	return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// describeCompletion completes cobra's own completion commands: their help, and
// that without a known shell they are a usage error as any group.
func (e completions) describeCompletion(root *cobra.Command) {
	all := root.Commands()
	i := slices.IndexFunc(all, func(c *cobra.Command) bool { return c.Name() == "completion" })
	if i < 0 {
		return
	}
	alike := e.Group("completion", "", func() []*cobra.Command { return nil })
	all[i].RunE, all[i].Args = alike.RunE, alike.Args
	for _, c := range all[i].Commands() {
		c.Example = map[string]string{
			"bash":       "  source <(ativa completion bash)\n  ativa completion bash > ~/.local/share/bash-completion/completions/ativa",
			"zsh":        "  source <(ativa completion zsh)\n  ativa completion zsh > \"${fpath[1]}/_ativa\"",
			"fish":       "  ativa completion fish | source\n  ativa completion fish > ~/.config/fish/completions/ativa.fish",
			"powershell": "  ativa completion powershell | Out-String | Invoke-Expression\n  ativa completion powershell > ativa.ps1",
		}[c.Name()]
	}
}
