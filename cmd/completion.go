package cmd

import (
	"slices"

	"github.com/spf13/cobra"
)

// addCompletionExamples completes the help of cobra's own completion commands.
func addCompletionExamples(root *cobra.Command) {
	all := root.Commands()
	i := slices.IndexFunc(all, func(c *cobra.Command) bool { return c.Name() == "completion" })
	if i < 0 {
		return
	}
	for _, c := range all[i].Commands() {
		c.Example = map[string]string{
			"bash":       "  source <(ativa completion bash)\n  ativa completion bash > ~/.local/share/bash-completion/completions/ativa",
			"zsh":        "  source <(ativa completion zsh)\n  ativa completion zsh > \"${fpath[1]}/_ativa\"",
			"fish":       "  ativa completion fish | source\n  ativa completion fish > ~/.config/fish/completions/ativa.fish",
			"powershell": "  ativa completion powershell | Out-String | Invoke-Expression\n  ativa completion powershell > ativa.ps1",
		}[c.Name()]
	}
}
