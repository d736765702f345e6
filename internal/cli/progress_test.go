package cli_test

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/cli"
	"ativa/internal/lang"
)

func TestProgressIsInThePersonsLanguage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		e := &cli.Env{Err: &out, Getenv: func(string) string { return "" }, Lang: lang.Portuguese}
		p, err := e.NewProgress(cli.Msg("importing"), cli.Msg("rows"), 90, false)
		must(t, err)
		p.Add(30)
		time.Sleep(30*time.Second + time.Millisecond)
		p.Close()
		if got, want := out.String(), "importando: 30 de 90 linhas, 1 por segundo, faltam 1m0s\n"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
