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

// The keys of the guide do on the card what its situations are about.
func TestTheKeysOfTheGuideDoWhatItSays(t *testing.T) {
	situations := map[string]struct {
		who    string
		status string
		id     api.Int
		then   string // what is pressed after the key
		action support.Action
	}{
		"1": {"souza", "inProgress", api.StatusInProgress, "", support.Resend},
		"2": {"bruno", "", 0, "<enter>", support.Activate},
		"4": {"souza", "active", api.StatusActive, "", support.Suspend},
		"5": {"souza", "suspend", api.StatusSuspend, "", support.Activate},
		"6": {"souza", "active", api.StatusActive, "", support.Overdue},
		"7": {"souza", "overdue", api.StatusOverdue, "", support.Settle},
		"8": {"souza", "active", api.StatusActive, "<enter>", support.Change},
		"9": {"souza", "active", api.StatusActive, "s", support.Deactivate},
	}
	for _, section := range strings.Split(guide(t), "\n## ")[1:] {
		number, _, _ := strings.Cut(section, ".")
		found := regexp.MustCompile("[Nn]a ficha:[^`]*`(.)`").FindStringSubmatch(section)
		s, known := situations[number]
		if known != (found != nil) {
			t.Errorf("situation %s: has a key %v, the test knows it %v", number, found != nil, known)
		}
		if !known || found == nil {
			continue
		}
		delete(situations, number)
		on(t, options{lang: lang.Portuguese}, func(x *stage) {
			ana := x.server.people["52998224725"]
			ana.Services[1].Status, ana.Services[1].StatusID = s.status, s.id
			x.keys(s.who + "<enter>" + found[1] + s.then)
			if got := x.server.performed; len(got) != 1 || got[0].Action != s.action {
				t.Errorf("situation %s: %s did %v, want %s\n%s", number, found[1], got, s.action, x.screen())
			}
		})
	}
	if len(situations) > 0 {
		t.Errorf("the guide lacks the keys of the situations %v", situations)
	}
}

// Each key that the guide names is one of the desk, and none of an action is missing.
func TestTheGuideKnowsTheKeysOfTheDesk(t *testing.T) {
	named := map[string]bool{}
	for _, found := range regexp.MustCompile("`([^`])`").FindAllStringSubmatch(guide(t), -1) {
		named[found[1]] = true
	}
	for _, b := range bindings() {
		if !named[b.key] {
			t.Errorf("the guide lacks the key %s", b.key)
		}
		delete(named, b.key)
	}
	delete(named, "y") // says yes
	if len(named) > 0 {
		t.Errorf("the guide names %v, which are no keys of the desk", named)
	}
}

func guide(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/guia-do-atendimento.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}
