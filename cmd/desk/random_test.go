package desk

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/cli"
)

// Random keys and pastes on a card change only what the screen described, with the hint
// that Enter confirms it, before Enter; and cancel nothing without the word
// (docs/reliability.md). Every request that changes something is
// counted. ATIVA_DESK_SEQUENCES is the number of sequences.
func TestRandomKeysChangeNothingUnconfirmed(t *testing.T) {
	sequences, err := strconv.Atoi(os.Getenv("ATIVA_DESK_SEQUENCES"))
	if err != nil {
		sequences = 40
	}
	var s randomSequences
	for seed := range sequences {
		synctest.Test(t, func(t *testing.T) { s.try(t, uint64(seed)) })
	}
	if s.changes == 0 || sequences >= 300 && (s.cancellations == 0 || s.corrections == 0) {
		t.Errorf("%d changes, %d cancellations and %d corrections: nothing was tried", s.changes, s.cancellations, s.corrections)
	}
	t.Logf("%d sequences: %d changes, %d of them cancellations, and %d corrections, each confirmed", sequences, s.changes, s.cancellations, s.corrections)
}

// randomSequences counts what random sequences of keys did.
type randomSequences struct{ changes, cancellations, corrections int }

// newServerWithFeed returns a server without schedules. After each change its feed names Ana, a subscriber
// with two services. Its catalog is not known before.
func newServerWithFeed(t *testing.T) *fakeServer {
	t.Helper()
	f := newFakeServer(t)
	f.Extensions = strings.Join([]string{api.ExtIdempotency, api.ExtValidate, api.ExtOverdue, api.ExtResendProduct, api.ExtEvents}, ",")
	f.catalog, f.changes = nil, f.service.Changes
	f.Products = f.Products[:2]
	f.Subscribers[anaDocument].Services = []api.Service{f.Service(basic, "active"), f.Service(music, "active")}
	seen := 0
	f.Answer = func(w http.ResponseWriter, r apitest.Request) bool {
		if r.Path != api.PathEvents {
			return false
		}
		updated := api.Event{ID: "1", Type: api.EventSubscriberUpdated, Document: anaDocument}
		events := slices.Repeat([]api.Event{updated}, min(1, len(f.CarriedOut)-seen))
		seen = len(f.CarriedOut)
		_, _ = w.Write(cli.ToJSON(map[string]any{"events": events, "next_cursor": "1"}))
		return true
	}
	return f
}

// try types one sequence on Ana's card.
func (s *randomSequences) try(t *testing.T, seed uint64) {
	const last = "<down><down><down><down><down><down><down><down><enter>" // the cancellation in a menu
	keys := []string{"<enter>", "<enter>", "<enter>", "<enter>", "<enter>", "<enter>", "<enter>", "<enter>", "<enter>", "<esc>", "<up>", "<down>", "<down>", "<tab>", "<f1>",
		"<backspace>", "<pgdown>", "1", "2", "3", "4", "5", "6", "7", "8", "9", "a", "n", " ", "cancel", "PASTE", last, last}
	random := rand.New(rand.NewPCG(20261126, seed))
	server := newServerWithFeed(t)
	x := newTestDesk(t, server, options{})
	resize([]int{60, 80, 120}[seed%3], []int{20, 24, 40}[seed%3])(x)
	sent := 0
	var story []string
	for range 40 {
		if !x.m.onCard {
			x.keys("<esc><esc><esc><ctrl+u>ana<enter>")
		}
		word := keys[random.IntN(len(keys))]
		if p := x.m.prompt; p != nil && p.kind == promptWord && random.IntN(2) == 0 {
			word = "cancel"
		}
		story = append(story, word)
		if random.IntN(3) > 0 {
			x.pass(2 * quietTime)
		}
		if word == "PASTE" {
			x.send(tea.PasteMsg{Content: "1\n\ncancel\n"})
			if n := len(server.sent); n != 0 {
				t.Errorf("seed %d: after %q a paste made %d changes", seed, story, n)
			}
			continue
		}
		for _, k := range keysOf(word) {
			shown := withoutBlanks(ansi.Strip(x.m.View().Content))
			x.send(k)
			x.screen() // it fits the terminal
			s.check(x, shown, k, fmt.Sprintf("seed %d: after %q", seed, story))
			sent += len(server.sent)
			server.sent, server.performed = nil, nil
		}
	}
	dryRuns := func(r apitest.Request) bool { return strings.HasSuffix(r.Path, "/validate") }
	if got := len(slices.DeleteFunc(server.Requests, dryRuns)); got != sent {
		t.Errorf("seed %d: %d changes left the desk, want %d: %q", seed, got, sent, story)
	}
}

// check compares the effect of a key with the screen before it.
func (s *randomSequences) check(x *testDesk, shown string, k tea.KeyPressMsg, story string) {
	x.t.Helper()
	if len(x.server.sent) > len(x.server.performed) {
		s.corrections++
		if k.String() != "enter" || !strings.Contains(shown, withoutBlanks("Correct the data of ")) || !strings.Contains(shown, "saves") {
			x.t.Errorf("%s the key %s corrected a subscriber, and the screen was %s", story, k, shown)
		}
	}
	for _, step := range x.server.performed {
		confirmed := fmt.Sprintf("%s? Enter yes", x.m.translate(step.Title()))
		if step.Operation == api.Deactivate {
			s.cancellations++
			confirmed = x.m.translate(step.Title()) + " This cannot be undone. Type cancel and Enter, or Esc: cancel"
		}
		s.changes++
		if k.String() != "enter" || !strings.Contains(shown, withoutBlanks(confirmed)) {
			x.t.Errorf("%s the key %s did %s, and the screen was %s", story, k, x.m.translate(step.Title()), shown)
		}
	}
}

// withoutBlanks removes white space, because the screen breaks lines.
func withoutBlanks(s string) string { return strings.Join(strings.Fields(s), "") }
