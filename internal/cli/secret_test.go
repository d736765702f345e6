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
	"ativa/internal/lang"
	"ativa/internal/render"
)

// A secret is shown only once: a command whose output lacks it fails, prints nothing and says that
// another one is needed. Running it again would not show it.
func TestASecretThatIsNotPrintedIsAnErrorThatSaysSo(t *testing.T) {
	for name, test := range map[string]struct {
		jq, template string
		fault        error // of the output
		printed      bool
	}{
		"tsv":              {printed: true},
		"filter elsewhere": {jq: ".thing.secret"},
		"encoded":          {jq: ".secret|@base64", printed: true},
		"failing filter":   {jq: ".secret|tonumber"},
		"failing template": {template: "{{index .secret 99}}"},
		"full disk":        {fault: syscall.ENOSPC},
		"no reader":        {fault: syscall.EPIPE},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			e := &cli.Env{In: strings.NewReader(""), Out: &out, Err: io.Discard, Getenv: func(string) string { return "" }}
			e.Global.Output.JQ, e.Global.Output.Template = test.jq, test.template
			if test.fault != nil {
				e.Out = faulty{test.fault}
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
			if got := failure.OutcomeOf(err); cli.Report(io.Discard, lang.English, "", err) != cli.ExitError || got.Code != "secret_lost" || !strings.Contains(got.Hint.String(), "rotate") {
				t.Fatalf("got %v, %+v", err, got)
			}
			if errors.Is(test.fault, syscall.ENOSPC) != errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(), "ativa_s3") {
				t.Errorf("got %v, want its cause, and no part of the secret", err)
			}
		})
	}
}
