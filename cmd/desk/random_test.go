package desk

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ativa/internal/api"
	"ativa/internal/support"
)

// Random keys and pastes on a card change only what the screen described, with the hint
// that Enter confirms it, before Enter; and cancel nothing without the word
// (reliability.md, promise 25). The server is a process; every changing request is
// counted. ATIVA_DESK_SEQUENCES is the number of sequences.
func TestRandomKeysChangeNothingUnconfirmed(t *testing.T) {
	sequences, err := strconv.Atoi(os.Getenv("ATIVA_DESK_SEQUENCES"))
	if err != nil {
		sequences = 20
	}
	var s randomSequences
	s.server = newProcess(t)
	for seed := range sequences {
		name := s.server.subscriber(seed)
		synctest.Test(t, func(t *testing.T) { s.try(t, uint64(seed), name) })
		if seed%1000 == 999 {
			t.Logf("%d sequences", seed+1)
		}
	}
	if s.changes == 0 || sequences >= 300 && (s.cancellations == 0 || s.corrections == 0) {
		t.Errorf("%d changes, %d cancellations and %d corrections: nothing was tried", s.changes, s.cancellations, s.corrections)
	}
	t.Logf("%d sequences: %d changes, %d of them cancellations, and %d corrections, each confirmed", sequences, s.changes, s.cancellations, s.corrections)
}

// randomSequences runs sequences of keys on one server.
type randomSequences struct {
	server                              *process
	changes, cancellations, corrections int
}

// try types one sequence on the card of the named subscriber.
func (s *randomSequences) try(t *testing.T, seed uint64, name string) {
	const last = "<down><down><down><down><down><down><down><down><enter>" // the cancellation in a menu
	keys := []string{"<enter>", "<enter>", "<enter>", "<enter>", "<enter>", "<enter>", "<enter>", "<enter>", "<enter>", "<esc>", "<up>", "<down>", "<down>", "<tab>", "<f1>",
		"<backspace>", "<pgdown>", "1", "2", "3", "4", "5", "6", "7", "8", "9", "a", "n", " ", "cancel", "PASTE", last, last}
	random := rand.New(rand.NewPCG(20261126, seed))
	desk := &recorder{process: s.server}
	x := newTestDeskOn(t, desk, options{})
	resize([]int{60, 80, 120}[seed%3], []int{20, 24, 40}[seed%3])(x)
	sent := s.server.writes.Load()
	var story []string
	for range 40 {
		if !x.m.onCard {
			x.keys("<esc><esc><esc><ctrl+u>" + strings.TrimPrefix(name, "Ana ") + "<enter>")
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
			sent += desk.requests()
			desk.performed, desk.updated = nil, 0
		}
	}
	if got := s.server.writes.Load(); got != sent {
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

// recorder is a process that records the changes of one bubble.
type recorder struct {
	*process
	performed []support.Step
	updated   int
}

func (r *recorder) changes() int64 { return int64(len(r.performed) + r.updated) }

// requests is the number of requests of the changes: a trust release also schedules its
// end.
func (r *recorder) requests() int64 {
	n := r.changes()
	for _, s := range r.performed {
		if !s.Until.IsZero() {
			n++
		}
	}
	return n
}

func (r *recorder) Perform(ctx context.Context, s support.Step) (support.Outcome, error) {
	r.performed = append(r.performed, s)
	return r.process.Perform(ctx, s)
}

// Update implements server.
func (r *recorder) Update(ctx context.Context, document string, u api.SubscriberUpdate) error {
	r.updated++
	return r.process.Update(ctx, document, u)
}
