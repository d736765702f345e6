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
	for language, want := range map[lang.Language]string{
		lang.English:    "importing: 30 of 90 rows, 1 a second, 1m0s left\n",
		lang.Portuguese: "importando: 30 de 90 linhas, 1 por segundo, faltam 1m0s\n",
	} {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			e := &cli.Env{Err: &out, Getenv: func(string) string { return "" }, Lang: language}
			p, err := e.NewProgress(cli.Msg("importing"), cli.Msg("rows"), 90, false)
			if err != nil {
				t.Fatal(err)
			}
			p.Add(30)
			time.Sleep(30*time.Second + time.Millisecond)
			p.Close()
			if out.String() != want {
				t.Errorf("%s: got %q, want %q", language, out.String(), want)
			}
		})
	}
}
