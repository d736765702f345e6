package cmd

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/cli"
)

// A run is noted with absolute paths, so that it can be resumed from any directory, and without
// possible passwords.
func TestARunIsNotedWithWholePathsAndWithoutSecrets(t *testing.T) {
	here, err := os.Getwd()
	must(t, err)
	for line, want := range map[string]string{
		"subscribers import a.csv --ca-cert ca.pem --client-cert c.pem --client-key k.pem --report-dir . --rate 5 --proxy http://user:canary@proxy:3128": "subscribers import --ca-cert=HERE/ca.pem --client-cert=HERE/c.pem --client-key=HERE/k.pem --rate=5 --report-dir=HERE HERE/a.csv",
		"provision suspend --file a.csv --proxy http://user:canary@proxy:3128":                                                                           "provision suspend --file=HERE/a.csv",
		"sync --from-command export=--password=canary --proxy http://user:canary@proxy:3128 --rate 0.5":                                                  "sync --rate=0.5",
	} {
		root := newRoot(&cli.Env{Getenv: func(string) string { return "" }})
		c, _, err := root.Find(strings.Fields(line))
		must(t, err)
		got := ""
		c.RunE = func(c *cobra.Command, args []string) error {
			got = strings.Join(commandLine(c, args...), " ")
			return nil
		}
		root.PersistentPreRunE = nil
		root.SetArgs(strings.Fields(line))
		must(t, root.Execute())
		if got = filepath.ToSlash(strings.ReplaceAll(got, here, "HERE")); got != want {
			t.Errorf("%s: noted as %s, want %s", line, got, want)
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
		must(t, f.Parse(strings.Fields(line)))
		if err := o.complete(f); err != nil || o.Rows != want {
			t.Errorf("%q: got %d rows in a batch, %v, want %d", line, o.Rows, err, want)
		}
	}
}

// The rejected file is UTF-8, whatever the encoding of the imported one.
func TestTheCommandForTheRejectedFileFitsIt(t *testing.T) {
	u, text := userOf(t, apitest.New("")), ""
	for _, b := range []byte("nome;e-mail;cpf;telefone\nAna;x;1;2\n") {
		text += string([]byte{b, 0})
	}
	got := u.run(nil, "subscribers", "import", writeFile(t, "people.csv", text), "--encoding", "utf16", "--delimiter", ";", "-o", "json")
	if !strings.Contains(got.stdout, "ativa subscribers import --delimiter ") || strings.Contains(got.stdout, "--encoding") {
		t.Errorf("got %q, want a command with the delimiter alone", got.stdout)
	}
}

// A command in a hint reaches the server in the same way as the command before.
func TestACommandInAHintHasTheFlagsOfTheConnection(t *testing.T) {
	u, server := minimalServer(t, entry(25, "active"))
	server.Answer, server.Refuse = nil, func(apitest.Request) (int, string) { return http.StatusConflict, api.CodeServiceOverdue }
	file, token := writeFile(t, "people.csv", "nome;e-mail;cpf;telefone\nAna;x;1;2\n"), writeFile(t, "token", "t\n")
	flags := []string{"--server", u.env["ATIVA_SERVER"], "--token-file", token, "--insecure-http"}
	delete(u.env, "ATIVA_SERVER")
	for command, want := range map[string]string{
		"subscribers import " + file:            "ativa subscribers import " + strings.Join(flags, " ") + " ",
		"provision suspend --product 25 " + ana: "`ativa provision settle DOC " + strings.Join(flags, " ") + "`",
	} {
		got := u.run(nil, append(strings.Fields(command), append(flags, "-o", "json")...)...)
		if !strings.Contains(got.stdout+got.stderr, want) {
			t.Errorf("%s: got %q, %q, want %q", command, got.stdout, got.stderr, want)
		}
	}
}
