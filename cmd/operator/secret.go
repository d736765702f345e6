package operator

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/provision"
	"ativa/internal/render"
)

// secretRow is a thing together with its secret, which is shown this once.
type secretRow[T any] struct {
	row    T
	secret string
}

// withSecret is a schema with the secret as the last field and column.
func withSecret[T any](s render.Schema[T], name string) render.Schema[secretRow[T]] {
	all := render.ColumnsOf(s.Columns, func(r secretRow[T]) T { return r.row })
	return render.Schema[secretRow[T]]{One: s.One, Many: s.Many,
		Columns: append(all, render.Column[secretRow[T]]{Name: name, Value: func(r secretRow[T]) string { return r.secret }}),
		JSON: func(r secretRow[T]) json.RawMessage {
			object := bytes.TrimSuffix(bytes.TrimSpace(s.JSON(r.row)), []byte("}"))
			return fmt.Appendf(nil, "%s,%q:%q}", object, name, r.secret)
		}}
}

// adminSecret makes c print the one row that create returns with its secret: beside it
// in a JSON or YAML document, as its last field or column elsewhere. It refuses options
// that would leave the secret out, before anything is created: nobody could show it again.
func adminSecret[T any](e *cli.Env, o *adminOptions, schema func() render.Schema[T], name string, c *cobra.Command, create func(ctx context.Context, m *provision.Manager, args []string) (T, string, error)) *cobra.Command {
	columns := func() render.Schema[secretRow[T]] { return withSecret(schema(), name) }
	return cli.Prints(e, columns, c, func(ctx context.Context, p *render.Printer[secretRow[T]], args []string) error {
		format := p.Format()
		if columns := e.Global.Output.Columns; len(columns) > 0 && !slices.Contains(columns, name) {
			return cli.Usage("%s without %s would lose it: it is shown only this once", "--columns", name)
		}
		for flag, text := range map[string]string{"--jq": e.Global.Output.Jq, "--template": e.Global.Output.Template} {
			if text != "" && text != "." && !strings.Contains(text, name) {
				return cli.Usage("%s without %s would lose it: it is shown only this once", flag, name)
			}
		}
		if format == render.FormatName {
			return cli.Usage("--output name would lose %s: it is shown only this once", name)
		}
		return withManager(ctx, e, o, func(ctx context.Context, m *provision.Manager) error {
			row, secret, err := create(ctx, m, args)
			if err != nil {
				return err
			}
			s := schema()
			doc := cli.ToJSON(map[string]any{s.One: s.JSON(row), name: secret})
			if err := p.One(ctx, doc, secretRow[T]{row, secret}); err != nil {
				return err
			}
			if format == render.FormatTable || format == render.FormatTSV {
				e.Notice("it is shown only this once")
			}
			return nil
		})
	})
}
