package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/failure"
	"ativa/internal/render"
)

// A secret is shown only once: a command whose output lacks it fails, prints nothing and says that
// another one is needed. Running it again would not show it.
func TestASecretThatIsNotPrintedIsAnErrorThatSaysSo(t *testing.T) {
	for name, test := range map[string]struct {
		options func(*cli.GlobalOptions)
		out     io.Writer
		printed bool
		wraps   error
	}{
		"tsv":              {printed: true},
		"filter elsewhere": {func(g *cli.GlobalOptions) { g.Output.JQ = ".thing.secret" }, nil, false, nil},
		"encoded":          {func(g *cli.GlobalOptions) { g.Output.JQ = ".secret|@base64" }, nil, true, nil},
		"failing filter":   {func(g *cli.GlobalOptions) { g.Output.JQ = ".secret|tonumber" }, nil, false, nil},
		"failing template": {func(g *cli.GlobalOptions) { g.Output.Template = "{{index .secret 99}}" }, nil, false, nil},
		"full disk":        {nil, full{}, false, syscall.ENOSPC},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			e := &cli.Env{In: strings.NewReader(""), Out: &out, Err: io.Discard, Getenv: func(string) string { return "" }}
			if test.options != nil {
				test.options(&e.Global)
			}
			if test.out != nil {
				e.Out = test.out
			}
			schema := func() render.Schema[string] {
				return render.Schema[string]{One: "thing", Many: "things", JSON: func(s string) json.RawMessage { return cli.ToJSON(map[string]string{"name": s}) },
					Columns: []render.Column[string]{{Name: "name", Value: func(s string) string { return s }}}}
			}
			c := cli.PrintsSecret(e, schema, "secret", &cobra.Command{}, func(ctx context.Context, p cli.SecretPrinter[string], _ []string) error {
				return p.Show(ctx, "ana", "ativa_s3cret")
			})
			c.SetContext(t.Context())
			err := c.RunE(c, nil)
			if printed := strings.Contains(out.String(), "ativa_s3cret") || strings.Contains(out.String(), "YXRpdmFfczNjcmV0"); printed != test.printed || !printed && out.Len() > 0 {
				t.Errorf("printed %q", out.String())
			}
			if test.printed {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if got := failure.OutcomeOf(err); err == nil || got.Exit != cli.ExitError || got.Code != "secret_lost" || !strings.Contains(got.Hint.String(), "rotate") {
				t.Fatalf("got %v, %+v", err, got)
			}
			if test.wraps != nil && !errors.Is(err, test.wraps) {
				t.Errorf("got %v without its cause %v", err, test.wraps)
			}
			if strings.Contains(err.Error(), "ativa_s3") {
				t.Errorf("the error holds a part of the secret: %v", err)
			}
		})
	}
}
