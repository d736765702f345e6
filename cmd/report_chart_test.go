package cmd

import (
	"bytes"
	"testing"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/render"
)

func TestAChartFitsItsTerminalAndShowsWhatItCan(t *testing.T) {
	all := []api.ProductUsage{
		{Name: "Play Básico", EnabledAtEnd: 500, PeakEnabled: 1000}, {Name: "Um produto com um nome muito comprido", EnabledAtEnd: 1, PeakEnabled: 1},
		{Name: "Música\x1b[31m", PeakEnabled: 100},
	}
	for _, c := range []struct {
		environment map[string]string
		want        string
	}{
		{map[string]string{"LANG": "pt_BR.UTF-8"}, "" +
			"Play Básico               ██████████░░░░░░░░░░  500/1000\n" +
			"Um produto com um nome ~  █                          1/1\n" +
			`Música\x1b[31m            ░░                       0/100` + "\n\n" +
			"█ enabled at the end of the period  ░ the most at the same time\n"},
		{map[string]string{"LANG": "pt_BR.UTF-8", "LC_ALL": "C"}, "" +
			"Play Básico               ##########..........  500/1000\n" +
			"Um produto com um nome ~  #                          1/1\n" +
			`Música\x1b[31m            ..                       0/100` + "\n\n" +
			"# enabled at the end of the period  . the most at the same time\n"},
	} {
		var out bytes.Buffer
		getenv := func(name string) string { return c.environment[name] }
		e := &cli.Env{Out: &out, Err: &out, Getenv: getenv}
		if err := chartOf(render.Screen{Terminal: true, Width: 57}, getenv).write(e, all); err != nil || out.String() != c.want {
			t.Errorf("%v: got %v and\n%s\nwant\n%s", c.environment, err, &out, c.want)
		}
	}
	for _, c := range []struct {
		name, value string
		want        bool
	}{{"TERM", "dumb", false}, {"LC_ALL", "en_US.utf8", true}, {"", "", false}} {
		if got := showsUnicode(func(name string) string { return map[string]string{c.name: c.value}[name] }); got != c.want {
			t.Errorf("%s=%s: got %t", c.name, c.value, got)
		}
	}
}
