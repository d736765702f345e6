package cmd

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"ativa/internal/render"
)

func newConfig(e *env) *cobra.Command {
	c := e.group("config", "What is set, where that comes from, and how to change it", func() []*cobra.Command {
		return []*cobra.Command{newConfigList(e), newConfigGet(e), newConfigSet(e), newConfigUnset(e)}
	})
	c.Long = c.Short + `.

A value comes from the first of: flag, environment, configuration file, default.
The file is config.yaml in $XDG_CONFIG_HOME/ativa, else in ~/.config/ativa. Keys
from server on belong to a context: the chosen one, or that of --context.`
	return c
}

// configRow is a key as it is listed.
type configRow struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Source string `json:"source"`
	Place  string `json:"place"`
}

func configRows() render.Schema[configRow] {
	return render.Schema[configRow]{One: "setting", Many: "settings", Columns: []render.Column[configRow]{
		{Name: "key", Value: func(r configRow) string { return r.Key }},
		{Name: "value", Value: func(r configRow) string { return r.Value }},
		{Name: "source", Value: func(r configRow) string { return r.Source }},
		{Name: "place", Value: func(r configRow) string { return r.Place }},
	}, JSON: asJSON[configRow]}
}

func newConfigList(e *env) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List every key with its value and where that comes from", Args: args(cobra.NoArgs),
		Example: "  ativa config list\n  ativa config list --jq '.settings[] | select(.source != \"default\") | .key'",
		RunE:    func(c *cobra.Command, _ []string) error { return runConfigList(c.Context(), e) },
	}
}

func runConfigList(ctx context.Context, e *env) error {
	p, err := newPrinter(e, configRows())
	if err != nil {
		return err
	}
	all, _, err := e.values()
	if err != nil {
		return err
	}
	var rows []configRow
	for _, k := range keys() {
		v := all[k.name]
		rows = append(rows, configRow{k.name, k.shown(v.text), v.source, v.place})
	}
	return p.List(ctx, each(rows))
}

func newConfigGet(e *env) *cobra.Command {
	return &cobra.Command{
		Use: "get KEY", Short: "Print the value of a key", Args: args(cobra.ExactArgs(1)),
		Long: `Print the value of a key: the value alone, or with -o or --columns a row that
says where it comes from.`,
		Example: "  ativa config get server\n  ativa config get timeout -o json",
		RunE:    func(c *cobra.Command, args []string) error { return runConfigGet(c.Context(), e, args[0]) },
	}
}

func runConfigGet(ctx context.Context, e *env, name string) error {
	k, err := findKey(name)
	if err != nil {
		return err
	}
	p, err := newPrinter(e, configRows())
	if err != nil {
		return err
	}
	all, _, err := e.values()
	if err != nil {
		return err
	}
	v := all[k.name]
	if !e.global.output.asked() {
		_, err := fmt.Fprintln(e.out, render.Sanitize(v.text))
		return err
	}
	return p.One(ctx, nil, configRow{k.name, v.text, v.source, v.place})
}

func newConfigSet(e *env) *cobra.Command {
	return &cobra.Command{
		Use: "set KEY VALUE", Short: "Set a key in the configuration file", Args: args(cobra.ExactArgs(2)),
		Example: "  ativa config set timeout 30s\n  ativa config set protected true --context work",
		RunE: func(_ *cobra.Command, args []string) error {
			if args[1] == "" {
				return usage("an empty value sets nothing").withHint("to take a key out: ativa config unset %s", args[0])
			}
			return runConfigSet(e, args[0], args[1])
		},
	}
}

func newConfigUnset(e *env) *cobra.Command {
	return &cobra.Command{
		Use: "unset KEY", Short: "Take a key out of the configuration file", Args: args(cobra.ExactArgs(1)),
		Example: "  ativa config unset timeout\n  ativa config unset proxy --context work",
		RunE:    func(_ *cobra.Command, args []string) error { return runConfigSet(e, args[0], "") },
	}
}

// runConfigSet sets a key of the file; an empty text takes it out.
func runConfigSet(e *env, name, text string) error {
	k, err := findKey(name)
	if err != nil {
		return err
	}
	if why := k.wrong(text); text != "" && !why.isEmpty() {
		return usage("%s %s", name, why)
	}
	s, err := e.loadSettings()
	if err != nil {
		return err
	}
	var in string
	if k.inContext {
		if in = cmp.Or(e.global.context, e.getenv("ATIVA_CONTEXT"), s.Context); in == "" {
			return usage("%s belongs to a context, and none is chosen", name).withHint("give --context NAME")
		}
	}
	if name == "server" && text == "" {
		return usage("a context needs its server").withHint("to forget it whole: ativa context remove %s", in)
	}
	if err := s.set(k, in, text); err != nil {
		return err
	}
	e.remark("%s: %s %s", s.path, name, cmp.Or(k.shown(text), "unset"))
	return nil
}
