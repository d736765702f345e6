package operator

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
)

func TestArgumentsAreRecordedWithoutSecrets(t *testing.T) {
	for word, want := range map[string]string{
		"Azul":                            "Azul",
		"sqlite:/var/lib/ativa/ativa.db":  "sqlite:/var/lib/ativa/ativa.db",
		"https://u:p@example.com/T1?k=v":  "https://example.com/…",
		"postgres://u:p@db.example/ativa": "postgres://db.example/…",
		"host=db password=x dbname=ativa": "host=db password=*** dbname=ativa",
		"https://example.com":             "https://example.com/…",

		`host=db password='my long pass' user=a`:          `host=db password=*** user=a`,
		`host=db password='it\'s long' user=a`:            `host=db password=*** user=a`,
		`host=db sslpassword = my\ pass dbname=x`:         `host=db sslpassword=*** dbname=x`,
		`password='never closed`:                          `password=***`,
		"hooks.example.com/T0K3N":                         "hooks.example.com/…",
		"hooks.example.com:8443?k=T0K3N":                  "hooks.example.com:8443/…",
		"u:T0K3N@hooks.example.com/x":                     "hooks.example.com/…",
		"https://example.com/100%/T0K3N":                  "https://example.com/…",
		"postgres://u:50%@db.example/ativa":               "postgres://db.example/…",
		"postgres://u:p/T0K3N@db.example/ativa":           "postgres://…",
		"https://example.com/?to=ana@T0K3N":               "https://…",
		"postgres://a@db1.example:5432,db2.example/ativa": "postgres://db1.example:5432,db2.example/…",
		"/var/backups/2026.01.31/ativa.db":                "/var/backups/2026.01.31/ativa.db",
		"./copy.db":                                       "./copy.db",
		`C:\ativa\ativa.db`:                               `C:\ativa\ativa.db`,

		"2027-01-31":           "2027-01-31",
		"2027-01-31T03:00:00Z": "2027-01-31T03:00:00Z",
		"529.982.247-25":       "***",
		"ana@example.com":      "***",
	} {
		if got := recorded(word); got != want {
			t.Errorf("%s: got %s, want %s", word, got, want)
		}
	}
}

// The reason of an operation is cleared when its subscriber is erased. The record would keep it.
func TestAReasonIsNotRecorded(t *testing.T) {
	c := newOperationsResolve(&cli.Env{}, &adminOptions{}, false)
	must(t, c.ParseFlags([]string{"op_12", "--reason", "Maria da Silva"}))
	if got := strings.Join(ownFlags(c), " "); got != "--reason …" {
		t.Errorf("got %q", got)
	}
}

// Every operator's command is recorded except known readers, so that no new one is
// forgotten.
func TestOnlyCommandsThatReadAreNotRecorded(t *testing.T) {
	read := 0
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, below := range c.Commands() {
			walk(below)
		}
		if !c.HasSubCommands() && onlyReads(c) {
			read++
		}
	}
	walk(NewAdmin(&cli.Env{}))
	if read != 13 {
		t.Errorf("%d commands are not recorded; look whether a new one only reads", read)
	}
}
