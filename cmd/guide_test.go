package cmd

import (
	"bytes"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// guide is the page for support staff.
const guide = "../docs/guia-do-atendimento.md"

// The commands of each situation of the guide are typed unchanged for a subscriber in
// that situation, and lead to the wanted services.
func TestTheSituationsOfTheGuideGoAsTheySay(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the guide is typed into a shell of Unix")
	}
	const ana = " 52998224725"
	cancelled := "ativa provision deactivate --product 1 --wait --yes" + ana
	situations := map[string]struct {
		before []string
		want   string // final services
	}{
		"1":  {[]string{"ativa provision activate --product 3" + ana}, "play-basic: active"},
		"2":  {[]string{cancelled, "ativa subscribers delete --yes" + ana}, "play-basic: inProgress"},
		"3":  {nil, "play-basic: active"},
		"4":  {nil, "play-basic: suspend"},
		"5":  {[]string{"ativa provision suspend --product 1 --wait" + ana}, "play-basic: active"},
		"6":  {nil, "play-basic: overdue"},
		"7":  {[]string{"ativa provision overdue --product 1 --wait" + ana}, "play-basic: active"},
		"8":  {nil, "play-premium: active"},
		"9":  {nil, "play-basic: canceled"},
		"10": {nil, "play-basic: active"},
	}
	template := newExampleTemplate(t)
	sections := regexp.MustCompile(`(?m)^## (\d+)\. `).Split(pages(t)[guide], -1)
	setUp, sections := sections[0], sections[1:]
	if len(sections) != len(situations) {
		t.Fatalf("the guide has %d situations, want %d", len(sections), len(situations))
	}
	t.Run("set-up", func(t *testing.T) {
		t.Parallel()
		w := template.copy(t)
		w.env = slices.DeleteFunc(w.env, func(v string) bool { return strings.HasPrefix(v, "ATIVA_ACCESS_TOKEN=") })
		for _, line := range calls(blocks(setUp)[0]) {
			line = strings.ReplaceAll(line, "https://ativa.example.com", w.url)
			if line == "ativa login" {
				line = "printf %s " + w.token + " | ativa login --token-stdin --storage file" // no terminal and no keyring
			}
			w.run(line)
		}
	})
	for i, number := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"} {
		t.Run(number, func(t *testing.T) {
			t.Parallel()
			w := template.copy(t)
			for _, line := range situations[number].before {
				w.run(line)
			}
			lines := calls(strings.Join(blocks(sections[i]), "\n"))
			if len(lines) == 0 {
				t.Fatal("it has no command")
			}
			for _, line := range lines {
				if strings.Contains(line, " deactivate ") {
					line += " --yes" // TestACancellationNamesWhomItConcerns answers its question
				}
				w.run(line)
			}
			eventually(t, situations[number].want, func() bool {
				return bytes.Contains(w.print("ativa subscribers get --columns services"+ana), []byte(situations[number].want))
			})
		})
	}
}
