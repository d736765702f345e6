package cmd

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
)

// A run is gone on with from any directory, so its files are noted whole.
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
