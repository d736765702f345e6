package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"ativa/internal/render"
)

func newContext(e *env) *cobra.Command {
	return e.group("context", "Servers to work with, by name", func() []*cobra.Command {
		return []*cobra.Command{newContextList(e), newContextUse(e), newContextAdd(e), newContextRemove(e)}
	})
}

// contextRow is a context as it is listed.
type contextRow struct {
	Name      string `json:"name"`
	Server    string `json:"server"`
	Current   bool   `json:"current"`
	ReadOnly  bool   `json:"read_only"`
	Protected bool   `json:"protected"`
}

func contextRows() render.Schema[contextRow] {
	return render.Schema[contextRow]{One: "context", Many: "contexts", Columns: []render.Column[contextRow]{
		{Name: "name", Value: func(r contextRow) string { return r.Name }},
		{Name: "server", Value: func(r contextRow) string { return r.Server }},
		{Name: "current", Kind: render.Word, Value: func(r contextRow) string { return yes(r.Current) }},
		{Name: "read_only", Kind: render.Word, Value: func(r contextRow) string { return yes(r.ReadOnly) }},
		{Name: "protected", Kind: render.Word, Value: func(r contextRow) string { return yes(r.Protected) }},
	}, JSON: asJSON[contextRow]}
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func newContextList(e *env) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the contexts", Args: args(cobra.NoArgs), Example: "  ativa context list\n  ativa context list -o name",
		RunE: func(c *cobra.Command, _ []string) error { return runContextList(c.Context(), e) },
	}
}

func runContextList(ctx context.Context, e *env) error {
	p, err := newPrinter(e, contextRows())
	if err != nil {
		return err
	}
	s, err := e.loadSettings()
	if err != nil {
		return err
	}
	return p.List(ctx, each(mapped(s.Contexts, func(c contextSettings) contextRow {
		return contextRow{c.Name, c.Server, c.Name == s.Context, c.ReadOnly, c.Protected}
	})))
}

func newContextUse(e *env) *cobra.Command {
	return &cobra.Command{
		Use: "use NAME", Short: "Make a context the default", Args: args(cobra.ExactArgs(1)), Example: "  ativa context use work\n  ativa context use dev",
		RunE: func(_ *cobra.Command, args []string) error { return runContextUse(e, args[0]) },
	}
}

func runContextUse(e *env, name string) error {
	s, err := e.loadSettings()
	if err != nil {
		return err
	}
	return s.set(key{name: "context"}, "", name)
}

// contextAddOptions is what the user chose; the rest of the context comes from
// the flags of every command.
type contextAddOptions struct {
	contextSettings
	use, force bool
}

func newContextAdd(e *env) *cobra.Command {
	var o contextAddOptions
	c := &cobra.Command{
		Use: "add NAME --server URL", Short: "Add a context", Args: args(cobra.ExactArgs(1)),
		Example: "  ativa context add office --server https://provisioning.example.com --use\n  ativa context add live --server https://live.example.com --protected --token-command 'pass show ativa'",
		RunE: func(_ *cobra.Command, args []string) error {
			o.Name = args[0]
			return runContextAdd(e, o)
		},
	}
	f := c.Flags()
	f.BoolVar(&o.force, "force", false, "replace the context of that name")
	f.BoolVar(&o.use, "use", false, "make it the default")
	f.StringVar(&o.TokenCommand, "token-command", "", "shell command that prints the access token")
	f.StringVar(&o.TokenFile, "token-file", "", "file with the access token, readable by its owner only")
	f.BoolVar(&o.ReadOnly, "read-only", false, "refuse every change")
	f.BoolVar(&o.Protected, "protected", false, "ask before every change")
	return c
}

func runContextAdd(e *env, o contextAddOptions) error {
	added := o.contextSettings
	added.Server, added.CACert, added.Proxy = e.global.server, e.global.caCert, e.global.proxy
	added.ClientCert, added.ClientKey, added.InsecureHTTP = e.global.clientCert, e.global.clientKey, e.global.insecureHTTP
	if added.Server == "" {
		return usage("a context needs --server URL")
	}
	s, err := e.loadSettings()
	if err != nil {
		return err
	}
	return s.edit(func() error {
		have, taken := s.find(added.Name)
		if taken && have.Server == added.Server { // what this command has no flags for
			added.Storage, added.Columns = have.Storage, have.Columns
		}
		if taken && have != added && !o.force {
			return &failure{exit: exitRefused, code: "context_exists", message: say("context %s exists already, for %s; nothing was changed", have.Name, have.Server),
				hint: say("choose another name, change a key with `ativa config set KEY VALUE --context %s`, or replace it with --force", have.Name)}
		}
		s.put(added, o.use || len(s.Contexts) == 0)
		return nil
	})
}

func newContextRemove(e *env) *cobra.Command {
	return &cobra.Command{
		Use: "remove NAME", Short: "Forget a context", Args: args(cobra.ExactArgs(1)), Example: "  ativa context remove work\n  ativa context remove dev",
		RunE: func(_ *cobra.Command, args []string) error { return runContextRemove(e, args[0]) },
	}
}

func runContextRemove(e *env, name string) error {
	s, err := e.loadSettings()
	if err != nil {
		return err
	}
	return s.remove(name)
}
