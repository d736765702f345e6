package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ativa/internal/failure"
)

// UnknownCommand returns the error for an unknown command of a group.
func UnknownCommand(c *cobra.Command, typed string) *Failure {
	hint := Msg("see `%s --help`", c.CommandPath())
	near := likelyCommands(c.Root(), strings.ToLower(typed))
	names := Map(c.Commands(), (*cobra.Command).Name)
	slices.Sort(names)
	for _, name := range failure.Nearest(typed, names) {
		if path := c.CommandPath() + " " + name; !slices.Contains(near, path) {
			near = append(near, path)
		}
	}
	switch {
	case len(near) == 0 && c.HasParent():
		hint = Msg("available: %s", strings.Join(names, ", "))
	case len(near) > 0:
		hint = Msg("did you mean %s?", "`"+strings.Join(near[:min(len(near), 3)], "`, `")+"`")
	}
	return Usage("unknown command %q for %s", typed, c.CommandPath()).WithHint("%s", hint)
}

// likelyCommands returns the commands that an unknown word may mean: by alias, else by name, else
// by similar name.
func likelyCommands(root *cobra.Command, typed string) []string {
	var called, named, similar []string
	var walk func(*cobra.Command)
	walk = func(group *cobra.Command) {
		for _, c := range group.Commands() {
			switch path := c.CommandPath(); {
			case slices.Contains(c.SuggestFor, typed):
				called = append(called, path)
			case !c.IsAvailableCommand():
			case c.Name() == typed:
				named = append(named, path)
			case len(failure.Nearest(typed, []string{c.Name()})) > 0:
				similar = append(similar, path)
			}
			walk(c)
		}
	}
	walk(root)
	if len(called)+len(named) == 0 {
		return similar
	}
	return append(called, named...)
}

// UnknownFlagHint suggests the intended flag.
func UnknownFlagHint(c *cobra.Command, err error) Message {
	hint := Msg("see `%s --help`", c.CommandPath())
	typed, unknown := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !unknown {
		return hint
	}
	if slices.ContainsFunc(c.Commands(), func(sub *cobra.Command) bool { return sub.Name() == typed }) {
		return Msg("did you mean %s?", "`"+c.CommandPath()+" "+typed+"`")
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	typed = strings.ToLower(typed)
	switch meant := likelyFlags()[typed]; {
	case slices.Contains(names, meant), strings.HasPrefix(meant, "output "):
		return Msg("did you mean --%s? %s", meant, hint)
	case meant == "document" && strings.Contains(c.Use, "DOC"):
		return Msg("a document is typed without a flag: `%s DOC`", c.CommandPath())
	}
	if near := failure.Nearest(typed, names); len(near) > 0 {
		return Msg("did you mean --%s? %s", strings.Join(near, ", --"), hint)
	}
	return hint
}

// likelyFlags maps common wrong flag names to the right ones.
func likelyFlags() map[string]string {
	words := map[string]string{
		"phone": "fone telefone tel celular mobile whatsapp telephone", "name": "nome", "email": "e-mail mail",
		"document": "cpf documento doc", "product": "produto produtos products product-id", "plan": "plano customer-plan",
		"speed": "velocidade internet-speed", "file": "arquivo csv-file", "context": "contexto profile", "server": "servidor url host api-url",
		"output": "saida formato format", "output json": "json", "output csv": "csv", "output yaml": "yaml", "output table": "tabela",
		"columns": "colunas fields", "sort": "ordenar order-by", "yes": "sim force assume-yes confirm", "quiet": "silencioso silent", "lang": "idioma language lingua",
		"limit": "limite max", "dry-run": "simular simulacao preview check", "debug": "verbose trace", "token-stdin": "token access-token password",
		"wait": "aguardar esperar", "status": "situacao", "from": "de", "to": "para", "reason": "motivo", "timeout": "tempo", "color": "cor colour",
	}
	flags := map[string]string{}
	for flag, others := range words {
		for word := range strings.FieldsSeq(others) {
			flags[word] = flag
		}
	}
	return flags
}
