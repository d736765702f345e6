package operator_test

import (
	"bytes"
	"context"
	"testing"

	"ativa/cmd/operator"
	"ativa/internal/cli"
	"ativa/internal/lang"
)

// The commands of the demo speak the language in which the demo was asked for, which the
// configuration of its own user does not know.
func TestTheDemosCommandsSpeakItsLanguage(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	spoken := ""
	e := &cli.Env{In: &out, Out: &out, Err: &out, Getenv: func(string) string { return "" }, Lang: lang.Portuguese,
		RunCommand: func(_ context.Context, user *cli.Env, args []string) int {
			l, err := user.Language(args)
			if err != nil {
				t.Error(err)
			}
			spoken = string(l)
			return cli.ExitError // one command is enough
		}}
	c := operator.NewDemo(e)
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetArgs(nil)
	if err := c.ExecuteContext(t.Context()); err == nil || spoken != "pt" {
		t.Errorf("got %q, %v, want pt and the command's failure", spoken, err)
	}
}
