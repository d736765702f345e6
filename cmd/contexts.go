package cmd

import (
	"context"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/render"
	"ativa/internal/settings"
	"ativa/internal/system"
)

func newContext(e *cli.Env) *cobra.Command {
	return e.Group(&cobra.Command{
		Use: "context", Short: "Servers to work with, by name", GroupID: "setup",
		Annotations: map[string]string{cli.ExitCodes: "3"},
	}, newContextAdd(e), newContextList(e), newContextRemove(e), newContextUse(e))
}

// contextRow is a context in a list.
type contextRow struct {
	Name      string `json:"name"`
	Server    string `json:"server" column:"path"`
	Current   bool   `json:"current"`
	ReadOnly  bool   `json:"read_only"`
	Protected bool   `json:"protected"`
}

func contextRows() render.Schema[contextRow] {
	return cli.SchemaOf[contextRow]("context", "contexts", "no contexts")
}

func newContextList(e *cli.Env) *cobra.Command {
	return cli.Prints(e, contextRows, cli.AddLimit(e, &cobra.Command{
		Use: "list", Short: "List the contexts", Args: cli.Args(cobra.NoArgs),
		Long:       "List the contexts. The current one is the default, whatever --context or\nATIVA_CONTEXT chooses.",
		SuggestFor: []string{"profiles", "contexto"},
		Example:    "  ativa context list\n  ativa context list -o name",
	}), func(ctx context.Context, p *render.Printer[contextRow], _ []string) error {
		s, err := e.LoadSettings()
		if err != nil {
			return err
		}
		return p.Results(ctx, nil, cli.Map(s.Contexts, func(c settings.Context) contextRow {
			return contextRow{c.Name, c.Server, c.Name == s.Context, c.ReadOnly, c.Protected}
		}))
	})
}

func newContextUse(e *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "use NAME", Short: "Make a context the default", Args: cli.Args(cobra.ExactArgs(1)), Example: "  ativa context use work\n  ativa context use dev",
		ValidArgsFunction: cli.First(cli.Words(e.ContextNames)),
		RunE:              func(c *cobra.Command, args []string) error { return runContextUse(c.Context(), e, args[0]) },
	}
}

func runContextUse(ctx context.Context, e *cli.Env, name string) error {
	s, err := settingsToChange(e)
	if err != nil {
		return err
	}
	if _, err := s.ContextNamed(name); err != nil { // an empty name would unset the key
		return err
	}
	if err := s.Set("context", "", name); err != nil {
		return err
	}
	e.Notice("context %s is the default now", name)
	return e.PrintSuccess(ctx)
}

// contextAddOptions holds the flags of context add; the rest of the context comes from the global
// flags.
type contextAddOptions struct {
	settings.Context
	use, force bool
}

func newContextAdd(e *cli.Env) *cobra.Command {
	var o contextAddOptions
	c := &cobra.Command{
		Use: "add NAME --server URL", Short: "Add a context", Args: cli.Args(cobra.ExactArgs(1)),
		Example: "  ativa context add office --server https://provisioning.example.com --use\n  ativa context add live --server https://live.example.com --protected \\\n      --token-command 'pass show ativa'",
		RunE: func(c *cobra.Command, args []string) error {
			o.Name = args[0]
			return runContextAdd(c.Context(), e, o)
		},
	}
	f := c.Flags()
	f.BoolVar(&o.force, "force", false, "replace the context of that name")
	f.BoolVar(&o.use, "use", false, "make it the default")
	f.StringVar(&o.TokenCommand, "token-command", "", "shell command that prints the access token")
	f.BoolVar(&o.ReadOnly, "read-only", false, "refuse every change")
	f.BoolVar(&o.Protected, "protected", false, "ask before every change")
	return c
}

func runContextAdd(ctx context.Context, e *cli.Env, o contextAddOptions) error {
	added := o.Context
	added.TokenFile = e.Global.TokenFile
	added.Server, added.CACert, added.Proxy = e.Global.Server, e.Global.CaCert, e.Global.Proxy
	added.ClientCert, added.ClientKey, added.InsecureHTTP = e.Global.ClientCert, e.Global.ClientKey, e.Global.InsecureHTTP
	for _, file := range []*string{&added.TokenFile, &added.CACert, &added.ClientCert, &added.ClientKey} {
		*file = settings.WholePath(*file)
	}
	switch {
	case added.Name == "":
		return cli.Usage("a context has no name")
	case render.Sanitise(added.Name) != strings.TrimSpace(added.Name):
		return cli.Usage("the name %q has a blank at an end, or a character that is not shown", added.Name).WithHint("choose another name")
	case added.Server == "":
		return cli.Usage("a context needs --server URL")
	case added.Name == settings.AllContexts:
		return cli.Usage("no context can have the name %q, which means every context", added.Name).WithHint("choose another name")
	}
	if err := checkServer(added.Server, added.InsecureHTTP); err != nil {
		return err
	}
	if _, err := checkSetting("proxy", added.Proxy); err != nil {
		return err
	}
	s, err := settingsToChange(e)
	if err != nil {
		return err
	}
	var have settings.Context // the replaced context
	err = s.Edit(func() error {
		var taken bool
		have, taken = s.Find(added.Name)
		if taken && settings.SameServer(have.Server, added.Server) { // keep settings without a flag
			added.Storage, added.Columns, added.Values = have.Storage, have.Columns, have.Values
			added.ResendProduct, added.Headers = have.ResendProduct, have.Headers
		}
		if taken && !reflect.DeepEqual(have, added) && !o.force {
			return &cli.Failure{Exit: cli.ExitRefused, Code: "context_exists", Message: cli.Msg("context %s exists already, for %s; nothing was changed", have.Name, have.Server),
				Hint: cli.Msg("choose another name, change a key with `ativa config set KEY VALUE --context %s`, or replace it with --force", have.Name)}
		}
		return s.Put(added, o.use || len(s.Contexts) == 0)
	})
	if err != nil {
		return err
	}
	if added.Storage == "" {
		forgetStored(ctx, e, have)
	}
	e.Notice("context %s is stored; to check it: ativa doctor --context %s", added.Name, system.ShellQuote(added.Name))
	return e.PrintSuccess(ctx)
}

// checkServer refuses an invalid server address before it is stored.
func checkServer(server string, insecure bool) error {
	if err := client.CheckServer(server, insecure); err != nil {
		return cli.Usage("%s", err).WithHint("give the whole address, for example https://provisioning.example.com")
	}
	return nil
}

func newContextRemove(e *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "remove NAME", Short: "Forget a context and its token", Args: cli.Args(cobra.ExactArgs(1)), Example: "  ativa context remove work\n  ativa context remove dev",
		ValidArgsFunction: cli.First(cli.Words(e.ContextNames)),
		RunE:              func(c *cobra.Command, args []string) error { return runContextRemove(c.Context(), e, args[0]) },
	}
}

func runContextRemove(ctx context.Context, e *cli.Env, name string) error {
	s, err := settingsToChange(e)
	if err != nil {
		return err
	}
	removed, err := s.ContextNamed(name)
	if err != nil {
		return err
	}
	if err := s.Remove(name); err != nil {
		return err
	}
	forgetStored(ctx, e, removed)
	e.Notice("context %s is forgotten", name)
	return e.PrintSuccess(ctx)
}

// forgetStored removes the token that a login stored for a removed context. A failure only
// causes a notice.
func forgetStored(ctx context.Context, e *cli.Env, gone settings.Context) {
	if gone.Storage == "" {
		return
	}
	if err := forgetToken(ctx, e, gone); err != nil {
		e.Notice("its token could not be removed: %s", err)
	}
}
