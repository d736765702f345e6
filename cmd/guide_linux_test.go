package cmd

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"ativa/internal/lang"
)

const guide = "../docs/guia-do-atendimento.md"

// situation is a support task during a telephone call.
type situation struct {
	before   string // earlier events of the subscriber, whose service is active at first
	services string // the subscriber's final services
}

// situations has one entry for each section of the guide, in order.
func situations() []situation {
	const activated = "ativa provision activate --product 3 52998224725"
	const suspended = "ativa provision suspend --product 1 --wait 52998224725"
	const unpaid = "ativa provision overdue --product 1 --wait 52998224725"
	const deleted = "ativa provision deactivate --product 1 --wait --yes 52998224725; ativa subscribers delete --yes 52998224725"
	return []situation{
		{activated, "musica: inProgress"},
		{deleted, "play-basic: inProgress"},
		{activated, "musica: inProgress"},
		{"", "play-basic: suspend"},
		{suspended, "play-basic: active"},
		{"", "play-basic: overdue"},
		{unpaid, "play-basic: active"},
		{"", "play-premium: active"},
		{"", "play-basic: canceled"},
		{unpaid, "play-basic: overdue"},
	}
}

// The commands of each section of the guide lead to what the caller wants, and the menu of the desk has
// the entries that the guide names.
func TestTheSituationsOfTheGuideGoAsTheySay(t *testing.T) {
	t.Parallel()
	page := pages(t)[guide]
	sections, all := regexp.MustCompile(`(?m)^## \d+\. `).Split(page, -1), situations()
	if len(sections) != 1+len(all) {
		t.Fatalf("the guide has %d situations, want %d", len(sections)-1, len(all))
	}
	checkMenuEntries(t, page)
	for n, section := range sections {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			r := newReader(t, guide, page)
			if n == 0 { // the set-up
				r.typeAll(blocks(section))
				return
			}
			r.print(all[n-1].before)
			r.typeAll(blocks(strings.ReplaceAll(section, " deactivate ", " deactivate --yes "))) // TestACancellationNamesWhomItConcerns answers its question
			eventually(t, all[n-1].services, func() bool {
				return strings.Contains(string(r.print("ativa subscribers get --columns services 52998224725")), all[n-1].services)
			})
		})
	}
}

func checkMenuEntries(t *testing.T, page string) {
	t.Helper()
	shown := map[string]bool{}
	for text := range lang.Translated() {
		shown[lang.Portuguese.Text(text)] = true
	}
	named := regexp.MustCompile(`Enter(?: e|,) "([^"]+)"`).FindAllStringSubmatch(strings.Join(strings.Fields(page), " "), -1)
	for _, m := range named {
		if !shown[m[1]] {
			t.Errorf("the guide names %q, which the menu does not have", m[1])
		}
	}
	if len(named) < 10 {
		t.Errorf("only %d entries of the menu are named", len(named))
	}
}
