package cli_test

import (
	"io"
	"testing"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
	"ativa/internal/system/systemtest"
)

// newEnv returns what a command sees with this environment and no file.
func newEnv(t *testing.T, env map[string]string) *cli.Env {
	t.Helper()
	env["XDG_CONFIG_HOME"] = t.TempDir()
	e := &cli.Env{Out: io.Discard, Err: io.Discard, Getenv: func(name string) string { return env[name] }}
	e.AddGlobalFlags(&cobra.Command{})
	must(t, e.ApplySettings())
	return e
}

func TestThePagerIsWhatTheEnvironmentNames(t *testing.T) {
	for _, c := range []struct{ ours, general, want string }{
		{"", "", ""}, {"", "less -R", "less -R"}, {"most", "less", "most"}, {"cat", "less", ""}, {"", " cat ", ""},
	} {
		e := newEnv(t, map[string]string{"ATIVA_PAGER": c.ours, "PAGER": c.general})
		if o, err := e.RenderOptions(); err != nil || o.Pager != c.want {
			t.Errorf("%+v: got %q, %v", c, o.Pager, err)
		}
	}
}

var must = systemtest.Must
