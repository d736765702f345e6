package desk

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ativa/internal/api"
	"ativa/internal/client"
)

// Typing on the help page searches and loses no letter.
func TestTypingLeavesTheHelp(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		for _, where := range []string{"<f1>", "souza<enter><f1>"} {
			x.keys(where + "bruno")
			x.wants("Search: bruno", "Bruno Ávila")
			x.keys("<f1>")
			x.send(tea.PasteMsg{Content: "souza"})
			x.wants("Search: souza")
			x.keys("<f1><esc>")
			x.wants("Search: souza", "1 found")
			x.keys("<esc>")
		}
	})
}

// The key line lists the keys that work.
func TestTheBottomLineHasTheKeysThatWork(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		for _, c := range []struct{ keys, works, not string }{
			{"", "F1 help Ctrl-Q quit", "Enter"}, {"z", "Esc clear", "Enter"}, {"z", "Enter register Esc clear", "↑↓"},
			{"<ctrl+u>souza", "Enter open Esc clear", "↑↓"}, {"<ctrl+u>a", "Esc clear", "Enter"}, {"<ctrl+u>bru", "Enter open", "↑↓"},
			{"<enter>", "Enter menu Esc search", "↑↓"},
		} {
			x.keys(c.keys)
			lines := strings.Split(strings.TrimRight(x.screen(), "\n"), "\n")
			if last := strings.Join(strings.Fields(lines[len(lines)-1]), " "); !strings.Contains(last, c.works) || strings.Contains(last, c.not) {
				t.Errorf("after %q got %q, want %s and not %s", c.keys, last, c.works, c.not)
			}
		}
		x.keys("<esc><ctrl+u>souza<enter>")
		x.wants("↑↓ Enter menu Esc search")
	})
}

func TestTheCPFIsShownFromTheMenu(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		openAna(x)
		x.lacks("529.982.247-25")
		x.chooseText("show the CPF whole")
		x.wants("529.982.247-25")
		x.chooseText("hide the CPF")
		x.lacks("529.982.247-25")
	})
}

// Text from the server is escaped before it reaches the terminal.
func TestDataOfTheServerIsEscaped(t *testing.T) {
	on(t, options{colours: true}, func(x *testDesk) {
		evil := "Ana\x1b]0;owned\x07\r\n\u202eSouza"
		s := x.server.people["52998224725"]
		s.Name, s.Email, s.CustomerPlan = evil, evil, evil
		s.Services[1].ProductName, s.Services[1].Status, s.Services[1].StatusID = evil, evil, 99
		x.server.people["52998224725"] = s
		x.server.events[2].Reason = evil
		x.server.events[1].Trigger = evil
		x.keys("ana")
		for _, keys := range []string{"", "<enter>", "<enter>", "5", "<esc><enter>"} {
			x.keys(keys)
			content := x.m.View().Content
			if strings.Contains(content, "\x1b]") || strings.ContainsAny(content, "\x07\r\u202e") {
				t.Errorf("after %q the screen holds what a terminal obeys: %q", keys, content)
			}
			x.screen()
		}
	})
}

func TestASmallTerminalWaitsForMoreRoom(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		openAna(x)
		for _, size := range [][2]int{{59, 20}, {60, 19}, {20, 5}, {1, 1}} {
			x.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			x.keys("1<enter>")
			if shown := x.screen(); size[0] > 10 && !strings.Contains(shown, "terminal") {
				t.Errorf("%v: got %q", size, shown)
			}
		}
		if len(x.server.performed) > 0 || x.quit {
			t.Errorf("keys acted: %v, quit %v", x.server.performed, x.quit)
		}
		x.send(tea.WindowSizeMsg{Width: 60, Height: 20})
		x.wants("Ana Souza", "Play Basic")
	})
}

// Without colours, reverse video marks the chosen row.
func TestWithoutColoursOnlyWhatIsChosenStandsOut(t *testing.T) {
	on(t, options{protected: true}, func(x *testDesk) {
		openAna(x)
		content := x.m.View().Content
		if !strings.Contains(content, "\x1b[7m›") || strings.Contains(strings.NewReplacer("\x1b[7m", "", "\x1b[0m", "").Replace(content), "\x1b") {
			t.Errorf("got %q, want reverse video and no colour", content)
		}
	})
}

// The row in focus is visible on any screen.
func TestTheFocusIsAlwaysOnTheScreen(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		manyServices(x)
		x.send(tea.WindowSizeMsg{Width: 60, Height: 20})
		openAna(x)
		for range 36 {
			if !strings.Contains(x.screen(), "\n› ") {
				t.Fatalf("the focus is not on the screen:\n%s", x.screen())
			}
			x.keys("<down>")
		}
		for range 36 {
			x.keys("<up>")
		}
		x.wants("ana@example.com", "› Play Basic")
	})
}

// manyServices gives Ana thirty more services.
func manyServices(x *testDesk) {
	ana := x.server.people["52998224725"]
	for i := range 30 {
		s := ana.Services[2]
		s.ProductID, s.ProductName = api.Int(100+i), "Canal "+string(rune('A'+i))
		ana.Services = append(ana.Services, s)
	}
	x.server.people["52998224725"] = ana
}

