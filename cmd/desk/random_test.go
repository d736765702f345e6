package desk

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ativa/internal/support"
)

// Random keys and pastes on a card change nothing but what was on the screen, said in a
// sentence, with the hint that Enter confirms it, before Enter came; and cancel nothing
// without the word (reliability.md, promise 25). ATIVA_DESK_SEQUENCES is how many are tried.
func TestRandomKeysChangeNothingUnconfirmed(t *testing.T) {
	sequences, err := strconv.Atoi(os.Getenv("ATIVA_DESK_SEQUENCES"))
	if err != nil {
		sequences = 300
	}
	keys := []string{"<enter>", "<enter>", "<enter>", "<enter>", "<enter>", "<enter>", "<esc>", "<up>", "<down>", "<tab>", "<f1>", "<backspace>", "<pgdown>",
		"1", "2", "3", "4", "5", "6", "7", "a", "s", "x", "n", "y", " ", "cancel", "cancel", "cancel", "PASTE"}
	changes, cancellations, corrections := 0, 0, 0
	for seed := range sequences {
		on(t, options{}, func(x *stage) {
			random := rand.New(rand.NewPCG(20261125, uint64(seed)))
			openAna(x)
			var story []string
			for range 60 {
				word := keys[random.IntN(len(keys))]
				story = append(story, word)
				if !x.m.onCard {
					x.keys("<esc><esc><ctrl+u>souza<enter>")
				}
				if random.IntN(3) > 0 {
					x.pass(2 * quietTime)
				}
				if word == "PASTE" {
					before := len(x.server.performed)
					x.send(tea.PasteMsg{Content: "1\n\ncancel\n"})
					if len(x.server.performed) != before {
						t.Errorf("seed %d: a paste did %v", seed, x.server.performed[before:])
					}
					continue
				}
				for _, k := range keysOf(word) {
					shown, before := strings.Join(strings.Fields(ansi.Strip(x.m.View().Content)), " "), len(x.server.performed)
					saved := len(x.server.updated)
					x.send(k)
					if len(x.server.updated) > saved {
						corrections++
						if k.String() != "enter" || !strings.Contains(shown, "Correct the data of ") || !strings.Contains(shown, "saves") {
							t.Errorf("seed %d: after %q the key %s corrected %+v, and the screen was %s", seed, story, k, x.server.updated[saved:], shown)
						}
					}
					for _, s := range x.server.performed[before:] {
						confirmed := fmt.Sprintf("%s? Enter yes", x.m.say(s.Title()))
						if s.Action == support.Deactivate {
							cancellations++
							confirmed = x.m.say(s.Title()) + " This cannot be undone. Type cancel and Enter, or Esc: cancel"
						}
						changes++
						if k.String() != "enter" || !strings.Contains(shown, confirmed) {
							t.Errorf("seed %d: after %q the key %s did %s, and the screen was %s", seed, story, k, s.Title(), shown)
						}
					}
				}
			}
		})
	}
	if changes == 0 || sequences >= 300 && (cancellations == 0 || corrections == 0) {
		t.Errorf("%d changes, %d cancellations and %d corrections: nothing was tried", changes, cancellations, corrections)
	}
	t.Logf("%d sequences: %d changes, %d of them cancellations, and %d corrections, each confirmed", sequences, changes, cancellations, corrections)
}
