package operator

import (
	"testing"

	"github.com/spf13/cobra"

	"ativa/internal/cli"
)

// What may be a secret does not come into the record.
func TestArgumentsAreRecordedWithoutSecrets(t *testing.T) {
	for word, want := range map[string]string{
		"Azul":                            "Azul",
		"sqlite:/var/lib/ativa/ativa.db":  "sqlite:/var/lib/ativa/ativa.db",
		"https://u:p@example.com/T1?k=v":  "https://example.com/…",
		"postgres://u:p@db.example/ativa": "postgres://db.example/…",
		"host=db password=x dbname=ativa": "host=db password=*** dbname=ativa",
		"https://example.com":             "https://example.com/…",
	} {
		if got := withoutSecrets(word); got != want {
			t.Errorf("%s: got %s, want %s", word, got, want)
		}
	}
}

// Every command of the operator is recorded but those that are known to read only, so that
// a new one is not forgotten.
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
	if read != 12 {
		t.Errorf("%d commands are not recorded; look whether a new one only reads", read)
	}
}
