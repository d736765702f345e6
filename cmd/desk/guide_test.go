package desk

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"ativa/internal/api"
	"ativa/internal/lang"
	"ativa/internal/support"
)

// What the guide names in quotes behind "Na ficha" is in the menu, and does what its
// situation is about.
func TestTheGuideNamesEntriesOfTheMenu(t *testing.T) {
	page, err := os.ReadFile("../../docs/guia-do-atendimento.md")
	if err != nil {
		t.Fatal(err)
	}
	situations := map[string]struct {
		who    string
		status string
		id     api.Int
		then   string // what is typed after the choice
		action support.Action
	}{
		"1": {"souza<enter><down>", "active", api.StatusActive, "<enter>", support.Resend},
		"2": {"bruno<enter>", "", 0, "1<enter>", support.Activate},
		"4": {"souza<enter>", "active", api.StatusActive, "<enter>", support.Suspend},
		"5": {"souza<enter>", "suspend", api.StatusSuspend, "<enter>", support.Activate},
		"6": {"souza<enter>", "active", api.StatusActive, "<enter>", support.Overdue},
		"7": {"souza<enter>", "overdue", api.StatusOverdue, "<enter>", support.Settle},
		"8": {"souza<enter>", "active", api.StatusActive, "1<enter>", support.Change},
		"9": {"souza<enter>", "active", api.StatusActive, "cancelar<enter>", support.Deactivate},
	}
	for _, section := range strings.Split(string(page), "\n## ")[1:] {
		number, _, _ := strings.Cut(section, ".")
		named := regexp.MustCompile(`Enter e\s"([^"]+)"`).FindStringSubmatch(section)
		s, known := situations[number]
		if !known {
			continue
		}
		delete(situations, number)
		if named == nil {
			t.Errorf("situation %s names no entry of the menu", number)
			continue
		}
		on(t, options{lang: lang.Portuguese}, func(x *stage) {
			ana := x.server.people["52998224725"]
			ana.Services[1].Status, ana.Services[1].StatusID = s.status, s.id
			x.keys(s.who)
			x.chooseText(strings.Join(strings.Fields(named[1]), " "))
			for _, k := range keysOf(s.then) {
				x.send(k)
				x.pass(2 * quietTime)
			}
			if got := x.server.performed; len(got) != 1 || got[0].Action != s.action {
				t.Errorf("situation %s did %v, want %s\n%s", number, got, s.action, x.screen())
			}
		})
	}
	if len(situations) > 0 {
		t.Errorf("the guide lacks the situations %v", situations)
	}
}