// addEvent adds an event of Ana.
func addEvent(x *testDesk) {
	x.send(changesMsg{changes: changes{documents: []string{"52998224725"}, cursor: "1"}})
	x.pass(time.Second)
}

// A service that ends elsewhere moves to the end with its focus: the next key must not
// act on another.
func TestTheFocusStaysWithItsService(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		openAna(x)
		x.wants("› Play Basic")
		services := slices.Clone(x.server.people["52998224725"].Services)
		services[1].Status, services[1].StatusID = "canceled", api.StatusCanceled
		ana := x.server.people["52998224725"]
		ana.Services = services
		x.server.people["52998224725"] = ana
		addEvent(x)
		x.wants("› Play Basic cancelled")
		x.keys("<enter>1")
		x.keys("<enter>")
		if got := x.server.performed; len(got) > 0 && got[0].Product.ID != basic {
			t.Errorf("it did %v on another service", got)
		}
	})
}

// Page keys move by a screen, and back by the same lines.
func TestPagesOfALongCard(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		manyServices(x)
		x.send(tea.WindowSizeMsg{Width: 60, Height: 20})
		openAna(x)
		for range 20 {
			x.keys("<down>")
		}
		x.wants("› Canal S")
		x.keys("<pgdown>")
		x.wants("Canal V")
		x.lacks("Canal O ")
		for range 20 {
			x.keys("<pgdown>")
		}
		end := x.screen()
		x.keys("<pgup>")
		if x.screen() == end {
			t.Error("a page back from the end changes nothing")
		}
		x.keys("<enter><esc>")
		x.wants("› Canal S")
	})
}

// A response slower than the poll interval is shown.
func TestASlowServerIsReadToTheEnd(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		x.server.read = func(ctx context.Context) error {
			select {
			case <-time.After(25 * time.Second):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		openAna(x)
		x.wants("reading…")
		for range 5 {
			x.pass(3 * time.Second)
			addEvent(x)
		}
		x.pass(10 * time.Second)
		x.wants("Play Basic active")
		x.pass(time.Minute)
		if x.server.reads != 2 {
			t.Errorf("the card is read %d times, want twice: once more for what happened meanwhile", x.server.reads)
		}
	})
}

func TestACardThatCannotBeReadSaysWhy(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		x.server.read = func(context.Context) error {
			return &client.Error{Status: http.StatusNotFound, Code: api.CodeSubscriberNotFound}
		}
		openAna(x)
		x.keys("<enter>")
		x.wants("Ana Souza", "no subscriber has this document")
		x.lacks("reading…")
		x.keys("<esc>q")
		x.wants("Search: q")
	})
}

func TestALongNameIsWhole(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		s := x.server.people["11144477735"]
		s.Name = "Bruno " + strings.Repeat("de Albuquerque e Ávila ", 10) + "Filho"
		x.server.people["11144477735"] = s
		for _, width := range []int{60, 80, 120} {
			x.send(tea.WindowSizeMsg{Width: width, Height: leastHeight})
			x.keys("<esc><ctrl+u>bruno<enter>")
			x.wants("e Ávila Filho", "***.444.777-**", "activate a product…")
		}
	})
}

// Esc closes one open part at a time and changes nothing.
func TestEscLeavesOneStepAtATime(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		openAna(x)
		for _, keys := range []string{"<enter>", "<enter>5", "<f1>"} {
			x.keys(keys)
			x.keys("<esc>")
			x.wants("Search: souza", "Enter menu")
		}
		x.keys("<esc>")
		x.wants("Search: souza", "Enter open")
		x.keys("<esc>")
		x.wants("Type a part")
		x.lacks("souza")
		x.keys("<esc><esc>")
		if len(x.server.performed) > 0 || x.quit {
			t.Errorf("Esc did %v, quit %v", x.server.performed, x.quit)
		}
	})
}

// chooseText chooses a menu entry by its first words.
func (x *testDesk) chooseText(label string) {
	x.t.Helper()
	x.keys("<enter>")
	for i, e := range x.m.prompt.entries {
		if strings.HasPrefix(x.m.translate(e.label), label) {
			x.keys(strconv.Itoa(i + 1))
			return
		}
	}
	x.t.Fatalf("%q is not offered:\n%s", label, x.screen())
}

// Instructions of the product in focus are above the history; long ones are cut there and
// complete below it.
func TestInstructionsFollowTheFocus(t *testing.T) {
	on(t, options{}, func(x *testDesk) {
		x.server.catalog.Products[0].Instructions = "Baixe\x1b]0; o aplicativo."
		x.server.catalog.Products[1].Instructions = api.LenientText(strings.Repeat("Passo.\n", 20) + "Fim.")
		x.server.catalog.Products[1].HelpURL = "https://exemplo.com.br/musica"
		x.send(tea.WindowSizeMsg{Width: 100, Height: 40})
		openAna(x)
		x.wants("How to use Play Basic", "Baixe", "o aplicativo.", "History")
		x.keys("<down>")
		x.wants("How to use Música", "Passo. …", "History")
		x.lacks("Baixe", "Fim.")
		x.keys("<pgdown><pgdown><pgdown>")
		x.wants("Fim.", "https://exemplo.com.br/musica")
		x.keys("<down>") // an ended service
		x.lacks("How to use")
		x.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		x.keys("<up>")
		x.wants("History")
	})
}
