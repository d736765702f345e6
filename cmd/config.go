package cmd

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/render"
	"ativa/internal/settings"
)

func newConfig(e *cli.Env) *cobra.Command {
	return e.Group(&cobra.Command{
		Use: "config", Short: "Show and change settings, and where each value comes from", GroupID: "setup",
		Long: `Show and change settings, and where each value comes from.

A value comes from the first of: flag, environment, configuration file, default.
The file is config.yaml in $XDG_CONFIG_HOME/ativa, else in ~/.config/ativa. Keys
from server on belong to a context: the chosen one, or that of --context; the
others apply to all contexts.`,
		Annotations: map[string]string{cli.ExitCodes: "3"},
	}, newConfigGet(e), newConfigList(e), newConfigSet(e), newConfigUnset(e))
}

func newConfigList(e *cli.Env) *cobra.Command {
	return cli.Prints(e, cli.SettingRows, cli.AddLimit(e, &cobra.Command{
		Use: "list", Short: "List every key with its value and where that comes from", Args: cli.Args(cobra.NoArgs),
		SuggestFor: []string{"settings", "configuracao", "configuração", "configurar"},
		Example:    "  ativa config list\n  ativa config list --jq '.settings[] | select(.source != \"default\") | .key'",
	}), func(ctx context.Context, p *render.Printer[cli.SettingRow], _ []string) error {
		all, _, err := e.Values()
		if err != nil {
			return err
		}
		return p.Results(ctx, nil, cli.Map(cli.Keys(), func(k settings.Key) cli.SettingRow { return cli.NewSettingRow(all[k.Name]) }))
	})
}

func newConfigGet(e *cli.Env) *cobra.Command {
	return cli.WithColumns(e, cli.SettingRows, &cobra.Command{
		Use: "get KEY", Short: "Print the value of a key", Args: cli.Args(cobra.ExactArgs(1)),
		ValidArgsFunction: cli.First(cli.Words(keyWords)),
		Long: `Print the value of a key: the value alone, or with -o or --columns a row with
its source.`,
		Example: "  ativa config get server\n  ativa config get timeout -o json",
		RunE:    func(c *cobra.Command, args []string) error { return runConfigGet(c.Context(), e, args[0]) },
	})
}

func runConfigGet(ctx context.Context, e *cli.Env, name string) error {
	k, err := settings.Named(cli.Keys(), name)
	if err != nil {
		return err
	}
	p, err := cli.NewPrinter(e, cli.SettingRows())
	if err != nil {
		return err
	}
	all, _, err := e.Values()
	if err != nil {
		return err
	}
	v := all[k.Name]
	if !e.Global.Output.IsSet() {
		return printLines(e, v.Text)
	}
	return p.One(ctx, nil, cli.SettingRow{Key: k.Name, Value: v.Text, Source: string(v.Source), Place: v.Place})
}

func newConfigSet(e *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "set KEY VALUE", Short: "Set a key in the configuration file", Args: cli.Args(cobra.ExactArgs(2)),
		ValidArgsFunction: completeSetting(e),
		Example:           "  ativa config set timeout 30s\n  ativa config set protected true --context work",
		RunE: func(c *cobra.Command, args []string) error {
			if args[1] == "" {
				return cli.Usage("an empty value sets nothing").WithHint("to remove a key: ativa config unset %s", args[0])
			}
			return runConfigSet(c.Context(), e, args[0], args[1])
		},
	}
}

func keyWords() []string {
	return cli.Map(cli.Keys(), func(k settings.Key) string { return k.Name + "\t" + k.Meaning })
}

// completeSetting completes a key, and then its known values.
func completeSetting(e *cli.Env) cobra.CompletionFunc {
	return func(c *cobra.Command, given []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(given) == 0 {
			return cli.Words(keyWords)(c, given, typed)
		}
		k, _ := settings.Named(cli.Keys(), given[0])
		switch {
		case k.IsFile:
			return cli.CompleteFiles(c, given, typed)
		case k.Name == "context":
			return cli.Words(e.ContextNames)(c, given, typed)
		}
		return cli.KeyValues(k.Name)(c, given, typed)
	}
}

func newConfigUnset(e *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "unset KEY", Short: "Remove a key from the configuration file", Args: cli.Args(cobra.ExactArgs(1)),
		ValidArgsFunction: cli.First(cli.Words(keyWords)),
		Example:           "  ativa config unset timeout\n  ativa config unset proxy --context work",
		RunE: func(c *cobra.Command, args []string) error {
			return runConfigSet(c.Context(), e, args[0], "")
		},
	}
}

// checkSetting returns the key called name, or an error if the key does not accept text. It
// accepts an empty text.
func checkSetting(name, text string) (settings.Key, error) {
	k, err := settings.Named(cli.Keys(), name)
	if err != nil {
		return k, err
	}
	if why := k.Wrong(text); text != "" && !why.IsEmpty() {
		return k, cli.Usage("%s %s", name, why)
	}
	return k, nil
}

func runConfigSet(ctx context.Context, e *cli.Env, name, text string) error {
	if err := setSetting(e, name, text); err != nil {
		return err
	}
	return e.PrintSuccess(ctx)
}

// settingsToChange returns the configuration file. The context that --context names must exist, also
// where the change does not concern it.
func settingsToChange(e *cli.Env) (*settings.File, error) {
	s, err := e.LoadSettings()
	if err == nil && e.Global.Context != "" {
		_, err = s.ContextNamed(e.Global.Context)
	}
	return s, err
}

// setSetting sets a key in the configuration file; empty text removes it.
func setSetting(e *cli.Env, name, text string) error {
	k, err := checkSetting(name, text)
	if err != nil {
		return err
	}
	s, err := settingsToChange(e)
	if err != nil {
		return err
	}
	var in string
	if !k.InContext && e.Global.Context != "" {
		return cli.Usage("%s belongs to no context; it applies to all of them", name).WithHint("leave out --context")
	}
	if k.InContext {
		if in = cmp.Or(e.Global.Context, e.Getenv("ATIVA_CONTEXT"), s.Context); in == "" {
			return cli.Usage("%s belongs to a context, and none is chosen", name).WithHint("give --context NAME")
		}
	}
	if name == "server" && text != "" {
		if err := checkServer(text, true); err != nil {
			return err
		}
	}
	if name == "server" && text == "" {
		return cli.Usage("a context needs a server").WithHint("to forget the whole context: ativa context remove %s", in)
	}
	if k.IsFile {
		text = settings.WholePath(text)
	}
	before, _ := s.Find(in)
	if err := s.Set(name, in, text); err != nil {
		return err
	}
	if name == "server" && !settings.SameServer(before.Server, text) {
		for key, is := range map[string]string{"token_command": before.TokenCommand, "token_file": before.TokenFile} {
			if is != "" {
				e.Notice("%s stays: its token goes to the new server; to take it out: ativa config unset %s --context %s", key, key, in)
			}
		}
		if len(before.Headers) > 0 {
			e.Notice("the headers stay: they go to the new server; to take them out: ativa config unset headers --context %s", in)
		}
	}
	if text == "" {
		e.Notice("%s: %s is no longer set", s.Path, name)
	} else {
		e.Notice("%s: %s %s", s.Path, name, k.Shown(text))
	}
	return nil
}
