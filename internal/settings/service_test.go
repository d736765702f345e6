package settings_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"ativa/internal/failure"
	"ativa/internal/settings"
)

// serviceFlags returns flags and keys: a text, a duration, a list, a boolean and a secret
// that the file must not hold.
func serviceFlags() (*pflag.FlagSet, []settings.Key) {
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	flags.String("listen", ":80", "")
	flags.Duration("keep-links", time.Hour, "")
	flags.StringSlice("trusted-proxy", nil, "")
	flags.Bool("dev", false, "")
	return flags, append(settings.FlagKeys(flags, nil),
		settings.Key{Name: "smtp_password", Variables: []string{"ATIVA_SMTP_PASSWORD"}, Secret: true, NotInFile: true})
}

// resolve returns the values of a service's file, environment and flags.
func resolve(t *testing.T, file string, env map[string]string, args ...string) ([]settings.Value, settings.Inputs, error) {
	t.Helper()
	flags, keys := serviceFlags()
	must(t, flags.Parse(args))
	path := filepath.Join(t.TempDir(), "serve.yaml")
	must(t, os.WriteFile(path, []byte(file), 0o600))
	in := settings.Inputs{Flags: flags, Getenv: func(name string) string { return env[name] }}
	values, err := settings.Service(keys, in, path)
	return values, in, err
}

func TestAServicesValuesComeFromTheStrongestSource(t *testing.T) {
	values, in, err := resolve(t, "listen: :1\nkeep_links: 2h\ntrusted_proxy: [10.0.0.1, 10.0.0.2]\ndev: true\n",
		map[string]string{"ATIVA_LISTEN": ":2", "ATIVA_KEEP_LINKS": "3h", "ATIVA_SMTP_PASSWORD": "secret"}, "--listen", ":3")
	must(t, err)
	got := map[string]string{}
	for _, v := range values {
		got[v.Name] = fmt.Sprint(v.Shown(), " from ", v.Source)
	}
	want := map[string]string{"listen": ":3 from flag", "keep_links": "3h from environment", "trusted_proxy": "10.0.0.1,10.0.0.2 from file",
		"dev": "true from file", "smtp_password": "*** from environment"}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("(- got, + want):\n%s", diff)
	}
	must(t, settings.Apply(values, in))
	for name, want := range map[string]string{"listen": ":3", "keep-links": "3h0m0s", "trusted-proxy": "[10.0.0.1,10.0.0.2]", "dev": "true"} {
		if got := in.Flags.Lookup(name).Value.String(); got != want {
			t.Errorf("--%s: got %q, want %q", name, got, want)
		}
	}
}

// A wrong line is named as in the command line's file; a file that is named must be there.
func TestAServicesWrongSettingsAreNamed(t *testing.T) {
	for _, c := range []struct {
		file, links, code, says string // links: the environment's
	}{
		{"smtp_password: x\n", "", "config", "line 1: unknown key \"smtp_password\""},
		{"\nkeep_links: soon\n", "", "config", "line 2: keep_links"},
		{"", "soon", "usage", "ATIVA_KEEP_LINKS"},
	} {
		_, _, err := resolve(t, c.file, map[string]string{"ATIVA_KEEP_LINKS": c.links})
		wrong, ok := errors.AsType[*failure.Failure](err)
		if !ok || !strings.Contains(err.Error(), c.says) || wrong.Code != c.code {
			t.Errorf("%+v: got %#v (%v)", c, wrong, err)
		}
	}
	_, keys := serviceFlags()
	_, err := settings.Service(keys, settings.Inputs{Getenv: func(string) string { return "" }}, filepath.Join(t.TempDir(), "absent.yaml"))
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want that it does not exist", err)
	}
}
