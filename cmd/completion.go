package cmd

import (
	"slices"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/lang"
)

// prepareCompletion translates the texts of the command on the line. Arguments complete to files
// only if a command asks for it.
func prepareCompletion(root *cobra.Command, line []string, l lang.Language) {
	c, _, err := root.Find(line)
	if err != nil {
		return
	}
	if c.ValidArgsFunction == nil && !c.HasSubCommands() {
		c.ValidArgsFunction = cobra.NoFileCompletions
	}
	cli.TranslateCommand(c, l)
}

// describeCompletion adds help to cobra's own completion commands. Without a known shell they are
// a usage error, like any group.
func describeCompletion(e *cli.Env, root *cobra.Command) {
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
