package operator

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

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

// secretPrinter shows what was created with its secret: beside it in a JSON or
// YAML document, as its last field or column elsewhere.
type secretPrinter[T any] struct {
	e       *cli.Env
	shape   render.Schema[T]
	name    string // of the field
	printer *render.Printer[secretRow[T]]
}

// newSecretPrinter refuses options that would leave the secret out, before
// anything is created: nobody could show it again.
func newSecretPrinter[T any](e *cli.Env, s render.Schema[T], name string) (*secretPrinter[T], error) {
	p := &secretPrinter[T]{e: e, shape: s, name: name}
	var err error
	if p.printer, err = cli.NewPrinter(e, p.withSecret()); err != nil {
		return nil, err
	}
	if columns := e.Global.Output.Columns; len(columns) > 0 && !slices.Contains(columns, name) {
		return nil, cli.Usage("--columns without %s would lose it: it is shown only this once", name)
	}
	if p.printer.Format() == render.FormatName {
		return nil, cli.Usage("--output name would lose %s: it is shown only this once", name)
	}
	return p, nil
}

// adminSecret makes c print the one row that create returns, with its secret.
func adminSecret[T any](e *cli.Env, o *adminOptions, schema func() render.Schema[T], name string, c *cobra.Command, create func(ctx context.Context, m *provision.Manager, args []string) (T, string, error)) *cobra.Command {
	c.RunE = func(c *cobra.Command, args []string) error {
		p, err := newSecretPrinter(e, schema(), name)
		if err != nil {
			return err
		}
		return withManager(c.Context(), e, o, func(ctx context.Context, m *provision.Manager) error {
			row, secret, err := create(ctx, m, args)
			if err != nil {
				return err
			}
			return p.print(ctx, row, secret)
		})
	}
	columns := func() render.Schema[secretRow[T]] {
		return (&secretPrinter[T]{shape: schema(), name: name}).withSecret()
	}
	return cli.WithColumns(e, columns, c)
}

func (p *secretPrinter[T]) withSecret() render.Schema[secretRow[T]] {
	all := render.ColumnsOf(p.shape.Columns, func(r secretRow[T]) T { return r.row })
	return render.Schema[secretRow[T]]{One: p.shape.One, Many: p.shape.Many, JSON: p.object,
		Columns: append(all, render.Column[secretRow[T]]{Name: p.name, Value: func(r secretRow[T]) string { return r.secret }})}
}

// object is the row with the secret as its last field.
func (p *secretPrinter[T]) object(r secretRow[T]) json.RawMessage {
	object := bytes.TrimSuffix(bytes.TrimSpace(p.shape.JSON(r.row)), []byte("}"))
	return fmt.Appendf(nil, "%s,%q:%q}", object, p.name, r.secret)
}

func (p *secretPrinter[T]) print(ctx context.Context, row T, secret string) error {
	doc, err := json.Marshal(map[string]any{p.shape.One: p.shape.JSON(row), p.name: secret})
	if err != nil {
		return err
	}
	if err := p.printer.One(ctx, doc, secretRow[T]{row, secret}); err != nil {
		return err
	}
	if f := p.printer.Format(); f == render.FormatTable || f == render.FormatTSV {
		p.e.Notice("it is shown only this once")
	}
	return nil
}
