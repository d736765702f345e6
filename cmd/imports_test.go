package cmd

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ativa/internal/cli"
)

// A run can be resumed from any directory: its paths are absolute.
func TestARunIsNotedWithWholePaths(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	root := newRoot(&cli.Env{Getenv: func(string) string { return "" }})
	var got []string
	c, _, err := root.Find([]string{"subscribers", "import"})
	if err != nil {
		t.Fatal(err)
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		got = commandLine(c, args...)
		return nil
	}
	root.PersistentPreRunE = nil
	root.SetArgs([]string{"subscribers", "import", "a.csv", "--ca-cert", "ca.pem", "--client-cert", "c.pem", "--client-key", "k.pem", "--report-dir", ".", "--rate", "5"})
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{filepath.Join(here, "a.csv"), "--ca-cert=" + filepath.Join(here, "ca.pem"), "--client-cert=" + filepath.Join(here, "c.pem"),
		"--client-key=" + filepath.Join(here, "k.pem"), "--report-dir=" + here, "--rate=5"} {
		if !slices.Contains(got, want) {
			t.Errorf("got %q, want %s among them", got, want)
		}
	}
}

// Possible passwords are not stored in a journal or the list of runs.
func TestARunIsNotedWithoutSecrets(t *testing.T) {
	for _, line := range [][]string{
		{"subscribers", "import", "a.csv", "--proxy", "http://user:canary@proxy:3128"},
		{"provision", "suspend", "--file", "a.csv", "--proxy", "http://user:canary@proxy:3128"},
		{"sync", "--from-command", "export --password canary", "--proxy", "http://user:canary@proxy:3128"},
	} {
		root := newRoot(&cli.Env{Getenv: func(string) string { return "" }})
		c, _, err := root.Find(line)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		c.RunE = func(c *cobra.Command, args []string) error {
			got = commandLine(c, args...)
			return nil
		}
		root.PersistentPreRunE = nil
		root.SetArgs(line)
		if err := root.Execute(); err != nil {
			t.Fatal(err)
		}
		if len(got) == 0 || strings.Contains(strings.Join(got, " "), "canary") {
			t.Errorf("%q is noted as %q", line, got)
		}
	}
}

// A batch is sent at once, so its size is limited by the rate.
func TestRateHoldsWithinOneBatch(t *testing.T) {
	for line, want := range map[string]int{
		"--rate 5": 5, "--rate 0.5": 1, "--rate 5000": 1000, "": 1000, "--rate 5 --batch-size 100": 100, "--batch-size 100": 100,
		"--max-failures 3": 50, "--max-failures 3 --rate 5": 5, "--max-failures 3 --batch-size 100": 100,
	} {
		var o sendOptions
		f := pflag.NewFlagSet("import", pflag.ContinueOnError)
		o.addFlags(f)
		if err := f.Parse(strings.Fields(line)); err != nil {
			t.Fatal(err)
		}
		if err := o.complete(f); err != nil || o.Rows != want {
			t.Errorf("%q: got %d rows in a batch, %v, want %d", line, o.Rows, err, want)
		}
	}
}
