package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"ativa/internal/render"
	"ativa/internal/system"
)

// SecretRow is a row with its secret, which is shown only once.
type SecretRow[T any] struct {
	Row    T
	Secret string
}

// withSecret returns the schema with the secret as its last field and column.
func withSecret[T any](s render.Schema[T], name string) render.Schema[SecretRow[T]] {
	all := render.ColumnsOf(s.Columns, func(r SecretRow[T]) T { return r.Row })
	return render.Schema[SecretRow[T]]{One: s.One, Many: s.Many,
		Columns: append(all, render.Column[SecretRow[T]]{Name: name, Value: func(r SecretRow[T]) string { return r.Secret }}),
		JSON: func(r SecretRow[T]) json.RawMessage {
			object := bytes.TrimSuffix(bytes.TrimSpace(s.JSON(r.Row)), []byte("}"))
			return fmt.Appendf(nil, "%s,%q:%q}", object, name, r.Secret)
		}}
}

// SecretPrinter prints rows with their secrets: next to the row in JSON and YAML
// documents, else as the last field or column of the row.
type SecretPrinter[T any] struct {
	*render.Printer[SecretRow[T]]
	env    *Env
	schema render.Schema[T]
	name   string
}

// PrintsSecret makes c a command that prints rows of the schema with a secret of that
// name. Before anything is created, it refuses options that omit the secret: it cannot be
// shown again.
func PrintsSecret[T any](e *Env, schema func() render.Schema[T], name string, c *cobra.Command, run func(ctx context.Context, p SecretPrinter[T], args []string) error) *cobra.Command {
	columns := func() render.Schema[SecretRow[T]] { return withSecret(schema(), name) }
	return Prints(e, columns, c, func(ctx context.Context, p *render.Printer[SecretRow[T]], args []string) error {
		switch {
		case p.Shows(name):
		case p.Format() == render.FormatName:
			return Usage("--output name would lose %s: it is shown only this once", name)
		default:
			return Usage("%s without %s would lose it: it is shown only this once", "--columns", name)
		}
		for flag, text := range map[string]string{"--jq": e.Global.Output.JQ, "--template": e.Global.Output.Template} {
			if text != "" && text != "." && !strings.Contains(text, name) {
				return Usage("%s without %s would lose it: it is shown only this once", flag, name)
			}
		}
		signal.Ignore(syscall.SIGPIPE) // it would end the process before it says that the secret is lost
		return run(ctx, SecretPrinter[T]{p, e, schema(), name}, args)
	})
}

// Streams reports whether rows can be written one by one.
func (p SecretPrinter[T]) Streams() bool {
	o := p.env.Global.Output
	return o.Sort == "" && o.JQ == "" && o.Template == "" && p.Format() != render.FormatYAML
}

// Show prints the created row, even after ctx has ended. If the output does not depend on the secret,
// or cannot be written, it prints nothing, and the error says that another secret is needed.
func (p SecretPrinter[T]) Show(ctx context.Context, row T, secret string) error {
	ctx = context.WithoutCancel(ctx)
	text, err := p.text(ctx, row, secret)
	without, _ := p.text(ctx, row, strings.Repeat("x", len(secret)))
	if err != nil || bytes.Equal(text, without) {
		return p.lost(nil) // the error of a filter may quote the secret
	}
	if _, err := p.env.Out.Write(text); err != nil {
		return p.lost(err)
	}
	if err := p.env.CloseOutput(ExitOK); err != nil {
		return p.lost(err)
	}
	if format := p.Format(); format == render.FormatTable || format == render.FormatTSV {
		p.env.Notice("it is shown only this once")
	}
	return nil
}

// text returns the output for a row.
func (p SecretPrinter[T]) text(ctx context.Context, row T, secret string) ([]byte, error) {
	var b bytes.Buffer
	doc := ToJSON(map[string]any{p.schema.One: p.schema.JSON(row), p.name: secret})
	err := p.To(&b).One(ctx, doc, SecretRow[T]{row, secret})
	return b.Bytes(), err
}

func (p SecretPrinter[T]) lost(err error) error {
	if system.IsBrokenPipe(err) { // which is no failure elsewhere
		err = nil
	}
	return &Failure{Exit: ExitError, Code: "secret_lost", Err: err,
		Message: Msg("the change was made, but %s could not be printed, and it cannot be shown again", p.name),
		Hint:    Msg("get another one: `ativa tokens rotate`, `ativa admin tokens rotate`, `ativa admin partners rotate` or `ativa admin callbacks set`")}
}
