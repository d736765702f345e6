package desk

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ativa/internal/api"
)

// Random keys and pastes on a card change nothing but what was on the screen, said in a
// sentence, with the hint that Enter confirms it, before Enter came; and cancel nothing
// without the word (reliability.md, promise 25). ATIVA_DESK_SEQUENCES is how many are tried.
func TestRandomKeysChangeNothingUnconfirmed(t *testing.T) {
	sequences, err := strconv.Atoi(os.Getenv("ATIVA_DESK_SEQUENCES"))
	if err != nil {
		sequences = 200
	}
	var s randomSequences
	for seed := range sequences {
		synctest.Test(t, func(t *testing.T) { s.try(t, uint64(seed)) })
	}
	if s.changes == 0 || s.cancellations == 0 || s.corrections == 0 {
		t.Errorf("%d changes, %d cancellations and %d corrections: not all was tried", s.changes, s.cancellations, s.corrections)
	}
	t.Logf("%d sequences: %d changes, %d of them cancellations, and %d corrections, each confirmed", sequences, s.changes, s.cancellations, s.corrections)
}

// randomSequences counts what sequences of keys did.
type randomSequences struct{ changes, cancellations, corrections int }

// try types one sequence on Ana's card. Now and then the partner confirms what waits for it,
// so that all statuses and menus come.
func (s *randomSequences) try(t *testing.T, seed uint64) {
	const last = "<down><down><down><down><down><down><down><down><enter>" // of a menu: the cancellation
	keys := []string{"<enter>", "<enter>", "<enter>", "<enter>", "<enter>", "<enter>", "<enter>", "<enter>", "<enter>", "<esc>", "<up>", "<down>", "<down>", "<tab>", "<f1>",
		"<backspace>", "<pgdown>", "1", "2", "3", "4", "5", "6", "7", "8", "9", "a", "n", " ", "cancel", "PASTE", "PARTNER", "PARTNER", last, last}
	random := rand.New(rand.NewPCG(20261126, seed))
	server := newFakeServer()
	server.catalog.Schedule = true
	x := newStage(t, server, options{})
	var story []string
	for range 40 {
		if !x.m.onCard {
			x.keys("<esc><esc><esc><ctrl+u>souza<enter>")
		}
		word := keys[random.IntN(len(keys))]
		if p := x.m.prompt; p != nil && p.kind == promptWord && random.IntN(2) == 0 {
			word = "cancel"
		}
		story = append(story, word)
		if random.IntN(3) > 0 {
			x.pass(2 * quietTime)
		}
		switch word {
		case "PARTNER":
			x.partnerConfirms()
			s.check(x, "", "PARTNER", fmt.Sprintf("seed %d: after %q", seed, story))
		case "PASTE":
			x.send(tea.PasteMsg{Content: "1\n\ncancel\n"})
			s.check(x, "", "PASTE", fmt.Sprintf("seed %d: after %q", seed, story))
		default:
			for _, k := range keysOf(word) {
				shown := withoutBlanks(ansi.Strip(x.m.View().Content))
				x.send(k)
				s.check(x, shown, k.String(), fmt.Sprintf("seed %d: after %q", seed, story))
			}
		}
	}
}

// partnerConfirms ends what waits for the partner.
func (x *stage) partnerConfirms() {
	final := map[api.Int]api.Status{
		api.StatusReactivated: {ID: api.StatusActive, Name: "active"}, api.StatusWaitingSuspension: {ID: api.StatusSuspend, Name: "suspend"},
		api.StatusWaitingSuspensionDueToOverdue: {ID: api.StatusOverdue, Name: "overdue"}, api.StatusWaitingCancellation: {ID: api.StatusCanceled, Name: "canceled"},
	}
	ana := x.server.people["52998224725"]
	ana.Services = slices.Clone(ana.Services)
	for i, service := range ana.Services {
		if to, waits := final[service.StatusID]; waits {
			ana.Services[i].Status, ana.Services[i].StatusID = to.Name, to.ID
		}
	}
	x.server.people["52998224725"] = ana
	happens(x)
}

// check compares what a key did with what was on the screen before it.
func (s *randomSequences) check(x *stage, shown, key, story string) {
	x.t.Helper()
	if n := len(x.server.updated) + len(x.server.registered); n > 0 {
		s.corrections += n
		if key != "enter" || !strings.Contains(shown, withoutBlanks("Correct the data of ")) || !strings.Contains(shown, "saves") {
			x.t.Errorf("%s the key %s corrected a subscriber, and the screen was %s", story, key, shown)
		}
	}
	for _, step := range x.server.performed {
		confirmed := fmt.Sprintf("%s? Enter yes", x.m.say(step.Title()))
		if step.Operation == api.Deactivate {
			s.cancellations++
			confirmed = x.m.say(step.Title()) + " This cannot be undone. Type cancel and Enter, or Esc: cancel"
		}
		s.changes++
		if key != "enter" || !strings.Contains(shown, withoutBlanks(confirmed)) {
			x.t.Errorf("%s the key %s did %s, and the screen was %s", story, key, x.m.say(step.Title()), shown)
		}
	}
	x.server.performed, x.server.updated, x.server.registered = nil, nil, nil
}

// withoutBlanks is a text as it is compared, wherever the screen breaks its lines.
func withoutBlanks(s string) string { return strings.Join(strings.Fields(s), "") }
