package desk

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/cli"
	"ativa/internal/client"
	"ativa/internal/support"
)

// Random keys and pastes on a card change only what the screen described, with the hint
// that Enter confirms it, before Enter; and cancel nothing without the word
// (reliability.md, promise 25). Every request that changes something is
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

// newRecorder returns the desk's calls of a server with Ana, who has two services. Its feed names her
// after each change.
func newRecorder(t *testing.T) (*recorder, *apitest.Server) {
	t.Helper()
	server := apitest.New(strings.Join([]string{api.ExtIdempotency, api.ExtValidate, api.ExtOverdue, api.ExtResendProduct, api.ExtEvents}, ","))
	ana := server.Add(anaDocument, 25, 26)
	ana.Name, ana.Email, ana.Phone = "Ana Souza", "ana@example.com", "+5511987654321"
	seen := 0
	server.Answer = func(w http.ResponseWriter, r apitest.Request) bool {
		if r.Path != api.PathEvents {
			return false
		}
		events := make([]api.Event, min(1, len(server.CarriedOut)-seen))
		for i := range events {
			events[i] = api.Event{ID: "1", Type: api.EventSubscriberUpdated, Document: anaDocument}
		}
		seen = len(server.CarriedOut)
		_, _ = w.Write(cli.ToJSON(map[string]any{"events": events, "next_cursor": "1"}))
		return true
	}
	return &recorder{service: &service{client: apitest.ServeInBubble(t, server, client.Options{}), clock: time.Now}}, server
}

// try types one sequence on Ana's card.
func (s *randomSequences) try(t *testing.T, seed uint64) {
	const last = "<down><down><down><down><down><down><down><down><enter>" // the cancellation in a menu
	keys := []string{"<enter>", "<enter>", "<enter>", "<enter>", "<enter>", "<enter>", "<enter>", "<enter>", "<enter>", "<esc>", "<up>", "<down>", "<down>", "<tab>", "<f1>",
		"<backspace>", "<pgdown>", "1", "2", "3", "4", "5", "6", "7", "8", "9", "a", "n", " ", "cancel", "PASTE", last, last}
	random := rand.New(rand.NewPCG(20261126, seed))
	desk, server := newRecorder(t)
	x := newTestDeskOn(t, desk, options{})
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
			if n := desk.changes(); n != 0 {
				t.Errorf("seed %d: after %q a paste made %d changes", seed, story, n)
			}
			continue
		}
		for _, k := range keysOf(word) {
			shown := withoutBlanks(ansi.Strip(x.m.View().Content))
			x.send(k)
			x.screen() // it fits the terminal
			s.check(x, desk, shown, k, fmt.Sprintf("seed %d: after %q", seed, story))
			sent += desk.changes()
			desk.performed, desk.updated = nil, 0
		}
	}
	dryRuns := func(r apitest.Request) bool { return strings.HasSuffix(r.Path, "/validate") }
	if got := len(slices.DeleteFunc(server.Requests, dryRuns)); got != sent {
		t.Errorf("seed %d: %d changes left the desk, want %d: %q", seed, got, sent, story)
	}
}

// check compares the effect of a key with the screen before it.
func (s *randomSequences) check(x *testDesk, desk *recorder, shown string, k tea.KeyPressMsg, story string) {
	x.t.Helper()
	if desk.updated > 0 {
		s.corrections++
		if k.String() != "enter" || !strings.Contains(shown, withoutBlanks("Correct the data of ")) || !strings.Contains(shown, "saves") {
			x.t.Errorf("%s the key %s corrected a subscriber, and the screen was %s", story, k, shown)
		}
	}
	for _, step := range desk.performed {
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

// recorder records the changes that the desk makes.
type recorder struct {
	*service
	performed []support.Step
	updated   int
}

func (r *recorder) changes() int { return len(r.performed) + r.updated }

func (r *recorder) Perform(ctx context.Context, s support.Step) (support.Outcome, error) {
	r.performed = append(r.performed, s)
	return r.service.Perform(ctx, s)
}

// Update implements server.
func (r *recorder) Update(ctx context.Context, document string, u api.SubscriberUpdate) error {
	r.updated++
	return r.service.Update(ctx, document, u)
}
