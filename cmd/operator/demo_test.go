package operator_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ativa/cmd/operator"
	"ativa/internal/cli"
	"ativa/internal/lang"
	"ativa/internal/system/systemtest"
)

// The demo's commands use the language of the demo, which its user's configuration lacks.
func TestDemoCommandsUseItsLanguage(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	used := ""
	e := &cli.Env{In: &out, Out: &out, Err: &out, Getenv: func(string) string { return "" }, Lang: lang.Portuguese,
		Process: cli.Process{RunCommand: func(_ context.Context, user *cli.Env, args []string) int {
			l, err := user.Language(args)
			if err != nil {
				t.Error(err)
			}
			used = string(l)
			return cli.ExitError // one command is enough
		}}}
	c := operator.NewDemo(e)
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetArgs(nil)
	if err := c.ExecuteContext(t.Context()); err == nil || used != "pt" {
		t.Errorf("got %q, %v, want pt and the command's failure", used, err)
	}
}

// The name of a temporary directory may be a pattern.
func TestEMailsAreFoundInADirectoryOfAnyName(t *testing.T) {
	email := filepath.Join(t.TempDir(), "ana [x]", "job_1.eml")
	systemtest.Must(t, errors.Join(os.Mkdir(filepath.Dir(email), 0o700), os.WriteFile(email, nil, 0o600)))
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // one check
	if got, err := operator.WaitForEmails(ctx, filepath.Dir(email), 1); err != nil || len(got) != 1 || got[0] != email {
		t.Errorf("got %v, %v, want %s", got, err, email)
	}
}
