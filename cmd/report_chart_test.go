package cmd

import (
	"bytes"
	"testing"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/render"
)

func TestAChartFitsItsTerminal(t *testing.T) {
	all := []api.ProductUsage{
		{Name: "Play Básico", EnabledAtEnd: 500, PeakEnabled: 1000}, {Name: "Um produto com um nome muito comprido", EnabledAtEnd: 1, PeakEnabled: 1},
		{Name: "Música\x1b[31m", PeakEnabled: 100},
		{Name: "Of another server", EnabledAtEnd: 1000, PeakEnabled: 500},
	}
	want := "Play Básico               ██████████░░░░░░░░░░  500/1000\n" +
		"Um produto com um nome ~  █                          1/1\n" +
		`Música\x1b[31m            ░░                       0/100` + "\n" +
		"Of another server         ████████████████████  1000/500\n\n" +
		"█ enabled at the end of the period  ░ the most at the same time\n"
	var out bytes.Buffer
	if err := writeChart(&cli.Env{Out: &out}, render.Screen{Terminal: true, Width: 57}, all); err != nil || out.String() != want {
		t.Errorf("got %v and\n%s\nwant\n%s", err, &out, want)
	}
}
